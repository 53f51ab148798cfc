// What GNUstep's key-value observing can do, without a fault. Prints all notifications.

#import "Bank.h"

#include <stdlib.h>
#include <string.h>

static char here;

@interface Account (Summary)
- (NSString *) summary;
@end

/// Passes what it is sent on to another object.
@interface Stand : NSProxy
{
  id _target;
}
- (id) initWithTarget: (id)target;
@end

@implementation Stand
- (id) initWithTarget: (id)target
{
  _target = [target retain];
  return self;
}
- (void) dealloc { [_target release]; [super dealloc]; }
- (NSMethodSignature *) methodSignatureForSelector: (SEL)selector
{
  return [_target methodSignatureForSelector: selector];
}
- (void) forwardInvocation: (NSInvocation *)invocation
{
  [invocation invokeWithTarget: _target];
}
- (BOOL) respondsToSelector: (SEL)selector { return [_target respondsToSelector: selector]; }
@end

/// Knows its own key paths, and leaves the others to its superclass.
@interface Panel : Screen
@end
@implementation Panel
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  if (context == &here) say("  the panel's own: %s", [keyPath UTF8String]);
  else [super observeValueForKeyPath: keyPath ofObject: object change: change context: context];
}
@end

/// Observes itself being observed, as some classes do.
@interface Ledger : Account
@end
@implementation Ledger
- (void) addObserver: (NSObject *)observer
          forKeyPath: (NSString *)keyPath
             options: (NSKeyValueObservingOptions)options
             context: (void *)context
{
  say("  the ledger is observed: %s", [keyPath UTF8String]);
  [super addObserver: observer forKeyPath: keyPath options: options context: context];
}
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  say("  the ledger is left: %s", [keyPath UTF8String]);
  [super removeObserver: observer forKeyPath: keyPath];
}
@end

static void values(Account *account, Screen *screen)
{
  NSKeyValueObservingOptions both = NSKeyValueObservingOptionNew | NSKeyValueObservingOptionOld;
  say("new and old");
  [account addObserver: screen forKeyPath: @"balance" options: both context: &here];
  [account setBalance: 1];
  [account setValue: [NSNumber numberWithInt: 2] forKey: @"balance"];
  [account removeObserver: screen forKeyPath: @"balance"];
  [account setBalance: 3];
  say("initial");
  [account addObserver: screen
            forKeyPath: @"balance"
               options: both | NSKeyValueObservingOptionInitial
               context: NULL];
  [account removeObserver: screen forKeyPath: @"balance"];
  say("prior");
  [account addObserver: screen
            forKeyPath: @"balance"
               options: both | NSKeyValueObservingOptionPrior
               context: NULL];
  [account setBalance: 4];
  [account removeObserver: screen forKeyPath: @"balance"];
  say("by hand");
  [screen watch: account for: @"note"];
  [account setNote: @"paid"];
  [screen unwatch: account for: @"note"];
  say("by hand, twice inside");
  [screen watch: account for: @"note"];
  [account willChangeValueForKey: @"note"];
  [account setNote: @"owed"];
  [account didChangeValueForKey: @"note"];
  [screen unwatch: account for: @"note"];
  say("begun before anybody observed");
  Account *fresh = AUTORELEASE([Account new]);
  [fresh willChangeValueForKey: @"note"];
  [screen watch: fresh for: @"note"];
  [fresh didChangeValueForKey: @"note"];
  // What was missed is made up for.
  [fresh setNote: @"paid"];
  [screen unwatch: fresh for: @"note"];
}

static void paths(Account *account, Screen *screen)
{
  Owner *first = AUTORELEASE([Owner new]), *second = AUTORELEASE([Owner new]);
  say("a path of two keys");
  [account setOwner: first];
  [screen watch: account for: @"owner.name"];
  [first setName: @"Ada"];
  [account setOwner: second];
  [first setName: @"nobody"];
  [second setName: @"Bo"];
  [screen unwatch: account for: @"owner.name"];
  [second setName: @"nobody"];
  say("a path, initially");
  [account addObserver: screen
            forKeyPath: @"owner.name"
               options: NSKeyValueObservingOptionNew | NSKeyValueObservingOptionInitial
               context: NULL];
  [account removeObserver: screen forKeyPath: @"owner.name"];
  say("a dependent key");
  [screen watch: account for: @"summary"];
  [account setBalance: 5];
  [screen watch: account for: @"balance"];
  [account setBalance: 6];
  [screen unwatch: account for: @"balance"];
  [screen unwatch: account for: @"summary"];
}

static void collections(Account *account, Screen *screen)
{
  say("entries");
  [screen watch: account for: @"entries"];
  NSMutableArray *entries = [account mutableArrayValueForKey: @"entries"];
  [entries addObject: @"rent"];
  [entries insertObject: @"food" atIndex: 0];
  [entries removeObjectAtIndex: 0];
  [screen unwatch: account for: @"entries"];
  say("sets by hand");
  [screen watch: account for: @"tags"];
  NSSet *some = [NSSet setWithObject: @"x"];
  [account willChangeValueForKey: @"tags"
                 withSetMutation: NSKeyValueUnionSetMutation
                    usingObjects: some];
  [[account tags] unionSet: some];
  [account didChangeValueForKey: @"tags"
                withSetMutation: NSKeyValueUnionSetMutation
                   usingObjects: some];
  [screen unwatch: account for: @"tags"];
  say("objects of an array");
  NSArray *accounts
    = [NSArray arrayWithObjects: AUTORELEASE([Account new]), AUTORELEASE([Account new]), nil];
  NSIndexSet *all = [NSIndexSet indexSetWithIndexesInRange: NSMakeRange(0, 2)];
  [accounts addObserver: screen
     toObjectsAtIndexes: all
             forKeyPath: @"balance"
                options: NSKeyValueObservingOptionNew
                context: NULL];
  [[accounts objectAtIndex: 1] setBalance: 7];
  [accounts removeObserver: screen fromObjectsAtIndexes: all forKeyPath: @"balance"];
}

static void observers(Account *account)
{
  say("an override that asks super");
  Panel *panel = AUTORELEASE([Panel new]);
  [account addObserver: panel forKeyPath: @"balance" options: 0 context: &here];
  [panel watch: account for: @"note"];
  [account setBalance: 8];
  [account setNote: @"late"];
  [account removeObserver: panel forKeyPath: @"balance"];
  [panel unwatch: account for: @"note"];
  say("a proxy");
  Screen *screen = AUTORELEASE([Screen new]);
  Stand *stand = [[Stand alloc] initWithTarget: screen];
  [account addObserver: (id)stand forKeyPath: @"balance" options: 0 context: NULL];
  [account setBalance: 9];
  [account removeObserver: (id)stand forKeyPath: @"balance"];
  Stand *front = [[Stand alloc] initWithTarget: account];
  [(id)front addObserver: screen forKeyPath: @"balance" options: 0 context: NULL];
  [account setBalance: 10];
  [(id)front removeObserver: screen forKeyPath: @"balance"];
  [stand release];
  [front release];
  say("an observed object that overrides");
  Ledger *ledger = AUTORELEASE([Ledger new]);
  [screen watch: ledger for: @"balance"];
  [ledger setBalance: 11];
  [screen unwatch: ledger for: @"balance"];
  say("two observers");
  [screen watch: account for: @"balance"];
  [panel watch: account for: @"balance"];
  [account setBalance: 12];
  [screen unwatch: account for: @"balance"];
  [account setBalance: 13];
  [panel unwatch: account for: @"balance"];
}

static void defaults(Screen *screen)
{
  say("defaults");
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  [defaults addObserver: screen
             forKeyPath: @"KVOSafetyTest"
                options: NSKeyValueObservingOptionNew
                context: NULL];
  [defaults setVolatileDomain: [NSDictionary dictionaryWithObject: @"on" forKey: @"KVOSafetyTest"]
                      forName: @"KVOSafetyDomain"];
  [defaults removeObserver: screen forKeyPath: @"KVOSafetyTest"];
}

int main(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Account *account = [Account new];
  Screen *screen = [Screen new];
  say("%s", object_getClassName(account));
  values(account, screen);
  say("%s", object_getClassName(account));
  paths(account, screen);
  collections(account, screen);
  observers(account);
  defaults(screen);
  // Many objects, so that what is kept of them grows and shrinks.
  for (int turn = 0; turn < 2000; turn++)
    {
      Account *one = [Account new];
      Deaf *deaf = [Deaf new];
      [one addObserver: screen forKeyPath: @"balance" options: 0 context: NULL];
      [one removeObserver: screen forKeyPath: @"balance"];
      [deaf release];
      [one release];
    }
  [screen release];
  [account release];
  [pool release];
  say("done");
  return 3;
}
