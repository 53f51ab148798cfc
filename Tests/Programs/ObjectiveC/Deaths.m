// Objects that die while they are observed, one way per run; the name of it is the argument. What they had on their
// paths changes after that: no observer is notified, and no deallocated object is messaged.

#import "Bank.h"

#include <stdlib.h>
#include <string.h>

static Screen *screen;

/// Has keys that others depend on, some of them by a path.
@interface Firm : Account
@end
@implementation Firm
+ (NSSet *) keyPathsForValuesAffectingTitle { return [NSSet setWithObject: @"owner.name"]; }
+ (NSSet *) keyPathsForValuesAffectingBoss { return [NSSet setWithObject: @"owner.name"]; }
- (NSString *) title { return [[self owner] name]; }
- (Owner *) boss { return [self owner]; }
@end

/// Registers observers itself, on what it holds.
@interface Agency : NSObject
{
@public
  Owner *held;
}
@end
@implementation Agency
- (NSString *) name { return [held name]; }
- (void) addObserver: (NSObject *)observer
          forKeyPath: (NSString *)keyPath
             options: (NSKeyValueObservingOptions)options
             context: (void *)context
{
  [held addObserver: observer forKeyPath: keyPath options: options context: context];
}
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  [held removeObserver: observer forKeyPath: keyPath];
}
@end

@interface LaterAccount : Account
@end
@implementation LaterAccount
@end

/// Has memory of its own from the system, which is unmapped when it is deallocated.
@interface LargeScreen : Screen
{
@public
  char room[1 << 22];
}
@end
@implementation LargeScreen
@end

/// The memory of an object has a new owner.
static void fillMemory(void)
{
  for (int at = 0; at < 64; at++) memset(malloc(48), 0x5a, 48);
}

static Owner *ownerOf(Account *account)
{
  Owner *owner = [Owner new];
  [owner setName: @"Ada"];
  [account setOwner: owner];
  return owner;
}

static NSAutoreleasePool *inner;

static void let(id object)
{
  [inner release];
  inner = [NSAutoreleasePool new];
  [object release];
  fillMemory();
}

static void everyOption(void)
{
  for (int options = 0; options < 16; options++)
    {
      Account *account = [Account new];
      Screen *other = [Screen new];
      [account addObserver: screen forKeyPath: @"balance" options: options context: NULL];
      [account addObserver: other forKeyPath: @"balance" options: options context: NULL];
      [account addObserver: other forKeyPath: @"summary" options: options context: NULL];
      [account setBalance: options];
      let(account);
      [other release];
    }
}

static void path(void)
{
  Account *account = [Account new];
  Owner *owner = ownerOf(account);
  [screen watch: account for: @"owner.name"];
  [screen watch: account for: @"owner"];
  [owner setName: @"Grace"];
  let(account);
  [owner setName: @"Barbara"];
  let(owner);
}

static void dependent(NSString *keyPath)
{
  Firm *firm = [Firm new];
  Owner *owner = ownerOf(firm);
  [screen watch: firm for: keyPath];
  let(firm);
  [owner setName: @"Barbara"];
  let(owner);
}

static void dependentKey(void) { dependent(@"title"); }
static void dependentPath(void) { dependent(@"boss.name"); }

static void relay(void)
{
  Account *account = [Account new];
  Agency *agency = [Agency new];
  Owner *held = [Owner new];
  agency->held = held;
  [account setOwner: (Owner *)agency];
  [screen watch: account for: @"owner.name"];
  [held setName: @"Grace"];
  let(account);
  [held setName: @"Barbara"];
  let(agency);
  // GNUstep's own observer stays registered with it.
  [held setName: @"Ada"];
}

static void observerFirst(void)
{
  Account *account = [Account new];
  Owner *owner = ownerOf(account);
  Screen *other = [Screen new];
  [other watch: account for: @"owner.name"];
  let(other);
  let(account);
  [owner setName: @"Barbara"];
  let(owner);
}

/// Observes itself.
@interface Narcissus : Account
@end
@implementation Narcissus
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  say("  told of %s of its own", [keyPath UTF8String]);
}
@end

static void itself(void)
{
  Narcissus *account = [Narcissus new];
  Owner *owner = ownerOf(account);
  [account addObserver: account forKeyPath: @"balance" options: 0 context: NULL];
  [account addObserver: account forKeyPath: @"owner.name" options: 0 context: NULL];
  [account setBalance: 1];
  let(account);
  [owner setName: @"Barbara"];
  let(owner);
}

static void changedClass(void)
{
  Account *account = [Account new];
  Screen *other = [Screen new], *third = [Screen new];
  [screen watch: account for: @"balance"];
  [other watch: account for: @"balance"];
  object_setClass(account, [LaterAccount class]);
  [screen unwatch: account for: @"balance"];
  // Its class is known to be another now, and this one is removed as usual.
  [third watch: account for: @"balance"];
  [account setBalance: 1];
  [third unwatch: account for: @"balance"];
  let(other);
  let(third);
  [account setBalance: 2];
  let(account);
}

static void bothWays(void)
{
  Account *first = [Account new], *second = [Account new];
  Owner *owner = ownerOf(first);
  [second setOwner: owner];
  [screen watch: first for: @"owner.name"];
  [screen watch: second for: @"owner.name"];
  let(first);
  [owner setName: @"Grace"];
  [screen unwatch: second for: @"owner.name"];
  let(second);
  [owner setName: @"Barbara"];
  let(owner);
}

static void pathDies(void)
{
  Account *account = [Account new];
  Owner *owner = ownerOf(account);
  [screen watch: account for: @"owner.name"];
  [screen watch: (id)owner for: @"name"];
  [account setOwner: nil];
  let(owner);
  let(account);
}

// The observer is removed by its address, at which others have written.
static void lateRemoval(void)
{
  Account *account = [Account new];
  Screen *other = [Screen new];
  [other watch: account for: @"balance"];
  [other release];
  for (size_t byteCount = 8; byteCount < 256; byteCount += 8)
    {
      for (int at = 0; at < 16; at++) memset(malloc(byteCount), 0x5a, byteCount);
    }
  [account removeObserver: other forKeyPath: @"balance"];
  [account release];
}

// The observer is removed by its address, at which there is no memory any more.
static void unmappedRemoval(void)
{
  Account *account = [Account new];
  Screen *other = [LargeScreen new];
  [other watch: account for: @"balance"];
  [other release];
  [account removeObserver: other forKeyPath: @"balance"];
  [account release];
}

static const struct { const char *name; void (*run)(void); } ways[] = {
  { "every-option", everyOption }, { "path", path }, { "dependent-key", dependentKey },
  { "dependent-path", dependentPath }, { "relay", relay }, { "observer-first", observerFirst },
  { "itself", itself }, { "changed-class", changedClass }, { "both-ways", bothWays },
  { "path-dies", pathDies }, { "late-removal", lateRemoval },
  { "unmapped-removal", unmappedRemoval },
};

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  screen = [Screen new];
  for (size_t at = 0; at < sizeof ways / sizeof *ways; at++)
    {
      if (count > 1 && strcmp(arguments[1], ways[at].name) != 0) continue;
      inner = [NSAutoreleasePool new];
      say("%s:", ways[at].name);
      ways[at].run();
      [inner release];
    }
  [screen release];
  [pool release];
  say("done");
  return 0;
}
