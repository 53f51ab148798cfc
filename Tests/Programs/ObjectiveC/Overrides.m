// Classes that keep removals of their observers from Foundation for a while; which one is the argument. In the last one
// it never gets there.

#import "Bank.h"

#include <string.h>

static Screen *screen;

/// Adds an observer once, and removes it when it was removed as often as it was added.
@interface Counting : Account
{
  NSCountedSet *known;
}
@end
@implementation Counting
- (void) addObserver: (NSObject *)observer
          forKeyPath: (NSString *)keyPath
             options: (NSKeyValueObservingOptions)options
             context: (void *)context
{
  if (known == nil) known = [NSCountedSet new];
  [known addObject: keyPath];
  if ([known countForObject: keyPath] > 1) return;
  [super addObserver: observer forKeyPath: keyPath options: options context: context];
}
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  [known removeObject: keyPath];
  if ([known countForObject: keyPath] > 0) return;
  [super removeObserver: observer forKeyPath: keyPath];
}
- (void) dealloc { [known release]; [super dealloc]; }
@end

static void countsAdditions(void)
{
  Counting *counting = [Counting new];
  [screen watch: counting for: @"balance"];
  [screen watch: counting for: @"balance"];
  [screen unwatch: counting for: @"balance"];
  [counting setBalance: 1];
  [screen unwatch: counting for: @"balance"];
  [counting setBalance: 2];
  [counting release];
}

/// Removes an observer only when it is told to.
@interface Patient : Account
{
  NSMutableArray *left;
}
- (void) removeLeft;
@end
@implementation Patient
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  if (left == nil) left = [NSMutableArray new];
  [left addObject: observer];
}
- (void) removeLeft
{
  for (id observer in left) [super removeObserver: observer forKeyPath: @"balance"];
  [left removeAllObjects];
}
- (void) dealloc { [left release]; [super dealloc]; }
@end

static void removesLater(void)
{
  Patient *patient = [Patient new];
  for (int round = 0; round < 2; round++)
    {
      [screen watch: patient for: @"balance"];
      [screen unwatch: patient for: @"balance"];
      [patient setBalance: round];
      [patient removeLeft];
      [patient setBalance: 7];
    }
  [patient release];
}

/// The observer stays registered, because the object never removes it.
static void keepsRemoved(void)
{
  Patient *patient = [Patient new];
  [screen watch: patient for: @"balance"];
  [screen unwatch: patient for: @"balance"];
  [patient setBalance: 1];
  [patient release];
}

static const struct { const char *name; void (*run)(void); } programs[] = {
  { "counts-additions", countsAdditions },
  { "removes-later", removesLater },
  { "keeps-removed", keepsRemoved },
};

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  screen = [Screen new];
  for (size_t at = 0; at < sizeof programs / sizeof *programs; at++)
    {
      if (count > 1 && strcmp(arguments[1], programs[at].name) == 0) programs[at].run();
    }
  [pool release];
  say("done");
  return 0;
}
