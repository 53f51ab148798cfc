// Key-value observing under GNUstep: `observing <raw|library> <what> <operations> <scratch folder> [live
// registrations]`. With a library it runs itself again with that preloaded, which writes a log into the
// folder. What: pairs (add and remove), sets (of an observed property), deaths (deallocations of objects
// that are not observed). deep-pairs, deep-sets, middle-sets: of a path through one object, set at its end
// or in its middle. dependent-pairs, dependent-sets: of a key that depends on the one that is set.

#import <Foundation/Foundation.h>

#include <string.h>
#include <unistd.h>

#include "driver.h"

@interface Account : NSObject
{
  int _balance;
}
- (int) balance;
- (void) setBalance: (int)balance;
@end
@implementation Account
- (int) balance { return _balance; }
- (void) setBalance: (int)balance { _balance = balance; }
@end

/// Has an object on the path to the balance, and a key that depends on its own property.
@interface Holder : NSObject
{
  Account *_account;
  int _first;
}
- (Account *) account;
- (void) setAccount: (Account *)account;
- (int) first;
- (void) setFirst: (int)first;
- (int) sum;
@end
@implementation Holder
+ (void) initialize
{
  // GNUstep does not call keyPathsForValuesAffectingSum.
  [self setKeys: [NSArray arrayWithObject: @"first"]
    triggerChangeNotificationsForDependentKey: @"sum"];
}
- (Account *) account { return _account; }
- (void) setAccount: (Account *)account { ASSIGN(_account, account); }
- (int) first { return _first; }
- (void) setFirst: (int)first { _first = first; }
- (int) sum { return _first; }
@end

/// Counts its notifications.
@interface Counter : NSObject
{
@public
  uint64_t count;
}
@end
@implementation Counter
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  count++;
}
@end

static Account *account;
static Counter *counter;

static void pair(void)
{
  [account addObserver: counter forKeyPath: @"balance" options: 0 context: NULL];
  [account removeObserver: counter forKeyPath: @"balance"];
}

static void set(void)
{
  [account setBalance: (int)counter->count];
}

static Holder *holder;
static Account *others[2];

static void deepPair(void)
{
  [holder addObserver: counter forKeyPath: @"account.balance" options: 0 context: NULL];
  [holder removeObserver: counter forKeyPath: @"account.balance"];
}

static void middleSet(void)
{
  [holder setAccount: others[counter->count & 1]];
}

static void dependentPair(void)
{
  [holder addObserver: counter forKeyPath: @"sum" options: 0 context: NULL];
  [holder removeObserver: counter forKeyPath: @"sum"];
}

static void dependentSet(void)
{
  [holder setFirst: (int)counter->count];
}

static void die(void)
{
  [[Counter alloc] release];
}

/// The Foundation autoreleases its temporary objects: they are released from time to time, as in a program.
static void repeat(uint64_t count, void (*step)(void))
{
  for (uint64_t done = 0; done < count;)
    {
      NSAutoreleasePool *pool = [NSAutoreleasePool new];
      for (int at = 0; at < 128 && done < count; at++, done++) step();
      [pool release];
    }
}

static void run_under(const char *library, const char *folder, char **arguments)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/observing.kvolog", folder);
  setenv("LD_PRELOAD", library, 1);
  setenv("KVO_SAFETY_LOG", path, 1);
  execv("/proc/self/exe", arguments);
  bench_fail("execv");
}

int main(int argumentCount, char **arguments)
{
  if (argumentCount < 5) bench_fail("usage: observing raw|library what operations folder [live]");
  const char *library = arguments[1];
  const char *what = arguments[2];
  if (strcmp(library, "raw") != 0 && getenv("LD_PRELOAD") == NULL)
    {
      run_under(library, arguments[4], arguments);
    }
  uint64_t operations = strtoull(arguments[3], NULL, 10);
  uint64_t liveCount = argumentCount > 5 ? strtoull(arguments[5], NULL, 10) : 0;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  account = [Account new];
  counter = [Counter new];
  for (uint64_t at = 0; at < liveCount; at++)
    {
      [[Account new] addObserver: counter forKeyPath: @"balance" options: 0 context: NULL];
    }
  holder = [Holder new];
  [holder setAccount: account];
  others[0] = account;
  others[1] = [Account new];
  const struct {
    const char *what;
    void (*step)(void);
    /// The observed object and its key path; nil: none, or each operation observes itself.
    id subject;
    NSString *path;
  } steps[] = {
      {"pairs", pair, nil, nil},
      {"sets", set, account, @"balance"},
      {"deaths", die, nil, nil},
      {"deep-pairs", deepPair, nil, nil},
      {"deep-sets", set, holder, @"account.balance"},
      {"middle-sets", middleSet, holder, @"account.balance"},
      {"dependent-pairs", dependentPair, nil, nil},
      {"dependent-sets", dependentSet, holder, @"sum"},
  };
  size_t at = 0;
  while (strcmp(steps[at].what, what) != 0)
    {
      if (++at == sizeof steps / sizeof *steps) bench_fail("nothing is called so");
    }
  [steps[at].subject addObserver: counter forKeyPath: steps[at].path options: 0 context: NULL];
  repeat(1000, steps[at].step);
  bench_begin();
  repeat(operations, steps[at].step);
  bench_end(operations);
  if (steps[at].subject != nil)
    {
      if (counter->count != operations + 1000) bench_fail("a change was not delivered");
      [steps[at].subject removeObserver: counter forKeyPath: steps[at].path];
    }
  [pool release];
  return 0;
}
