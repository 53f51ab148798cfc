// Classes with methods of their own for what Foundation does: removals, which they keep from it, and replacements in a
// collection. And a class object that observes without a callback. Which one is the argument; the last three have a
// fault.

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

/// Has methods for the elements of its collection.
@interface Shelf : NSObject
{
  NSMutableArray *books;
}
@end
@implementation Shelf
- (id) init { books = [NSMutableArray new]; return self; }
- (NSArray *) books { return books; }
- (void) insertObject: (id)book inBooksAtIndex: (NSUInteger)index { [books insertObject: book atIndex: index]; }
- (void) removeObjectFromBooksAtIndex: (NSUInteger)index { [books removeObjectAtIndex: index]; }
- (void) replaceObjectInBooksAtIndex: (NSUInteger)index withObject: (id)book
{
  [books replaceObjectAtIndex: index withObject: book];
}
- (void) dealloc { [books release]; [super dealloc]; }
@end

/// 1.28 never ends a replacement through the proxy of such a class, and ends one that is made as the advice says.
static void replaces(void)
{
  Shelf *shelf = [Shelf new];
  NSIndexSet *indexes = [NSIndexSet indexSetWithIndex: 0];
  [screen watch: shelf for: @"books"];
  NSMutableArray *books = [shelf mutableArrayValueForKey: @"books"];
  [books addObject: @"Emma"];
  [shelf willChange: NSKeyValueChangeReplacement valuesAtIndexes: indexes forKey: @"books"];
  [(id)shelf replaceObjectInBooksAtIndex: 0 withObject: @"Dracula"];
  [shelf didChange: NSKeyValueChangeReplacement valuesAtIndexes: indexes forKey: @"books"];
  [books replaceObjectAtIndex: 0 withObject: @"Ulysses"];
  [books addObject: @"Walden"];
  [screen unwatch: shelf for: @"books"];
  [shelf release];
}

/// GCC's runtime copies the callback that raises from the root class to the class of it.
static void classObserves(void)
{
  Account *account = [Account new];
  NSObject *observer = (NSObject *)[Deaf class];
  [account addObserver: observer forKeyPath: @"balance" options: 0 context: NULL];
  NS_DURING
    [account setBalance: 1];
  NS_HANDLER
    say("raised");
  NS_ENDHANDLER
  [account removeObserver: observer forKeyPath: @"balance"];
  [account release];
}

static const struct { const char *name; void (*run)(void); } programs[] = {
  { "counts-additions", countsAdditions },
  { "removes-later", removesLater },
  { "keeps-removed", keepsRemoved },
  { "replaces", replaces },
  { "class-observes", classObserves },
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
