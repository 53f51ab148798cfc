// Contexts, in a program that brings the removal with one to a Foundation that has none, as those do that
// are ported from Apple's systems. What to do is the argument.

#import "Bank.h"

#include <string.h>

@interface NSObject (Contexts)
- (void) removeObserver: (NSObject *)observer
             forKeyPath: (NSString *)keyPath
                context: (void *)context;
@end

@implementation NSObject (Contexts)
- (void) removeObserver: (NSObject *)observer
             forKeyPath: (NSString *)keyPath
                context: (void *)context
{
  [self removeObserver: observer forKeyPath: keyPath];
}
@end

static Account *account;
static Screen *screen;
static char here, there;

static void add(void *context)
{
  [account addObserver: screen forKeyPath: @"balance" options: 0 context: context];
}

static void removeBy(void *context)
{
  [account removeObserver: screen forKeyPath: @"balance" context: context];
}

static void right(void)
{
  add(&here);
  removeBy(&here);
}

static void wrong(void)
{
  add(&here);
  removeBy(&there);
  // 1.28 knows no contexts: nothing is registered any more.
  [account setBalance: 1];
}

static void ambiguous(void)
{
  add(&here);
  add(&there);
  [account removeObserver: screen forKeyPath: @"balance"];
}

static void plain(void)
{
  add(&here);
  [account removeObserver: screen forKeyPath: @"balance"];
}

/// What two controllers do that each observe the balance: 1.28 keeps the second of the two alone.
static void two(void)
{
  add(&here);
  add(&there);
  removeBy(&here);
  removeBy(&there);
}

/// The same, and the first is expected to be notified.
static void twoChanged(void)
{
  add(&here);
  add(&there);
  [account setBalance: 1];
  removeBy(&there);
  [account setBalance: 2];
  removeBy(&here);
}

static void same(void)
{
  add(&here);
  add(&here);
  removeBy(&here);
  removeBy(&here);
}

static void thrice(void)
{
  add(&here);
  add(&there);
  removeBy(&here);
  removeBy(&there);
  removeBy(&here);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
  { "right-context", right },
  { "wrong-context", wrong },
  { "ambiguous", ambiguous },
  { "without-context", plain },
  { "two-contexts", two },
  { "two-contexts-changed", twoChanged },
  { "same-context", same },
  { "two-contexts-thrice", thrice },
};

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  account = [Account new];
  screen = [Screen new];
  for (size_t at = 0; at < sizeof cases / sizeof *cases; at++)
    {
      if (count > 1 && strcmp(arguments[1], cases[at].name) == 0) cases[at].run();
    }
  [screen release];
  [account release];
  [pool release];
  say("done");
  return 0;
}
