// Random programs of key-value observing: `Random SEED COUNT [FAULT]`.
//
// Each of COUNT programs, from SEED on, is correct: what is added is removed before either object is deallocated, once,
// under one context. With FAULT the last one makes that fault somewhere in its middle, with objects of its own. Worlds
// do not share objects: each thread of a program has its own, and prints what it was told when it is over.

#import "Bank.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { cellCount = 6, watcherCount = 5, keyCount = 4, stepCount = 120, threadCount = 3 };

static NSString *const keys[keyCount] = { @"value", @"label", @"twice", @"next.value" };

@interface Cell : NSObject
{
  int value;
  NSString *label;
  Cell *next;
}
- (int) value;
- (void) setValue: (int)new;
- (void) setLabel: (NSString *)new;
- (void) setNext: (Cell *)new;
@end

@implementation Cell
+ (void) initialize
{
  if (self == [Cell class])
    {
      [self setKeys: [NSArray arrayWithObject: @"value"]
        triggerChangeNotificationsForDependentKey: @"twice"];
    }
}
- (void) dealloc
{
  [label release];
  [next release];
  [super dealloc];
}
- (int) value { return value; }
- (void) setValue: (int)new { value = new; }
- (int) twice { return value * 2; }
- (NSString *) label { return label; }
- (void) setLabel: (NSString *)new
{
  [self willChangeValueForKey: @"label"];
  ASSIGN(label, new);
  [self didChangeValueForKey: @"label"];
}
- (Cell *) next { return next; }
- (void) setNext: (Cell *)new { ASSIGN(next, new); }
@end

typedef struct World World;

/// Records its notifications, and may change another object.
@interface Watcher : NSObject
{
@public
  World *world;
  int number;
  Cell *echo;
  BOOL isBrittle;
}
@end

struct World
{
  uint64_t state;
  Cell *cells[cellCount];
  Watcher *watchers[watcherCount];
  BOOL isRegistered[cellCount][watcherCount][keyCount];
  NSMutableString *told;
  const char *fault;
};

@implementation Watcher
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  if (isBrittle) [NSException raise: @"Brittle" format: @"told of %@", keyPath];
  BOOL isPrior = [change objectForKey: NSKeyValueChangeNotificationIsPriorKey] != nil;
  [world->told appendFormat: @" %d%@%s=%d", number, keyPath, isPrior ? "?" : "",
    [(Cell *)object value]];
  // Not in the middle of a notification of what it would change.
  BOOL isPath = [keyPath rangeOfString: @"."].location != NSNotFound;
  if (echo && echo != object && !isPath) [echo setValue: [echo value] + 1];
}
@end

static uint32_t pick(World *world, uint32_t limit)
{
  world->state = world->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(world->state >> 33) % limit;
}

static Watcher *newWatcher(World *world, int number)
{
  Watcher *watcher = [Watcher new];
  watcher->world = world;
  watcher->number = number;
  return watcher;
}

static void removeOne(World *world, int cell, int watcher, int key)
{
  if (!world->isRegistered[cell][watcher][key]) return;
  world->isRegistered[cell][watcher][key] = NO;
  [world->cells[cell] removeObserver: world->watchers[watcher] forKeyPath: keys[key]];
}

static void add(World *world)
{
  int cell = pick(world, cellCount), watcher = pick(world, watcherCount), key = pick(world, keyCount);
  if (world->isRegistered[cell][watcher][key]) return;
  NSKeyValueObservingOptions options = pick(world, 16);
  // 1.28 does not notify a path's observer before a change or initially of what it notifies others.
  if (key == 3) options &= NSKeyValueObservingOptionNew | NSKeyValueObservingOptionOld;
  world->isRegistered[cell][watcher][key] = YES;
  [world->cells[cell] addObserver: world->watchers[watcher]
                       forKeyPath: keys[key]
                          options: options
                          context: world->watchers[watcher]];
}

static void freeCell(World *world, int cell)
{
  for (int watcher = 0; watcher < watcherCount; watcher++)
    for (int key = 0; key < keyCount; key++) removeOne(world, cell, watcher, key);
}

static void freeWatcher(World *world, int watcher)
{
  for (int cell = 0; cell < cellCount; cell++)
    for (int key = 0; key < keyCount; key++) removeOne(world, cell, watcher, key);
}

static void step(World *world)
{
  int at = pick(world, cellCount);
  Cell *cell = world->cells[at];
  int number = pick(world, watcherCount);
  switch (pick(world, 12))
    {
      case 0: case 1: case 2: add(world); break;
      case 3: case 4: removeOne(world, at, number, pick(world, keyCount)); break;
      case 5: case 6: [cell setValue: pick(world, 100)]; break;
      case 7: [cell setLabel: [NSString stringWithFormat: @"%u", pick(world, 100)]]; break;
      case 8:
        [cell willChangeValueForKey: @"label"];
        [cell setValue: pick(world, 100)];
        [cell didChangeValueForKey: @"label"];
        break;
      case 9:
        freeWatcher(world, number);
        [world->watchers[number] release];
        world->watchers[number] = newWatcher(world, number);
        // Only towards later cells, so that no change comes back to its own callback.
        if (pick(world, 3) == 0 && at == cellCount - 1) world->watchers[number]->echo = cell;
        break;
      case 10:
        // The last is changed by others, and what leads to it must stay.
        if (at == cellCount - 1) break;
        for (int other = 0; other < cellCount; other++) freeCell(world, other);
        for (int other = 0; other < cellCount; other++) [world->cells[other] setNext: nil];
        [cell release];
        world->cells[at] = [Cell new];
        break;
      case 11: if (at + 1 < cellCount) [cell setNext: world->cells[at + 1]]; break;
    }
}

// MARK: - Faults, with objects of their own

static void removeTwice(Cell *cell, Watcher *watcher)
{
  [cell addObserver: watcher forKeyPath: @"value" options: 0 context: NULL];
  [cell removeObserver: watcher forKeyPath: @"value"];
  [cell removeObserver: watcher forKeyPath: @"value"];
}

static void removeNever(Cell *cell, Watcher *watcher)
{
  [cell removeObserver: watcher forKeyPath: @"value"];
}

static void observedDies(Cell *cell, Watcher *watcher)
{
  [cell addObserver: watcher forKeyPath: @"value" options: 0 context: NULL];
}

static void observerDies(Cell *cell, Watcher *watcher)
{
  [cell addObserver: watcher forKeyPath: @"value" options: 0 context: NULL];
}

static void addTwice(Cell *cell, Watcher *watcher)
{
  // On one line: two call sites that observe with one context are another fault.
  for (int turn = 0; turn < 2; turn++)
    {
      [cell addObserver: watcher forKeyPath: @"value" options: 0 context: NULL];
    }
  [cell removeObserver: watcher forKeyPath: @"value"];
}

static void displace(Cell *cell, Watcher *watcher)
{
  [cell addObserver: watcher forKeyPath: @"value" options: 0 context: cell];
  [cell addObserver: watcher forKeyPath: @"value" options: 0 context: watcher];
  [cell removeObserver: watcher forKeyPath: @"value"];
}

static void endOnly(Cell *cell, Watcher *watcher)
{
  [cell addObserver: watcher forKeyPath: @"label" options: 0 context: NULL];
  [cell didChangeValueForKey: @"label"];
  [cell removeObserver: watcher forKeyPath: @"label"];
}

static void beginOnly(Cell *cell, Watcher *watcher)
{
  [cell addObserver: watcher forKeyPath: @"label" options: 0 context: NULL];
  [cell willChangeValueForKey: @"label"];
  [cell removeObserver: watcher forKeyPath: @"label"];
}

static void addInside(Cell *cell, Watcher *watcher)
{
  [cell willChangeValueForKey: @"label"];
  [cell addObserver: watcher forKeyPath: @"label" options: 0 context: NULL];
  [cell didChangeValueForKey: @"label"];
  [cell removeObserver: watcher forKeyPath: @"label"];
}

static void raiseInside(Cell *cell, Watcher *watcher)
{
  [cell addObserver: watcher forKeyPath: @"value" options: 0 context: NULL];
  watcher->isBrittle = YES;
  NS_DURING
    [cell setValue: 1];
  NS_HANDLER
  NS_ENDHANDLER
  [cell removeObserver: watcher forKeyPath: @"value"];
}

static void misspell(Cell *cell, Watcher *watcher)
{
  [cell addObserver: watcher forKeyPath: @"valeu" options: 0 context: NULL];
  [cell removeObserver: watcher forKeyPath: @"valeu"];
}

static const struct { const char *name; void (*make)(Cell *, Watcher *); } faults[] = {
  { "removed-twice", removeTwice }, { "never-added", removeNever },
  { "observed-dies", observedDies }, { "observer-dies", observerDies },
  { "added-twice", addTwice }, { "displaced", displace }, { "end-only", endOnly },
  { "begin-only", beginOnly }, { "added-inside", addInside }, { "raised", raiseInside },
  { "misspelt", misspell },
};

static void makeFault(World *world)
{
  Cell *cell = [Cell new];
  Watcher *watcher = newWatcher(world, 99);
  BOOL isObserver = strcmp(world->fault, "observer-dies") == 0;
  for (size_t at = 0; at < sizeof faults / sizeof *faults; at++)
    {
      if (strcmp(world->fault, faults[at].name) == 0) faults[at].make(cell, watcher);
    }
  [isObserver ? (id)watcher : (id)cell release];
  [isObserver ? (id)cell : (id)watcher release];
}

// MARK: - Worlds

static void *run(void *argument)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  World *world = argument;
  world->told = [NSMutableString new];
  for (int at = 0; at < cellCount; at++) world->cells[at] = [Cell new];
  for (int at = 0; at < watcherCount; at++) world->watchers[at] = newWatcher(world, at);
  int faulty = pick(world, stepCount);
  for (int at = 0; at < stepCount; at++)
    {
      if (world->fault && at == faulty) makeFault(world);
      step(world);
    }
  for (int at = 0; at < cellCount; at++) freeCell(world, at);
  for (int at = 0; at < cellCount; at++) [world->cells[at] release];
  for (int at = 0; at < watcherCount; at++) [world->watchers[at] release];
  [pool release];
  return NULL;
}

/// 1.28 makes a class for each observed one, and setters in it, and other threads must not use it at that time.
static void prepare(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  World world = { .told = [NSMutableString string] };
  Cell *cell = [Cell new];
  Watcher *watcher = newWatcher(&world, 0);
  [cell setNext: cell];
  for (int key = 0; key < keyCount; key++)
    {
      [cell addObserver: watcher forKeyPath: keys[key] options: 0 context: NULL];
      [cell removeObserver: watcher forKeyPath: keys[key]];
    }
  [cell addObserver: watcher forKeyPath: @"next" options: 0 context: NULL];
  [cell removeObserver: watcher forKeyPath: @"next"];
  [cell setNext: nil];
  [watcher release];
  [cell release];
  [pool release];
}

int main(int count, char **arguments)
{
  prepare();
  uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
  uint64_t programCount = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
  for (uint64_t program = 0; program < programCount; program++)
    {
      World worlds[threadCount];
      pthread_t threads[threadCount];
      memset(worlds, 0, sizeof worlds);
      for (int at = 0; at < threadCount; at++)
        {
          worlds[at].state = (seed + program) * 1000003 + at;
        }
      if (count > 3 && program + 1 == programCount) worlds[0].fault = arguments[3];
      for (int at = 1; at < threadCount; at++) pthread_create(&threads[at], NULL, run, &worlds[at]);
      run(&worlds[0]);
      for (int at = 1; at < threadCount; at++) pthread_join(threads[at], NULL);
      NSAutoreleasePool *pool = [NSAutoreleasePool new];
      for (int at = 0; at < threadCount; at++)
        {
          say("%llu.%d:%s", (unsigned long long)(seed + program), at, [worlds[at].told UTF8String]);
          [worlds[at].told release];
        }
      [pool release];
    }
  return 0;
}
