// Key-value observing under GNUstep: `observing <raw|library> <what> <operations> <scratch folder>
// [live registrations]`. With a library it runs itself anew under that, which writes a log into the
// folder. What: pairs (add and remove), sets (of an observed property), deaths (of objects that nobody
// observes).

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

/// Counts what it is told.
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

static void die(void)
{
  [[Counter alloc] release];
}

/// The Foundation autoreleases what it works with: now and then that is let go, as a program does.
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
  void (*step)(void) = strcmp(what, "pairs") == 0 ? pair : strcmp(what, "sets") == 0 ? set : die;
  if (step == set)
    {
      [account addObserver: counter forKeyPath: @"balance" options: 0 context: NULL];
    }
  repeat(1000, step);
  bench_begin();
  repeat(operations, step);
  bench_end(operations);
  if (step == set)
    {
      if (counter->count != operations + 1000) bench_fail("a change was not told");
      [account removeObserver: counter forKeyPath: @"balance"];
    }
  [pool release];
  return 0;
}
