// Additions that raise; which one is the argument. Keys that are not ASCII raise in GNUstep 1.28.

#import "Bank.h"

#include <stdlib.h>
#include <string.h>

static Screen *screen;

/// Has a key that is not ASCII, and a balance that raises and catches.
@interface ForeignAccount : Account
{
@public
  BOOL ends;
}
@end

/// Ends the program far below the frame of its caller.
static void __attribute__((noinline)) endDeep(void)
{
  volatile char frame[16384];
  memset((char *)frame, 1, sizeof frame);
  say("done: %d", frame[9]);
  exit(0);
}

@implementation ForeignAccount
- (id) valueForUndefinedKey: (NSString *)key { return [NSNumber numberWithInt: 1]; }
- (int) balance
{
  NS_DURING
    [NSException raise: @"Empty" format: @"no balance"];
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  if (ends) endDeep();
  return 1;
}
@end

static void watch(Account *account, NSString *key)
{
  [account addObserver: screen
            forKeyPath: key
               options: NSKeyValueObservingOptionNew | NSKeyValueObservingOptionInitial
               context: NULL];
}

static NSString *foreignKey(void) { return [NSString stringWithUTF8String: "gr\xc3\xb6\xc3\x9f" "e"]; }

/// The program catches what its addition raised.
static void caught(void)
{
  NS_DURING
    watch([ForeignAccount new], foreignKey());
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  endDeep();
}

/// Its balance raises.
@interface ClosedAccount : Account
@end

@implementation ClosedAccount
- (int) balance
{
  [NSException raise: @"Closed" format: @"no balance"];
  return 0;
}
@end

/// The getter of the observed key raises.
static void getter(void)
{
  NS_DURING
    watch([ClosedAccount new], @"balance");
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  endDeep();
}

/// A getter raises and catches in the addition, which is carried out.
static void inside(void)
{
  ForeignAccount *account = [ForeignAccount new];
  watch(account, @"balance");
  [account removeObserver: screen forKeyPath: @"balance"];
  endDeep();
}

/// The getter then ends the program.
static void endsInside(void)
{
  ForeignAccount *account = [ForeignAccount new];
  account->ends = YES;
  watch(account, @"balance");
}

static void endAbruptly(NSException *exception)
{
  say("uncaught: %s", [[exception name] UTF8String]);
  abort();
}

/// Nothing catches the exception, and the program's handler aborts.
static void aborts(void)
{
  NSSetUncaughtExceptionHandler(endAbruptly);
  watch([ForeignAccount new], foreignKey());
}

/// The same of an exception that is not an addition's.
static void abortsLater(void)
{
  NSSetUncaughtExceptionHandler(endAbruptly);
  ForeignAccount *account = [ForeignAccount new];
  watch(account, @"balance");
  [account removeObserver: screen forKeyPath: @"balance"];
  [NSException raise: @"Late" format: @"after the addition"];
}

int main(int count, char **arguments)
{
  [NSAutoreleasePool new];
  screen = [Screen new];
  const char *what = count > 1 ? arguments[1] : "";
  if (strcmp(what, "caught") == 0) caught();
  if (strcmp(what, "getter") == 0) getter();
  if (strcmp(what, "inside") == 0) inside();
  if (strcmp(what, "ends-inside") == 0) endsInside();
  if (strcmp(what, "aborts") == 0) aborts();
  if (strcmp(what, "aborts-later") == 0) abortsLater();
  return 1;
}
