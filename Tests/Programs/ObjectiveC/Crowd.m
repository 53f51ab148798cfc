// Many objects, each with an observer of its own: `Crowd COUNT TURNS [keep|fault]`. With `keep` the observers stay to
// the end; with `fault` each is removed twice.

#import "Bank.h"

#include <stdlib.h>
#include <string.h>

static long told;

/// Counts the notifications of all.
@interface Listener : NSObject
@end
@implementation Listener
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  told++;
}
@end

int main(int argumentCount, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  int count = atoi(arguments[1]), turnCount = atoi(arguments[2]);
  const char *how = argumentCount > 3 ? arguments[3] : "";
  Account **accounts = calloc(count, sizeof *accounts);
  Listener **listeners = calloc(count, sizeof *listeners);
  for (int at = 0; at < count; at++)
    {
      accounts[at] = [Account new];
      listeners[at] = [Listener new];
      [accounts[at] addObserver: listeners[at] forKeyPath: @"balance" options: 0 context: accounts[at]];
    }
  for (int turn = 0; turn < turnCount; turn++)
    {
      for (int at = 0; at < count; at++) [accounts[at] setBalance: turn];
    }
  if (strcmp(how, "keep") != 0)
    {
      for (int at = 0; at < count; at++)
        {
          [accounts[at] removeObserver: listeners[at] forKeyPath: @"balance"];
          if (strcmp(how, "fault") == 0) [accounts[at] removeObserver: listeners[at] forKeyPath: @"balance"];
          [accounts[at] release];
          [listeners[at] release];
        }
    }
  say("%ld notifications", told);
  [pool release];
  return 0;
}
