// Observers that are removed while an object is freed: the runtime then calls what releases its variables, as ARC and
// C++ generate it. And getters that set what they return. Which one is the argument.

#import "Bank.h"

#import <objc/runtime.h>
#include <string.h>

static void watch(id object, id observer, NSString *keyPath)
{
  [object addObserver: observer forKeyPath: keyPath options: 0 context: NULL];
}

/// Removes an observer when it is deallocated.
@interface Remover : NSObject
{
@public
  id subject, observer;
  int times;
}
@end
@implementation Remover
- (void) dealloc
{
  for (int turn = 0; turn < times; turn++) [subject removeObserver: observer forKeyPath: @"balance"];
  say("removed");
  [super dealloc];
}
@end

/// Their variables are released after their -dealloc.
@interface HeldAccount : Account
{
@public
  id first, second;
}
@end
@implementation HeldAccount
@end

@interface HeldCounter : Counter
{
@public
  id first, second;
}
@end
@implementation HeldCounter
@end

static void destroyAccount(HeldAccount *self, SEL selector)
{
  [self->first release];
  [self->second release];
}

static void destroyCounter(HeldCounter *self, SEL selector)
{
  [self->first release];
  [self->second release];
}

static id makeRemover(id subject, id observer, int times)
{
  Remover *remover = [Remover new];
  remover->subject = subject;
  remover->observer = observer;
  remover->times = times;
  return remover;
}

/// Removed in time.
static void removesWhenFreed(void)
{
  HeldAccount *account = [HeldAccount new];
  Counter *counter = [Counter new];
  account->first = makeRemover(account, counter, 1);
  watch(account, counter, @"balance");
  [account setBalance: 1];
  [account release];
  say("told %d times", counter->count);
  [counter release];
}

/// Each has the address of the one before.
static void removesAtOneAddress(void)
{
  Counter *counter = [Counter new];
  for (int at = 0; at < 3; at++)
    {
      HeldAccount *account = [HeldAccount new];
      account->first = makeRemover(account, counter, 1);
      watch(account, counter, @"balance");
      [account setBalance: at];
      [account release];
    }
  say("told %d times", counter->count);
  [counter release];
}

/// One of two is left.
static void removesOneWhenFreed(void)
{
  HeldAccount *account = [HeldAccount new];
  Counter *counter = [Counter new], *other = [Counter new];
  account->first = makeRemover(account, counter, 1);
  watch(account, counter, @"balance");
  watch(account, other, @"balance");
  [account release];
  [counter release];
  [other release];
}

static void removesTwiceWhenFreed(void)
{
  HeldAccount *account = [HeldAccount new];
  Counter *counter = [Counter new];
  account->first = makeRemover(account, counter, 2);
  watch(account, counter, @"balance");
  [account release];
  [counter release];
}

/// The observer is the one that is freed.
static void observerRemovesWhenFreed(void)
{
  Account *account = [Account new], *other = [Account new];
  HeldCounter *counter = [HeldCounter new];
  counter->first = makeRemover(account, counter, 1);
  counter->second = makeRemover(other, counter, 1);
  watch(account, counter, @"balance");
  watch(other, counter, @"balance");
  [counter release];
  [account setBalance: 1];
  [account release];
  [other release];
}

static void observerRemovesOneWhenFreed(void)
{
  Account *account = [Account new], *other = [Account new];
  HeldCounter *counter = [HeldCounter new];
  counter->first = makeRemover(account, counter, 1);
  watch(account, counter, @"balance");
  watch(other, counter, @"balance");
  [counter release];
  [account setBalance: 1];
  [account release];
}

/// The account holds its observer, and both are freed at once.
static void bothRemoveWhenFreed(void)
{
  HeldAccount *account = [HeldAccount new];
  HeldCounter *counter = [HeldCounter new];
  Counter *other = [Counter new];
  account->first = counter;
  account->second = makeRemover(account, other, 1);
  counter->first = makeRemover(account, counter, 1);
  watch(account, counter, @"balance");
  watch(account, other, @"balance");
  [account release];
  [other release];
}

// MARK: - Getters

/// Makes its owner when it is asked for.
@interface LazyAccount : Account
@end
@implementation LazyAccount
- (Owner *) owner
{
  if (_owner == nil) [self setOwner: [[Owner new] autorelease]];
  return _owner;
}
@end

/// 1.28 reads the new value, and makes the change that the getter makes a part of the one that it notifies of.
static void getterSets(void)
{
  Account *account = [LazyAccount new];
  Counter *counter = [Counter new];
  watch(account, counter, @"owner");
  [account setOwner: nil];
  [account setOwner: nil];
  say("told %d times", counter->count);
  [account removeObserver: counter forKeyPath: @"owner"];
  [counter release];
  [account release];
}

static const struct { const char *name; void (*run)(void); } programs[] = {
  { "removes-when-freed", removesWhenFreed },
  { "removes-at-one-address", removesAtOneAddress },
  { "removes-one-when-freed", removesOneWhenFreed },
  { "removes-twice-when-freed", removesTwiceWhenFreed },
  { "observer-removes-when-freed", observerRemovesWhenFreed },
  { "observer-removes-one-when-freed", observerRemovesOneWhenFreed },
  { "both-remove-when-freed", bothRemoveWhenFreed },
  { "getter-sets", getterSets },
};

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  SEL selector = sel_registerName(".cxx_destruct");
  class_addMethod([HeldAccount class], selector, (IMP)destroyAccount, "v@:");
  class_addMethod([HeldCounter class], selector, (IMP)destroyCounter, "v@:");
  for (size_t at = 0; at < sizeof programs / sizeof *programs; at++)
    {
      if (count > 1 && strcmp(arguments[1], programs[at].name) == 0) programs[at].run();
    }
  [pool release];
  say("done");
  return 0;
}
