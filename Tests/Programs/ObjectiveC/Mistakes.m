// Faults around changes and exceptions, one per run; the name of it is the argument.

#import "Bank.h"

#include <pthread.h>
#include <string.h>

static Account *account;
static Screen *screen;

/// Raises when it is notified.
@interface Brittle : Screen
@end
@implementation Brittle
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  [NSException raise: @"Brittle" format: @"told of %@", keyPath];
}
@end

static void change(int balance)
{
  NS_DURING
    [account setBalance: balance];
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
}

/// 1.28 no longer notifies of this key.
static void raises(void)
{
  Brittle *brittle = [Brittle new];
  [screen watch: account for: @"balance"];
  [brittle watch: account for: @"balance"];
  change(1);
  change(2);
  change(3);
  [brittle unwatch: account for: @"balance"];
  [screen unwatch: account for: @"balance"];
  say("the balance is %d", [account balance]);
}

/// Changes another account when it is notified.
@interface Passing : Screen
{
@public
  Account *other;
}
@end
@implementation Passing
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  [other setBalance: [object balance]];
}
@end

/// One exception leaves two callbacks: 1.28 no longer notifies of either key.
static void raisesThrough(void)
{
  Brittle *brittle = [Brittle new];
  Passing *passing = [Passing new];
  passing->other = [Account new];
  [passing watch: account for: @"balance"];
  [brittle watch: passing->other for: @"balance"];
  change(1);
  change(2);
  [passing unwatch: account for: @"balance"];
  [brittle unwatch: passing->other for: @"balance"];
  [passing->other release];
  say("the balance is %d", [account balance]);
}

/// The exception leaves the setter before the change is made.
static void priorRaises(void)
{
  Brittle *brittle = [Brittle new];
  [account addObserver: brittle forKeyPath: @"balance" options: NSKeyValueObservingOptionPrior context: NULL];
  change(1);
  [brittle unwatch: account for: @"balance"];
  say("the balance is %d", [account balance]);
}

/// The observer is registered, although it raised, and is never removed.
static void initialRaises(void)
{
  Brittle *brittle = [Brittle new];
  NS_DURING
    [account addObserver: brittle
              forKeyPath: @"balance"
                 options: NSKeyValueObservingOptionInitial
                 context: NULL];
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  [brittle release];
  say("the observer is gone");
}

/// As above, and the account changes: if nothing is contained, 1.28 calls a deallocated object.
static void initialRaisesChanged(void)
{
  Brittle *brittle = [Brittle new];
  NS_DURING
    [account addObserver: brittle
              forKeyPath: @"balance"
                 options: NSKeyValueObservingOptionInitial
                 context: NULL];
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  [brittle release];
  [account setBalance: 1];
  say("the balance is %d", [account balance]);
}

/// The account has no observers when its change begins.
static void addedToUnobserved(void)
{
  [account willChangeValueForKey: @"note"];
  [screen watch: account for: @"note"];
  [account didChangeValueForKey: @"note"];
  [screen unwatch: account for: @"note"];
  say("added while it changed");
}

static void *watchNote(void *unused)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  [screen watch: account for: @"note"];
  [pool release];
  return NULL;
}

/// The account has no observers when its change begins, and another thread adds the first one.
static void addedElsewhere(void)
{
  pthread_t thread;
  [account willChangeValueForKey: @"note"];
  pthread_create(&thread, NULL, watchNote, NULL);
  pthread_join(thread, NULL);
  [account didChangeValueForKey: @"note"];
  [screen unwatch: account for: @"note"];
  say("added while it changed");
}

/// An account at the address of one that was deallocated in a change: the change that ends is not that one.
static void endsAtAddress(void)
{
  void *address = account;
  [account willChangeValueForKey: @"note"];
  [account release];
  account = newAccountAt(address);
  [screen watch: account for: @"note"];
  [account didChangeValueForKey: @"note"];
  [screen unwatch: account for: @"note"];
  say("ended, and never began");
}

static void neverEnds(void)
{
  [screen watch: account for: @"note"];
  [account willChangeValueForKey: @"note"];
  [screen unwatch: account for: @"note"];
  say("began, and never ended");
}

/// The proxy of a collection raises in the middle of the change that it makes.
static void proxyRaises(void)
{
  [screen watch: account for: @"entries"];
  NS_DURING
    [[account mutableArrayValueForKey: @"entries"] replaceObjectAtIndex: 7 withObject: @"none"];
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  [screen unwatch: account for: @"entries"];
}

static void crosses(void)
{
  [screen watch: account for: @"note"];
  [account willChangeValueForKey: @"note"];
  [account willChangeValueForKey: @"balance"];
  [account didChangeValueForKey: @"note"];
  [account didChangeValueForKey: @"balance"];
  [screen unwatch: account for: @"note"];
  say("crossed");
}

static void announced(void)
{
  [account addObserver: screen
            forKeyPath: @"note"
               options: NSKeyValueObservingOptionPrior
               context: NULL];
  [account willChangeValueForKey: @"note"];
  say("announced, and never made");
}

static void misspelt(void)
{
  [account addObserver: screen forKeyPath: @"balanse" options: 0 context: NULL];
  [account setBalance: 1];
  [account removeObserver: screen forKeyPath: @"balanse"];
  say("nothing was told");
}

/// Has a key that is not ASCII.
@interface GermanAccount : Account
@end
@implementation GermanAccount
- (id) valueForUndefinedKey: (NSString *)key { return [NSNumber numberWithInt: [self balance]]; }
@end

/// 1.28 raises, and nothing catches that.
static void beyondASCII(void)
{
  GermanAccount *german = [GermanAccount new];
  [screen watch: german for: [NSString stringWithUTF8String: "gr\xc3\xb6\xc3\x9f" "e"]];
  say("watched");
}

/// Says that its total depends on its balance, as Apple's systems ask.
@interface TotalAccount : Account
@end
@implementation TotalAccount
+ (NSSet *) keyPathsForValuesAffectingTotal { return [NSSet setWithObject: @"balance"]; }
- (int) total { return [self balance] * 2; }
@end

static void ignoredDependency(void)
{
  TotalAccount *total = [TotalAccount new];
  [screen watch: total for: @"total"];
  [total setBalance: 4];
  [screen unwatch: total for: @"total"];
  [screen watch: total for: @"total"];
  [screen unwatch: total for: @"total"];
  say("the total is %d", [total total]);
}

/// Takes no balance below zero.
@interface PickyAccount : Account
@end
@implementation PickyAccount
- (void) setBalance: (int)balance
{
  if (balance < 0) [NSException raise: @"Picky" format: @"%d", balance];
  [super setBalance: balance];
}
@end

/// The setter raises in the change that GNUstep began for it, which then never ends.
static void setterRaises(void)
{
  Account *picky = [PickyAccount new];
  [screen watch: picky for: @"balance"];
  for (int balance = 2; balance >= -1; balance--)
    {
      NS_DURING
        [picky setBalance: balance];
      NS_HANDLER
        say("raised: %s", [[localException name] UTF8String]);
      NS_ENDHANDLER
    }
  [screen unwatch: picky for: @"balance"];
  [picky release];
}

/// An observer of NSObject's own callback: the process ends before the screen is notified.
static void deafBeforeOthers(void)
{
  [screen watch: account for: @"balance"];
  [account addObserver: (id)[Deaf new] forKeyPath: @"balance" options: 0 context: NULL];
  [account setBalance: 3];
}

/// Here it ends before the change is made.
static void deafBeforeChange(void)
{
  [account addObserver: (id)[Deaf new]
            forKeyPath: @"balance"
               options: NSKeyValueObservingOptionPrior
               context: NULL];
  [account setBalance: 3];
}

/// Nothing catches the exception: it ends the process, and the change with it.
static void setterEndsProcess(void)
{
  Account *picky = [PickyAccount new];
  [screen watch: picky for: @"balance"];
  [picky setBalance: -1];
}

/// Passes on to super what it is notified of, by another string of the same text.
@interface Copying : NSObject
@end
@implementation Copying
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  keyPath = [NSString stringWithFormat: @"%@", keyPath];
  [super observeValueForKeyPath: keyPath ofObject: object change: change context: context];
}
@end

/// No class handles the notification.
static void passesOnCopy(void)
{
  Copying *copying = [Copying new];
  [account addObserver: copying forKeyPath: @"balance" options: 0 context: NULL];
  change(1);
  [account removeObserver: copying forKeyPath: @"balance"];
  say("the balance is %d", [account balance]);
}

/// The key of a change is in a string that has another text when the change should end.
static void keyChanges(void)
{
  NSMutableString *key = [NSMutableString stringWithString: @"note"];
  [screen watch: account for: @"note"];
  [account willChangeValueForKey: key];
  [key setString: @"owner"];
  [account didChangeValueForKey: key];
  [screen unwatch: account for: @"note"];
  say("began one change, and ended another");
}

/// Ends a change that never began; 1.28 ends that of the key that depends on it, too.
static void endsWithDependent(void)
{
  [screen watch: account for: @"summary"];
  [account didChangeValueForKey: @"balance"];
  [screen unwatch: account for: @"summary"];
  say("ended, and never began");
}

static const struct { const char *name; void (*run)(void); } mistakes[] = {
  { "raises", raises },
  { "raises-through", raisesThrough },
  { "prior-raises", priorRaises },
  { "initial-raises", initialRaises },
  { "initial-raises-changed", initialRaisesChanged },
  { "added-to-unobserved", addedToUnobserved },
  { "added-elsewhere", addedElsewhere },
  { "ends-at-address", endsAtAddress },
  { "never-ends", neverEnds },
  { "proxy-raises", proxyRaises },
  { "crosses", crosses },
  { "announced", announced },
  { "misspelt", misspelt },
  { "beyond-ascii", beyondASCII },
  { "ignored-dependency", ignoredDependency },
  { "setter-raises", setterRaises },
  { "setter-ends-process", setterEndsProcess },
  { "deaf-before-others", deafBeforeOthers },
  { "deaf-before-change", deafBeforeChange },
  { "passes-on-copy", passesOnCopy },
  { "key-changes", keyChanges },
  { "ends-with-dependent", endsWithDependent },
};

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  account = [Account new];
  screen = [Screen new];
  for (size_t at = 0; at < sizeof mistakes / sizeof *mistakes; at++)
    {
      if (count > 1 && strcmp(arguments[1], mistakes[at].name) == 0) mistakes[at].run();
    }
  [pool release];
  say("done");
  return 0;
}
