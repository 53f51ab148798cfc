// One fault of key-value observing per run; the name of it is the argument.

#import "Bank.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static Account *account;
static Screen *screen;

static void observerDies(void)
{
  [screen watch: account for: @"balance"];
  [screen release];
  say("the screen is gone");
  // The memory of the screen has a new owner.
  for (int at = 0; at < 64; at++) memset(malloc(24), 0x5a, 24);
  [account setBalance: 5];
  say("the balance is %d", [account balance]);
}

static void observerDiesUnchanged(void)
{
  [screen watch: account for: @"balance"];
  [screen release];
  say("the screen is gone");
}

static void pathObserverDies(void)
{
  Owner *owner = [Owner new];
  [account setOwner: owner];
  [screen watch: account for: @"owner.name"];
  [screen release];
  for (int at = 0; at < 64; at++) memset(malloc(24), 0x5a, 24);
  [owner setName: @"Ada"];
  say("the owner is %s", [[owner name] UTF8String]);
}

static void pathOfTheDead(void)
{
  Owner *owner = [Owner new];
  [account setOwner: owner];
  [screen watch: account for: @"owner.name"];
  [owner release];
  // The account releases its owner without a notification.
  [owner release];
  say("the owner is gone");
  for (int at = 0; at < 64; at++) memset(malloc(24), 0x5a, 24);
  [screen release];
  for (int at = 0; at < 64; at++) memset(malloc(24), 0x5a, 24);
  say("the screen is gone");
}

static void observedDies(void)
{
  [screen watch: account for: @"balance"];
  [account release];
  say("the account is gone");
}

static void removedTwice(void)
{
  [screen watch: account for: @"balance"];
  [screen unwatch: account for: @"balance"];
  [screen unwatch: account for: @"balance"];
  say("removed twice");
}

static void neverAdded(void)
{
  [screen unwatch: account for: @"balance"];
  say("removed what never was");
}

static void addedTwice(void)
{
  [screen watch: account for: @"balance"];
  [screen watch: account for: @"balance"];
  [account setBalance: 1];
  [screen unwatch: account for: @"balance"];
  [account setBalance: 2];
  say("added twice");
}

static void addedTwiceWithPath(void)
{
  [account setOwner: AUTORELEASE([Owner new])];
  [screen watch: account for: @"owner.name"];
  [screen watch: account for: @"owner.name"];
  [screen unwatch: account for: @"owner.name"];
  say("removed");
  [[account owner] setName: @"Bo"];
  say("added twice by a path");
}

@interface NSObject (Newer)
- (void) removeObserver: (NSObject *)observer
             forKeyPath: (NSString *)keyPath
                context: (void *)context;
@end

static void removedByContext(void)
{
  static char context;
  [account addObserver: screen forKeyPath: @"balance" options: 0 context: &context];
  [account removeObserver: screen forKeyPath: @"balance" context: &context];
  say("removed by context");
}

static void deaf(void)
{
  Deaf *observer = [Deaf new];
  [account addObserver: (id)observer forKeyPath: @"balance" options: 0 context: NULL];
  [account setBalance: 3];
  say("the balance is %d", [account balance]);
  [account removeObserver: (id)observer forKeyPath: @"balance"];
}

static void nilPath(void)
{
  [account addObserver: screen forKeyPath: nil options: 0 context: NULL];
  say("added with a nil key path");
  [account setBalance: 4];
}

static void emptyPath(void)
{
  [account addObserver: screen forKeyPath: @"" options: 0 context: NULL];
  say("added with an empty key path");
}

static void unknownKey(void)
{
  NS_DURING
    [account addObserver: screen
              forKeyPath: @"nothing.name"
                 options: 0
                 context: NULL];
  NS_HANDLER
    say("refused: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  [screen unwatch: account for: @"balance"];
}

static void array(void)
{
  NS_DURING
    [screen watch: [NSArray array] for: @"count"];
  NS_HANDLER
    say("refused: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
}

static void unbalanced(void)
{
  [screen watch: account for: @"note"];
  [account didChangeValueForKey: @"note"];
  [screen unwatch: account for: @"note"];
  say("changed without a beginning");
}

static void addedWhileChanging(void)
{
  [screen watch: account for: @"balance"];
  [account willChangeValueForKey: @"note"];
  [screen watch: account for: @"note"];
  [account didChangeValueForKey: @"note"];
  [screen unwatch: account for: @"note"];
  [screen unwatch: account for: @"balance"];
  say("added while it changed");
}

@interface SavingsAccount : Account
@end
@implementation SavingsAccount
@end

static void classChanged(void)
{
  [screen watch: account for: @"balance"];
  object_setClass(account, [SavingsAccount class]);
  [screen unwatch: account for: @"balance"];
  say("the account is a %s", class_getName([account class]));
}

/// Removes itself as soon as it is notified.
@interface Hasty : Screen
@end
@implementation Hasty
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  [object removeObserver: self forKeyPath: keyPath];
}
@end

static void removedWhileInitial(void)
{
  Hasty *hasty = [Hasty new];
  [account addObserver: hasty
            forKeyPath: @"balance"
               options: NSKeyValueObservingOptionInitial
               context: NULL];
  say("removed while it was added");
}

static void leaked(void)
{
  uint64_t (*begin)(const char *) = dlsym(RTLD_DEFAULT, "kvo_safety_scope_begin");
  void (*end)(uint64_t) = dlsym(RTLD_DEFAULT, "kvo_safety_scope_end");
  uint64_t scope = begin ? begin("opening the screen") : 0;
  [screen watch: account for: @"balance"];
  if (end) end(scope);
  say("the screen was opened");
  [screen unwatch: account for: @"balance"];
}

/// Holds up who removes: two that remove meet in it.
@interface SlowAccount : Account
@end

typedef struct { Account *account; Screen *screen; } Removal;

static pthread_barrier_t bothInside;
static pthread_t otherThread;
/// What another thread removes as soon as the first removal is inside.
static Removal *otherRemoval;
static id dying;

static void *removeOnThread(void *removal);

@implementation SlowAccount
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  Removal *other = otherRemoval;
  otherRemoval = NULL;
  if (other) pthread_create(&otherThread, NULL, removeOnThread, other);
  pthread_barrier_wait(&bothInside);
  // The object that was being deallocated at that time no longer exists.
  if (dying == self)
    {
      pthread_barrier_wait(&bothInside);
      return;
    }
  // One after the other: 1.28 sometimes crashes if both change the class of the object at once.
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&turn);
  NS_DURING
    [super removeObserver: observer forKeyPath: keyPath];
  NS_HANDLER
    pthread_mutex_unlock(&turn);
    [localException raise];
  NS_ENDHANDLER
  pthread_mutex_unlock(&turn);
}
@end

static void *removeOnThread(void *argument)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Removal *removal = argument;
  [removal->screen unwatch: removal->account for: @"balance"];
  [pool release];
  return NULL;
}

/// Removes on this thread and on another, which are inside of it at one time.
static void removeTogether(Removal *first, Removal *second)
{
  pthread_barrier_init(&bothInside, NULL, 2);
  otherRemoval = second;
  removeOnThread(first);
  pthread_join(otherThread, NULL);
}

static void removedByTwoThreads(void)
{
  Account *slow = [SlowAccount new];
  [screen watch: slow for: @"balance"];
  Removal removal = { slow, screen };
  removeTogether(&removal, &removal);
  say("both removed it");
}

static void removedSideBySide(void)
{
  Account *slow = [SlowAccount new];
  Screen *other = [Screen new];
  [screen watch: slow for: @"balance"];
  [other watch: slow for: @"balance"];
  Removal removal = { slow, screen }, second = { slow, other };
  removeTogether(&removal, &second);
  say("each removed its own");
}

static void removedWhileDying(void)
{
  Account *slow = [SlowAccount new];
  [screen watch: slow for: @"balance"];
  Removal removal = { slow, screen };
  pthread_barrier_init(&bothInside, NULL, 2);
  dying = slow;
  pthread_create(&otherThread, NULL, removeOnThread, &removal);
  pthread_barrier_wait(&bothInside);
  [slow release];
  pthread_barrier_wait(&bothInside);
  pthread_join(otherThread, NULL);
  say("it died while it was removed");
}

/// Changes what it observes, as soon as it is notified.
@interface Restless : Screen
@end
@implementation Restless
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  say("  told at %d", [object balance]);
  if ([object balance] < 20) [object setBalance: [object balance] + 1];
}
@end

static void changedInside(void)
{
  Restless *restless = [Restless new];
  [restless watch: account for: @"balance"];
  [account setBalance: 1];
  [restless unwatch: account for: @"balance"];
  say("the balance is %d", [account balance]);
}

static const struct { const char *name; void (*run)(void); } faults[] = {
  { "observer-dies", observerDies },
  { "observer-dies-unchanged", observerDiesUnchanged },
  { "path-observer-dies", pathObserverDies },
  { "path-of-the-dead", pathOfTheDead },
  { "observed-dies", observedDies },
  { "removed-twice", removedTwice },
  { "never-added", neverAdded },
  { "added-twice", addedTwice },
  { "added-twice-with-path", addedTwiceWithPath },
  { "removed-by-context", removedByContext },
  { "deaf", deaf },
  { "nil-path", nilPath },
  { "empty-path", emptyPath },
  { "unknown-key", unknownKey },
  { "array", array },
  { "unbalanced", unbalanced },
  { "added-while-changing", addedWhileChanging },
  { "class-changed", classChanged },
  { "removed-while-initial", removedWhileInitial },
  { "leaked", leaked },
  { "removed-by-two-threads", removedByTwoThreads },
  { "removed-side-by-side", removedSideBySide },
  { "removed-while-dying", removedWhileDying },
  { "changed-inside", changedInside },
};

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  account = [Account new];
  screen = [Screen new];
  for (size_t at = 0; at < sizeof faults / sizeof *faults; at++)
    {
      if (count > 1 && strcmp(arguments[1], faults[at].name) == 0) faults[at].run();
    }
  [pool release];
  say("done");
  return 0;
}
