// Observers that are deallocated while they are registered and what has their address afterwards, objects that change
// while they are deallocated, classes that take what no observer handles, keys that a class does not have, removals of
// nothing, changes of objects that are observed later. Which one is the argument.

#import "Bank.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static Account *account;

static void watch(id object, id observer, NSString *keyPath)
{
  [object addObserver: observer forKeyPath: keyPath options: 0 context: NULL];
}

// MARK: - Addresses of deallocated observers

/// 1.28 compares addresses, and finds the registration.
static void removesDeallocated(void)
{
  Counter *counter = [Counter new];
  watch(account, counter, @"balance");
  [counter release];
  [account removeObserver: counter forKeyPath: @"balance"];
  [account setBalance: 1];
}

/// It was removed before, and is removed again when it is deallocated.
static void removesDeallocatedAgain(void)
{
  Counter *counter = [Counter new];
  watch(account, counter, @"balance");
  [account removeObserver: counter forKeyPath: @"balance"];
  [counter release];
  [account removeObserver: counter forKeyPath: @"balance"];
}

/// All have one address, and 1.28 one registration of it: each change is delivered to the present one.
static void screensAtOneAddress(void)
{
  for (int at = 0; at < 3; at++)
    {
      Counter *counter = [Counter new];
      watch(account, counter, @"balance");
      [account setBalance: at];
      say("told %d times", counter->count);
      [counter release];
    }
}

/// The second one has the address of the first, and removes what it added.
static void carefulAtTheAddress(void)
{
  Counter *counter = [Counter new];
  watch(account, counter, @"balance");
  [counter release];
  counter = [Counter new];
  watch(account, counter, @"balance");
  [account removeObserver: counter forKeyPath: @"balance"];
  [account setBalance: 1];
  say("told %d times", counter->count);
  [counter release];
}

// MARK: - Objects that change while they are deallocated

/// Sets its own properties in -dealloc: GNUstep 1.28 has forgotten its observers by then.
@interface Tidy : Account
@end
@implementation Tidy
- (void) dealloc
{
  [self setNote: nil];
  [self setNote: @"gone"];
  [super dealloc];
}
@end

static void setsInDealloc(void)
{
  Tidy *tidy = [Tidy new];
  Counter *counter = [Counter new];
  watch(tidy, counter, @"note");
  [tidy setNote: @"open"];
  [tidy release];
  say("told %d times", counter->count);
  [counter release];
}

// MARK: - Who takes a notification that no observer handles

static int takenCount;

@interface NSObject (Taking)
@end
@implementation NSObject (Taking)
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  takenCount++;
}
@end

/// Leaves it to its superclass.
@interface Deferring : NSObject
@end
@implementation Deferring
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  [super observeValueForKeyPath: keyPath ofObject: object change: change context: context];
}
@end

static void takenByCategory(void)
{
  Deaf *deaf = [Deaf new];
  Deferring *deferring = [Deferring new];
  watch(account, deaf, @"balance");
  watch(account, deferring, @"balance");
  [account setBalance: 1];
  say("taken %d times", takenCount);
  [account removeObserver: deaf forKeyPath: @"balance"];
  [account removeObserver: deferring forKeyPath: @"balance"];
  [deaf release];
  [deferring release];
}

/// A class without a superclass.
__attribute__((objc_root_class))
@interface Root
{
  Class isa;
@public
  int count;
}
@end
@implementation Root
+ (void) initialize { }
+ (id) make { return NSAllocateObject(self, 0, NULL); }
- (Class) class { return isa; }
- (BOOL) respondsToSelector: (SEL)selector { return class_getInstanceMethod(isa, selector) != NULL; }
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  count++;
}
@end

static void takenByRoot(void)
{
  Root *root = [Root make];
  watch(account, root, @"balance");
  [account setBalance: 1];
  say("told %d times", root->count);
  [account removeObserver: (id)root forKeyPath: @"balance"];
}

// MARK: - Keys that are tried

/// As programs do that fill objects from dictionaries: nobody observes the key.
static void triesKey(void)
{
  Counter *counter = [Counter new];
  watch(account, counter, @"balance");
  NS_DURING
    [account setValue: @"none" forKey: @"nickname"];
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  [account setValue: @"3" forKey: @"balance"];
  say("told %d times", counter->count);
  [account removeObserver: counter forKeyPath: @"balance"];
  [counter release];
}

/// The same of an object that only GNUstep observes, for a path, and that is observed later.
static void triesKeyOfPath(void)
{
  Counter *counter = [Counter new];
  Owner *owner = [Owner new];
  [account setOwner: owner];
  watch(account, counter, @"owner.name");
  NS_DURING
    [owner setValue: @"none" forKey: @"nickname"];
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  watch(owner, counter, @"name");
  [owner setName: @"Ada"];
  say("told %d times", counter->count);
  [owner removeObserver: counter forKeyPath: @"name"];
  [account removeObserver: counter forKeyPath: @"owner.name"];
  [owner release];
  [counter release];
}

// MARK: - Removals of nothing

/// 1.28 ignores both, and the counter stays registered.
static void removesNil(NSObject *observer, NSString *keyPath)
{
  Counter *counter = [Counter new];
  watch(account, counter, @"balance");
  NS_DURING
    [account removeObserver: observer forKeyPath: keyPath];
    [account removeObserver: observer ? counter : nil forKeyPath: keyPath];
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  [account setBalance: 1];
  say("told %d times", counter->count);
  [account removeObserver: counter forKeyPath: @"balance"];
  [counter release];
}

static void removesNilObserver(void) { removesNil(nil, @"balance"); }

static void removesNilPath(void) { removesNil(account, nil); }

static void removesNilOfNil(void) { removesNil(nil, nil); }

// MARK: - Changes of objects that are not observed yet

/// An account changes inside a change of another, which is observed meanwhile: the changes nest.
static void observedInside(void)
{
  Account *outer = [Account new];
  Counter *counter = [Counter new];
  watch(account, counter, @"note");
  [outer willChangeValueForKey: @"note"];
  [account willChangeValueForKey: @"note"];
  watch(outer, counter, @"balance");
  [account didChangeValueForKey: @"note"];
  [outer setBalance: 1];
  [outer didChangeValueForKey: @"note"];
  say("told %d times", counter->count);
  [outer removeObserver: counter forKeyPath: @"balance"];
  [account removeObserver: counter forKeyPath: @"note"];
  [outer release];
  [counter release];
}

/// The same, and the change of the other never ends.
static void neverEndsOutside(void)
{
  Account *outer = [Account new];
  Counter *counter = [Counter new];
  watch(account, counter, @"note");
  [outer willChangeValueForKey: @"note"];
  [account willChangeValueForKey: @"note"];
  watch(outer, counter, @"balance");
  [account didChangeValueForKey: @"note"];
  [outer removeObserver: counter forKeyPath: @"balance"];
  [account removeObserver: counter forKeyPath: @"note"];
  [outer release];
  [counter release];
}

/// Has every key.
@interface Open : NSObject
@end
@implementation Open
- (id) valueForUndefinedKey: (NSString *)key { return key; }
@end

/// Two keys, of which one is the other up to a zero.
static void zeroInKey(void)
{
  Open *open = [Open new];
  Counter *counter = [Counter new];
  unichar letters[] = { 'a', 'b', 0, 'c' };
  NSString *longer = [NSString stringWithCharacters: letters length: 4];
  watch(open, counter, @"ab");
  watch(open, counter, longer);
  [open willChangeValueForKey: longer];
  [open didChangeValueForKey: longer];
  say("told %d times", counter->count);
  [open removeObserver: counter forKeyPath: @"ab"];
  [open removeObserver: counter forKeyPath: longer];
  [open removeObserver: counter forKeyPath: longer];
  [open release];
  [counter release];
}

/// Is changed by another thread before it lets an observer go.
@interface Hesitant : Account
@end
static Hesitant *hesitant;
static sem_t isLeaving, hasChanged;
@implementation Hesitant
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  sem_post(&isLeaving);
  sem_wait(&hasChanged);
  [super removeObserver: observer forKeyPath: keyPath];
}
@end

static void *changeHesitant(void *unused)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  sem_wait(&isLeaving);
  [hesitant setBalance: 1];
  sem_post(&hasChanged);
  [pool release];
  return NULL;
}

/// The observer is registered until its removal has reached Foundation.
static void notifiedWhileLeaving(void)
{
  pthread_t thread;
  Counter *counter = [Counter new];
  hesitant = [Hesitant new];
  sem_init(&isLeaving, 0, 0);
  sem_init(&hasChanged, 0, 0);
  watch(hesitant, counter, @"balance");
  pthread_create(&thread, NULL, changeHesitant, NULL);
  [hesitant removeObserver: counter forKeyPath: @"balance"];
  pthread_join(thread, NULL);
  say("told %d times", counter->count);
  [hesitant release];
  [counter release];
}

@interface NSObject (Contexts)
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath context: (void *)context;
@end

/// The newer GNUstep raises, and 1.28 has no such method.
static void removesUnderContext(void)
{
  static char right, wrong;
  Counter *counter = [Counter new];
  [account addObserver: counter forKeyPath: @"balance" options: 0 context: &right];
  [account removeObserver: counter forKeyPath: @"balance" context: &wrong];
  [account removeObserver: counter forKeyPath: @"balance" context: &right];
  [counter release];
}

static const struct { const char *name; void (*run)(void); } programs[] = {
  { "removes-deallocated", removesDeallocated },
  { "removes-deallocated-again", removesDeallocatedAgain },
  { "screens-at-one-address", screensAtOneAddress },
  { "careful-at-the-address", carefulAtTheAddress },
  { "sets-in-dealloc", setsInDealloc },
  { "taken-by-category", takenByCategory },
  { "taken-by-root", takenByRoot },
  { "tries-key", triesKey },
  { "tries-key-of-path", triesKeyOfPath },
  { "removes-nil-observer", removesNilObserver },
  { "removes-nil-path", removesNilPath },
  { "removes-nil-of-nil", removesNilOfNil },
  { "observed-inside", observedInside },
  { "never-ends-outside", neverEndsOutside },
  { "zero-in-key", zeroInKey },
  { "removes-under-context", removesUnderContext },
  { "notified-while-leaving", notifiedWhileLeaving },
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
