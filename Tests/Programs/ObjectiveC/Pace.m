// What key-value observing costs, in nanoseconds of the processor: each line a name, how often it was done, and what each took.

#import "Bank.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
  // Other programs of a busy machine do not count.
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

/// Counts what it is told.
@interface Counter : NSObject
{
@public
  long count;
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

static long count = 200000;

static void pairs(Account *account, Counter *counter)
{
  NSAutoreleasePool *pool = nil;
  for (long turn = 0; turn < count; turn++)
    {
      // The Foundation autoreleases what it kept for the observation.
      if (turn % 128 == 0)
        {
          [pool release];
          pool = [NSAutoreleasePool new];
        }
      [account addObserver: counter forKeyPath: @"balance" options: 0 context: NULL];
      [account removeObserver: counter forKeyPath: @"balance"];
    }
  [pool release];
}

static void sets(Account *account, Counter *counter)
{
  NSAutoreleasePool *pool = nil;
  [account addObserver: counter forKeyPath: @"balance" options: 0 context: NULL];
  for (long turn = 0; turn < count; turn++)
    {
      if (turn % 128 == 0)
        {
          [pool release];
          pool = [NSAutoreleasePool new];
        }
      [account setBalance: turn];
    }
  [pool release];
  [account removeObserver: counter forKeyPath: @"balance"];
}

static void deaths(void)
{
  for (long turn = 0; turn < count; turn++) [[Account alloc] release];
}

@interface Plain : NSObject
@end
@implementation Plain
@end

static void plainDeaths(void)
{
  for (long turn = 0; turn < count; turn++) [[Plain alloc] release];
}

int main(int argumentCount, char **arguments)
{
  const char *what = argumentCount > 1 ? arguments[1] : "";
  if (argumentCount > 2) count = atol(arguments[2]);
  long liveCount = argumentCount > 3 ? atol(arguments[3]) : 0;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Account *account = [Account new];
  Counter *counter = [Counter new];
  // Registrations that stay, on objects of their own.
  for (long at = 0; at < liveCount; at++)
    {
      [[Account new] addObserver: counter forKeyPath: @"balance" options: 0 context: NULL];
    }
  for (int round = 0; round < 5; round++)
    {
      NSAutoreleasePool *inner = [NSAutoreleasePool new];
      double began = now();
      if (strcmp(what, "pairs") == 0) pairs(account, counter);
      if (strcmp(what, "sets") == 0) sets(account, counter);
      if (strcmp(what, "plain") == 0) plainDeaths();
      if (strcmp(what, "deaths") == 0) deaths();
      double ended = now();
      [inner release];
      printf("%s %ld %.1f\n", what, count, (ended - began) / count);
    }
  [pool release];
  return 0;
}
