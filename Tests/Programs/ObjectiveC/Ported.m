// What code that is ported from Apple's systems does with key-value observing, one way per run; the name of it is the
// argument. The first ways are correct.

#import "Bank.h"

#include <pthread.h>
#include <string.h>

static Account *account;

/// Prints its notifications, or does something else.
@interface Sink : NSObject
{
@public
  int told;
  void (*act)(Sink *, NSString *, id, void *);
}
@end
@implementation Sink
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  told++;
  if (act) act(self, keyPath, object, context);
}
@end

// MARK: A controller that observes for others, as KVOController does

@interface Controller : NSObject
{
  NSMutableArray *infos;
}
@end
@implementation Controller
- (id) init
{
  if ((self = [super init])) infos = [NSMutableArray new];
  return self;
}
- (void) observe: (id)object keyPath: (NSString *)keyPath
{
  NSArray *info = [NSArray arrayWithObjects: object, keyPath, nil];
  for (NSArray *each in infos) if ([each isEqual: info]) return;
  [infos addObject: info];
  [object addObserver: self forKeyPath: keyPath options: NSKeyValueObservingOptionInitial context: info];
}
- (void) unobserveAll
{
  for (NSArray *info in infos)
    [[info objectAtIndex: 0] removeObserver: self forKeyPath: [info objectAtIndex: 1]];
  [infos removeAllObjects];
}
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  say("  %s of %s", [keyPath UTF8String], class_getName([object class]));
}
- (void) dealloc
{
  [self unobserveAll];
  [infos release];
  [super dealloc];
}
@end

static void controller(void)
{
  Controller *controller = [Controller new];
  Owner *owner = [Owner new];
  [account setOwner: owner];
  for (int turn = 0; turn < 2; turn++)
    {
      [controller observe: account keyPath: @"balance"];
      [controller observe: account keyPath: @"owner.name"];
      [controller observe: owner keyPath: @"name"];
    }
  [owner setName: @"Ada"];
  [controller unobserveAll];
  [controller observe: account keyPath: @"balance"];
  [account setBalance: 2];
  [controller release];
  [owner release];
}

// MARK: A list that observes its elements, as an array controller does

@interface List : Sink
@end
@implementation List
- (void) takeFrom: (NSDictionary *)change sign: (int)sign
{
  id key = sign < 0 ? NSKeyValueChangeOldKey : NSKeyValueChangeNewKey;
  for (Owner *each in [change objectForKey: key])
    {
      if (sign < 0) [each removeObserver: self forKeyPath: @"name"];
      else [each addObserver: self forKeyPath: @"name" options: 0 context: self];
    }
}
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  told++;
  if (context == self) return;
  int kind = [[change objectForKey: NSKeyValueChangeKindKey] intValue];
  if (kind != NSKeyValueChangeInsertion) [self takeFrom: change sign: -1];
  if (kind != NSKeyValueChangeRemoval) [self takeFrom: change sign: 1];
}
@end

static void list(void)
{
  List *list = [List new];
  NSMutableArray *entries = [account mutableArrayValueForKey: @"entries"];
  [account addObserver: list
            forKeyPath: @"entries"
               options: NSKeyValueObservingOptionNew | NSKeyValueObservingOptionOld
               context: NULL];
  for (int at = 0; at < 3; at++) [entries addObject: AUTORELEASE([Owner new])];
  [[entries objectAtIndex: 1] setName: @"Ada"];
  while ([entries count] > 0) [entries removeObjectAtIndex: 0];
  [account removeObserver: list forKeyPath: @"entries"];
  say("told %d times", list->told);
  [list release];
}

// MARK: Bindings in both ways

static Account *bound;

static void copyBalance(Sink *sink, NSString *keyPath, id object, void *context)
{
  id other = object == account ? bound : account;
  if (![[other valueForKey: keyPath] isEqual: [object valueForKey: keyPath]])
    [other setValue: [object valueForKey: keyPath] forKey: keyPath];
}

static void binding(void)
{
  Sink *binder = [Sink new];
  binder->act = copyBalance;
  bound = [Account new];
  [account addObserver: binder forKeyPath: @"balance" options: 0 context: NULL];
  [bound addObserver: binder forKeyPath: @"balance" options: 0 context: NULL];
  [account setBalance: 3];
  [bound setBalance: 4];
  say("%d and %d, told %d times", [account balance], [bound balance], binder->told);
  [account removeObserver: binder forKeyPath: @"balance"];
  [bound removeObserver: binder forKeyPath: @"balance"];
  [binder release];
  [bound release];
}

// MARK: An operation that says itself when it is finished

@interface Fetch : NSOperation
{
  BOOL isDone;
}
@end
@implementation Fetch
- (BOOL) isConcurrent { return YES; }
- (BOOL) isFinished { return isDone; }
- (void) start
{
  [self willChangeValueForKey: @"isFinished"];
  isDone = YES;
  [self didChangeValueForKey: @"isFinished"];
}
@end

static void operation(void)
{
  Sink *sink = [Sink new];
  Fetch *fetch = [Fetch new];
  [fetch addObserver: sink forKeyPath: @"isFinished" options: 0 context: sink];
  [fetch start];
  [fetch removeObserver: sink forKeyPath: @"isFinished"];
  say("told %d times", sink->told);
  [fetch release];
  [sink release];
}

static void defaults(void)
{
  Sink *sink = [Sink new];
  NSUserDefaults *defaults = [NSUserDefaults standardUserDefaults];
  [defaults addObserver: sink forKeyPath: @"theme" options: 0 context: NULL];
  [defaults setObject: @"dark" forKey: @"theme"];
  [defaults removeObjectForKey: @"theme"];
  [defaults removeObserver: sink forKeyPath: @"theme"];
  [sink release];
  say("the theme is %s", [[[defaults objectForKey: @"theme"] description] UTF8String]);
}

// MARK: A cell that is used again

@interface Cell : Sink
{
  Account *model;
}
@end
@implementation Cell
- (void) show: (Account *)new
{
  [model removeObserver: self forKeyPath: @"balance"];
  ASSIGN(model, new);
  [model addObserver: self forKeyPath: @"balance" options: NSKeyValueObservingOptionInitial context: NULL];
}
- (void) dealloc
{
  [self show: nil];
  [super dealloc];
}
@end

static void cell(void)
{
  Cell *cell = [Cell new];
  for (int row = 0; row < 4; row++)
    {
      Account *model = [Account new];
      [cell show: model];
      [model setBalance: row];
      [model release];
    }
  say("told %d times", cell->told);
  [cell release];
}

static void leaveAtOnce(Sink *sink, NSString *keyPath, id object, void *context)
{
  [object removeObserver: sink forKeyPath: keyPath];
}

static void once(void)
{
  Sink *sink = [Sink new];
  sink->act = leaveAtOnce;
  [account addObserver: sink forKeyPath: @"balance" options: 0 context: NULL];
  [account setBalance: 1];
  [account setBalance: 2];
  say("told %d times", sink->told);
  [sink release];
}

// MARK: A model that a worker changes, and a screen that counts on the main thread

static void *work(void *argument)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  for (int at = 0; at < 100; at++) [(Account *)argument setBalance: at];
  [pool release];
  return NULL;
}

static void worker(void)
{
  Sink *sink = [Sink new];
  pthread_t thread;
  [account addObserver: sink forKeyPath: @"balance" options: 0 context: NULL];
  pthread_create(&thread, NULL, work, account);
  pthread_join(thread, NULL);
  [account removeObserver: sink forKeyPath: @"balance"];
  say("told %d times", sink->told);
  [sink release];
}

// MARK: - Faults

/// Both the class and its superclass observe the same key, each by a context of its own.
static void contexts(void)
{
  static char base, derived;
  Sink *sink = [Sink new];
  [account addObserver: sink forKeyPath: @"balance" options: 0 context: &base];
  [account addObserver: sink forKeyPath: @"balance" options: 0 context: &derived];
  [account setBalance: 1];
  [account removeObserver: sink forKeyPath: @"balance"];
  [account removeObserver: sink forKeyPath: @"balance"];
  [sink release];
}

/// Disappears, and goes; the exception of the second removal is swallowed, as people do.
static void swallowed(void)
{
  Sink *sink = [Sink new];
  [account addObserver: sink forKeyPath: @"balance" options: 0 context: NULL];
  for (int turn = 0; turn < 2; turn++)
    {
      NS_DURING
        [account removeObserver: sink forKeyPath: @"balance"];
      NS_HANDLER
      NS_ENDHANDLER
    }
  [sink release];
  say("swallowed");
}

/// Created again for each row, and never removed.
static void rows(void)
{
  for (int row = 0; row < 3; row++)
    {
      Sink *sink = [Sink new];
      [account addObserver: sink forKeyPath: @"balance" options: 0 context: NULL];
      [sink release];
    }
  say("the rows are gone");
}

/// Returns early from a setter that has begun its change.
@interface Early : Account
@end
@implementation Early
- (void) setNote: (NSString *)note
{
  [self willChangeValueForKey: @"note"];
  if ([note length] == 0) return;
  [super setNote: note];
  [self didChangeValueForKey: @"note"];
}
@end

static void early(void)
{
  Sink *sink = [Sink new];
  Early *model = [Early new];
  [model addObserver: sink forKeyPath: @"note" options: 0 context: NULL];
  [model setNote: @"one"];
  [model setNote: @""];
  [model removeObserver: sink forKeyPath: @"note"];
  [model release];
  [sink release];
  say("returned early");
}

/// A job that has finished while its progress is still observed, and that does not change after that.
static void abandoned(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Sink *sink = [Sink new];
  Account *job = [Account new];
  [job addObserver: sink forKeyPath: @"balance" options: 0 context: NULL];
  [job setBalance: 100];
  [job release];
  [pool release];
  [sink release];
  say("abandoned");
}

static const struct { const char *name; void (*run)(void); } ways[] = {
  { "controller", controller }, { "list", list }, { "binding", binding }, { "operation", operation },
  { "defaults", defaults }, { "cell", cell }, { "once", once }, { "worker", worker },
  { "contexts", contexts }, { "swallowed", swallowed }, { "rows", rows }, { "early", early },
  { "abandoned", abandoned },
};

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  account = [Account new];
  for (size_t at = 0; at < sizeof ways / sizeof *ways; at++)
    {
      if (count > 1 && strcmp(arguments[1], ways[at].name) == 0) ways[at].run();
    }
  [account release];
  [pool release];
  say("done");
  return 0;
}
