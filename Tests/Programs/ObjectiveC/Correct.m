// Correct programs that are easily misjudged; which one is the argument. None of them has a finding of its own.

#import "Bank.h"

#include <pthread.h>
#include <string.h>

static Account *account;
static Screen *screen;

/// Does little, and is waited for.
@interface Task : NSOperation
@end
@implementation Task
- (void) main { }
@end

/// Two batches on one queue, and a dependency that is taken back: GNUstep's own classes observe each other.
static void operations(void)
{
  NSOperationQueue *queue = [NSOperationQueue new];
  for (int round = 0; round < 2; round++)
    {
      NSMutableArray *batch = [NSMutableArray array];
      for (int at = 0; at < 4; at++) [batch addObject: AUTORELEASE([Task new])];
      [queue addOperations: batch waitUntilFinished: YES];
    }
  Task *first = [Task new], *second = [Task new];
  [second addDependency: first];
  [second removeDependency: first];
  [second addDependency: first];
  [queue addOperations: [NSArray arrayWithObjects: second, first, nil] waitUntilFinished: YES];
  say("done: %d, %d", [first isFinished], [second isFinished]);
  // Nothing is released: GNUstep 1.28 crashes now and then, recorded or not, when a queue goes while its threads end.
}

/// The method is called like any other.
static void byHand(void)
{
  [screen watch: account for: @"balance"];
  [account setBalance: 1];
  [screen unwatch: account for: @"balance"];
  [screen observeValueForKeyPath: @"balance" ofObject: account change: nil context: NULL];
  say("called");
}

/// Forwards its notifications, by its own change.
@interface Link : Screen
{
@public
  Account *next;
}
@end
@implementation Link
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  [next setBalance: [(Account *)object balance]];
}
@end

#define LINK_COUNT 600

/// A change that leads to a change, 600 deep.
static void deep(void)
{
  Account *accounts[LINK_COUNT];
  Link *links[LINK_COUNT];
  for (int at = 0; at < LINK_COUNT; at++) accounts[at] = [Account new];
  for (int at = 0; at < LINK_COUNT; at++)
    {
      links[at] = [Link new];
      links[at]->next = at + 1 < LINK_COUNT ? accounts[at + 1] : nil;
      [links[at] watch: accounts[at] for: @"balance"];
    }
  [accounts[0] setBalance: 7];
  [accounts[0] setBalance: 8];
  say("the last balance is %d", [accounts[LINK_COUNT - 1] balance]);
  for (int at = 0; at < LINK_COUNT; at++)
    {
      [links[at] unwatch: accounts[at] for: @"balance"];
      [links[at] release];
      [accounts[at] release];
    }
}

static int reportedCount;

static void count(id self, SEL selector, id keyPath, id object, id change, void *context)
{
  reportedCount++;
}

/// More classes of observers, each with its own method, than a handwritten program would have.
static void manyClasses(void)
{
  enum { classCount = 1500 };
  SEL selector = @selector(observeValueForKeyPath:ofObject:change:context:);
  const char *types =
    method_getTypeEncoding(class_getInstanceMethod([Screen class], selector));
  for (int at = 0; at < classCount; at++)
    {
      Class class = objc_allocateClassPair([NSObject class],
        [[NSString stringWithFormat: @"Counter%d", at] UTF8String], 0);
      class_addMethod(class, selector, (IMP)count, types);
      objc_registerClassPair(class);
      NSObject *observer = [class new];
      [account addObserver: observer forKeyPath: @"balance" options: 0 context: NULL];
      [account setBalance: at];
      [account removeObserver: observer forKeyPath: @"balance"];
      [observer release];
    }
  say("told %d times", reportedCount);
}

/// Refuses the first value.
@interface Wary : Screen
{
  int told;
}
@end
@implementation Wary
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  if (told++ == 0) [NSException raise: @"TooEarly" format: @"nothing is ready"];
  say("  told at %d", [(Account *)object balance]);
}
@end

/// An initial callback raises: the observation stays, and is removed.
static void initialRaises(void)
{
  Wary *wary = [Wary new];
  NS_DURING
    [account addObserver: wary
              forKeyPath: @"balance"
                 options: NSKeyValueObservingOptionInitial
                 context: NULL];
  NS_HANDLER
    say("raised: %s", [[localException name] UTF8String]);
  NS_ENDHANDLER
  [account setBalance: 3];
  [wary unwatch: account for: @"balance"];
  [account setBalance: 4];
  [wary release];
}

/// A node whose next is itself.
@interface Ring : NSObject
{
  int value, other;
}
@end
@implementation Ring
- (Ring *) next { return self; }
- (int) value { return value; }
- (void) setValue: (int)new { value = new; }
- (int) other { return other; }
- (void) setOther: (int)new { other = new; }
@end

/// Key paths of 1,500 bytes that differ in their last letters alone.
static void longPaths(void)
{
  NSMutableString *path = [NSMutableString string];
  while ([path length] < 1500) [path appendString: @"next."];
  NSString *value = [path stringByAppendingString: @"value"];
  NSString *other = [path stringByAppendingString: @"other"];
  Ring *ring = [Ring new];
  [screen watch: (id)ring for: value];
  [screen watch: (id)ring for: other];
  [screen unwatch: (id)ring for: value];
  [screen unwatch: (id)ring for: other];
  say("a path of %d characters", (int)[value length]);
  [ring release];
}

static void *watchNote(void *unused)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  [screen watch: account for: @"note"];
  [pool release];
  return NULL;
}

static void *unwatchNote(void *unused)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  [screen unwatch: account for: @"note"];
  [pool release];
  return NULL;
}

static void elsewhere(void *(*act)(void *))
{
  pthread_t thread;
  pthread_create(&thread, NULL, act, NULL);
  pthread_join(thread, NULL);
}

/// The first observer is added on another thread, and is notified, or removed before the change ends.
static void addedElsewhere(void)
{
  [account willChangeValueForKey: @"note"];
  elsewhere(watchNote);
  [account didChangeValueForKey: @"note"];
  [account setNote: @"told later"];
  elsewhere(unwatchNote);
  [account release];
  account = [Account new];
  [account willChangeValueForKey: @"note"];
  elsewhere(watchNote);
  elsewhere(unwatchNote);
  [account didChangeValueForKey: @"note"];
  elsewhere(watchNote);
  [account setNote: @"told at once"];
  elsewhere(unwatchNote);
}

/// An unobserved account is deallocated in a change, and the next one has its address.
static void addressAgain(void)
{
  void *address = account;
  [account willChangeValueForKey: @"note"];
  [account release];
  account = newAccountAt(address);
  [screen watch: account for: @"note"];
  [account setNote: @"told"];
  [screen unwatch: account for: @"note"];
}

/// Registers observers itself, on what it holds.
@interface Register : NSObject
{
@public
  Owner *held;
}
@end
@implementation Register
- (NSString *) name { return [held name]; }
- (void) addObserver: (NSObject *)observer
          forKeyPath: (NSString *)keyPath
             options: (NSKeyValueObservingOptions)options
             context: (void *)context
{
  [held addObserver: observer forKeyPath: keyPath options: options context: context];
}
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  [held removeObserver: observer forKeyPath: keyPath];
}
@end

/// A path leads through an object that registers observers elsewhere.
static void throughRegister(void)
{
  Register *between = [Register new];
  between->held = [Owner new];
  [account setOwner: (Owner *)between];
  [screen watch: account for: @"owner.name"];
  [between->held setName: @"Ada"];
  [between->held setName: @"Grace"];
  [screen unwatch: account for: @"owner.name"];
  [account setOwner: nil];
  [between->held release];
  [between release];
}

/// Notifies of what depends on its value itself, too.
@interface Announcer : NSObject
{
  int value;
}
@end
@implementation Announcer
+ (NSSet *) keyPathsForValuesAffectingDouble { return [NSSet setWithObject: @"value"]; }
- (int) value { return value; }
- (int) double { return 2 * value; }
- (void) step
{
  [self willChangeValueForKey: @"value"];
  [self willChangeValueForKey: @"double"];
  value++;
  [self didChangeValueForKey: @"value"];
  [self didChangeValueForKey: @"double"];
}
@end

/// Of a dependent key that has a change of its own, inside that of the key that it depends on.
static void ownDependency(void)
{
  Announcer *announcer = [Announcer new];
  [screen watch: (id)announcer for: @"double"];
  [announcer step];
  [announcer step];
  [screen unwatch: (id)announcer for: @"double"];
  [announcer release];
}

/// Stands for another object, which it does not keep.
@interface Stand : NSProxy
{
@public
  id target;
}
@end
@implementation Stand
- (NSMethodSignature *) methodSignatureForSelector: (SEL)selector
{
  return [target methodSignatureForSelector: selector];
}
- (void) forwardInvocation: (NSInvocation *)invocation { [invocation invokeWithTarget: target]; }
@end

/// Is notified only through others, and never registered itself.
@interface Behind : Screen
@end
@implementation Behind
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  say("  behind: %d", [(Account *)object balance]);
}
@end

/// A proxy is registered, and what it stands for is of a class that never is.
static void behindProxy(void)
{
  Stand *stand = [Stand alloc];
  stand->target = [Behind new];
  [account addObserver: (id)stand forKeyPath: @"balance" options: 0 context: NULL];
  [account setBalance: 1];
  [account setBalance: 2];
  [account removeObserver: (id)stand forKeyPath: @"balance"];
  [stand->target release];
  [stand release];
}

/// Takes no balance below zero, and corrects it silently.
@interface PatientAccount : Account
@end
@implementation PatientAccount
- (void) setBalance: (int)balance
{
  NS_DURING
    if (balance < 0) [NSException raise: @"Picky" format: @"%d", balance];
    [super setBalance: balance];
  NS_HANDLER
    say("refused: %s", [[localException reason] UTF8String]);
  NS_ENDHANDLER
}
@end

/// An exception that does not leave the setter in which it was raised: the change ends.
static void setterCatches(void)
{
  Account *patient = [PatientAccount new];
  [screen watch: patient for: @"balance"];
  for (int balance = 2; balance >= -1; balance--) [patient setBalance: balance];
  [screen unwatch: patient for: @"balance"];
  [patient release];
}

static const struct { const char *name; void (*run)(void); } programs[] = {
  { "operations", operations },
  { "by-hand", byHand },
  { "deep", deep },
  { "many-classes", manyClasses },
  { "initial-raises", initialRaises },
  { "long-paths", longPaths },
  { "added-elsewhere", addedElsewhere },
  { "address-again", addressAgain },
  { "through-register", throughRegister },
  { "own-dependency", ownDependency },
  { "behind-proxy", behindProxy },
  { "setter-catches", setterCatches },
};

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  account = [Account new];
  screen = [Screen new];
  for (size_t at = 0; at < sizeof programs / sizeof *programs; at++)
    {
      if (count > 1 && strcmp(arguments[1], programs[at].name) == 0) programs[at].run();
    }
  [pool release];
  say("done");
  return 0;
}
