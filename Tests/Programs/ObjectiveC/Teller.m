// What a program without Objective-C calls to have objects of the model: functions in C.

#import "Bank.h"

#define WITHIN_POOL(statement)                        \
  {                                                   \
    NSAutoreleasePool *pool = [NSAutoreleasePool new]; \
    statement;                                        \
    [pool release];                                   \
  }

void *teller_account(void)
{
  void *account;
  WITHIN_POOL(account = [Account new])
  return account;
}

void *teller_array(void)
{
  void *array;
  WITHIN_POOL(array = [NSArray new])
  return array;
}

void teller_release(void *object) { WITHIN_POOL([(id)object release]) }

void teller_set_balance(void *account, int balance)
{
  WITHIN_POOL([(Account *)account setBalance: balance])
}

void teller_set_owner(void *account, const char *name)
{
  WITHIN_POOL(
    Owner *owner = AUTORELEASE([Owner new]);
    [owner setName: [NSString stringWithUTF8String: name]];
    [(Account *)account setOwner: owner])
}

/// The owner, retained.
void *teller_owner(void *account) { return RETAIN([(Account *)account owner]); }

void teller_rename(void *owner, const char *name)
{
  WITHIN_POOL([(Owner *)owner setName: [NSString stringWithUTF8String: name]])
}

void teller_enter(void *account, const char *text)
{
  WITHIN_POOL([[(Account *)account mutableArrayValueForKey: @"entries"]
    addObject: [NSString stringWithUTF8String: text]])
}

/// Whether the Foundation has any observer of the object.
int teller_is_observed(void *object) { return [(id)object observationInfo] != NULL; }

/// Adds an observer in Objective-C, which removes twice what it added once.
void teller_watch(void *account)
{
  WITHIN_POOL(
    Screen *screen = [Screen new];
    [screen watch: (id)account for: @"balance"];
    [screen unwatch: (id)account for: @"balance"];
    [screen unwatch: (id)account for: @"balance"];
    [screen release])
}
