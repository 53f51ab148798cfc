// Programs that replace -dealloc of root classes, where they remove observers or keep the object. Which one is the
// argument.

#import "Bank.h"

#include <stdlib.h>
#include <string.h>

static Account *account;

// MARK: - NSObject's -dealloc is the program's

/// What -[NSObject dealloc] does with a watcher.
static enum { removes, leaves, keeps } treatment;

@interface Watcher : Screen
@end
@implementation Watcher
@end

static Watcher *kept;

@interface NSObject (Cleaning)
@end
@implementation NSObject (Cleaning)
- (void) dealloc
{
  if ([self isKindOfClass: [Watcher class]] && treatment == removes)
    {
      [account removeObserver: self forKeyPath: @"balance"];
    }
  if ([self isKindOfClass: [Watcher class]] && treatment == keeps)
    {
      kept = (Watcher *)self;
      return;
    }
  NSDeallocateObject(self);
}
@end

static void letGo(void)
{
  Watcher *watcher = [Watcher new];
  [watcher watch: account for: @"balance"];
  [watcher release];
  say("let go");
}

static void removesInCategory(void)
{
  letGo();
  [account setBalance: 1];
}

static void leavesInCategory(void)
{
  treatment = leaves;
  letGo();
}

static void keepsInCategory(void)
{
  treatment = keeps;
  letGo();
  [account setBalance: 1];
  [kept unwatch: account for: @"balance"];
  treatment = removes;
  NSDeallocateObject(kept);
}

// MARK: - A root class of the program

__attribute__((objc_root_class))
@interface Plain
{
  Class isa;
}
@end
@implementation Plain
+ (void) initialize { }
+ (id) make { return class_createInstance(self, 0); }
- (Class) class { return isa; }
- (BOOL) respondsToSelector: (SEL)selector { return class_getInstanceMethod(isa, selector) != NULL; }
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  say("told");
}
- (void) dealloc
{
  if (treatment == removes) [account removeObserver: (id)self forKeyPath: @"balance"];
  if (treatment == removes) object_dispose((id)self);
  else free(self);
}
@end

static void observePlainly(void)
{
  Plain *plain = [Plain make];
  [account addObserver: (id)plain forKeyPath: @"balance" options: 0 context: NULL];
  [account setBalance: 1];
  [plain dealloc];
  say("let go");
}

static void removesInRoot(void)
{
  observePlainly();
  [account setBalance: 2];
}

static void leavesInRoot(void)
{
  treatment = leaves;
  observePlainly();
}

static const struct { const char *name; void (*run)(void); } programs[] = {
  { "removes-in-category", removesInCategory },
  { "leaves-in-category", leavesInCategory },
  { "keeps-in-category", keepsInCategory },
  { "removes-in-root", removesInRoot },
  { "leaves-in-root", leavesInRoot },
};

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  account = [Account new];
  for (size_t at = 0; at < sizeof programs / sizeof *programs; at++)
    {
      if (count > 1 && strcmp(arguments[1], programs[at].name) == 0) programs[at].run();
    }
  [pool release];
  say("done");
  return 0;
}
