// Many threads that add and remove, each on objects of its own and on one that all share.

#import "Bank.h"

#include <pthread.h>
#include <stdlib.h>

static Account *shared;
static int turnCount = 50;

static void *work(void *number)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Account *account = [Account new];
  Counter *counter = [Counter new];
  Counter *other = [Counter new];
  for (int turn = 0; turn < turnCount; turn++)
    {
      [account addObserver: counter forKeyPath: @"balance" options: 0 context: NULL];
      [shared addObserver: other forKeyPath: @"note" options: 0 context: NULL];
      [account setBalance: turn];
      [account removeObserver: counter forKeyPath: @"balance"];
      [shared removeObserver: other forKeyPath: @"note"];
    }
  long seen = counter->count;
  [account release];
  [counter release];
  [other release];
  [pool release];
  return (void *)seen;
}

int main(int count, char **arguments)
{
  int threadCount = count > 1 ? atoi(arguments[1]) : 64;
  if (count > 2) turnCount = atoi(arguments[2]);
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  [NSThread detachNewThreadSelector: @selector(class) toTarget: [NSObject class] withObject: nil];
  shared = [Account new];
  Counter *steady = [Counter new];
  // So that the shared account is observed throughout: 1.28 loses observers that are added while another
  // thread removes the last one.
  [shared addObserver: steady forKeyPath: @"note" options: 0 context: NULL];
  pthread_t threads[256];
  long seen = 0;
  for (int at = 0; at < threadCount; at++) pthread_create(&threads[at], NULL, work, NULL);
  for (int at = 0; at < threadCount; at++)
    {
      void *result;
      pthread_join(threads[at], &result);
      seen += (long)result;
    }
  [shared removeObserver: steady forKeyPath: @"note"];
  say("%ld changes were told", seen);
  [steady release];
  [shared release];
  [pool release];
  return 0;
}
