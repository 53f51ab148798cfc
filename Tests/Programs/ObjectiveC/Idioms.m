// What programs do with the runtime and with Foundation's methods besides observing; which one is the argument. The
// last ones have a fault.

#import "Bank.h"

#include <string.h>

static Account *account;
static Screen *screen;

static const char callbackTypes[] = "v@:@@@^v";

static void told(id self, SEL selector, id keyPath, id object, id change, void *context)
{
  say("  told otherwise of %s", [keyPath UTF8String]);
}

// MARK: - Methods that are made when they are first asked for

static id title;
static int askedCount;
static id getTitle(id self, SEL selector) { return title; }
static void setTitle(id self, SEL selector, id value) { ASSIGN(title, value); }

@interface Lazy : NSObject
@end
@interface Lazy (MadeLater)
- (void) setTitle: (id)value;
@end
@implementation Lazy
+ (BOOL) resolveInstanceMethod: (SEL)selector
{
  const char *name = sel_getName(selector);
  askedCount++;
  if (strcmp(name, "title") == 0) return class_addMethod(self, selector, (IMP)getTitle, "@@:");
  if (strcmp(name, "setTitle:") == 0) return class_addMethod(self, selector, (IMP)setTitle, "v@:@");
  return NO;
}
@end

static void makesMethods(void)
{
  Lazy *lazy = [Lazy new];
  [screen watch: lazy for: @"title"];
  say("asked %d times", askedCount);
  [lazy setTitle: @"new"];
  [screen unwatch: lazy for: @"title"];
  say("asked %d times", askedCount);
  [lazy release];
}

// MARK: - Keys

/// Has variables alone, in the forms that key-value coding finds.
@interface Flags : NSObject
{
@public
  BOOL _isOpen, isDone, _hidden, plain;
}
@end
@implementation Flags
@end

static void variablesAlone(void)
{
  Flags *flags = [Flags new];
  NSArray *keys = [@"open done hidden plain" componentsSeparatedByString: @" "];
  for (NSString *key in keys) [screen watch: flags for: key];
  for (NSString *key in keys)
    {
      [flags willChangeValueForKey: key];
      flags->_isOpen = flags->isDone = flags->_hidden = flags->plain = YES;
      [flags didChangeValueForKey: key];
    }
  for (NSString *key in keys) [screen unwatch: flags for: key];
  [flags release];
}

static void watchNumber(void)
{
  id number = [NSNumber numberWithInt: 3];
  NS_DURING
    [account addObserver: screen forKeyPath: number options: 0 context: NULL];
  NS_HANDLER
    say("raised: %s", [[localException reason] UTF8String]);
  NS_ENDHANDLER
}

static void numberAsKey(void)
{
  watchNumber();
  [screen watch: account for: @"balance"];
  [account setBalance: 1];
  [screen unwatch: account for: @"balance"];
}

// MARK: - Additions and removals that do not reach Foundation

/// Adds once, and removes what was added.
@interface Careful : Account
{
  NSMutableSet *known;
}
@end
@implementation Careful
- (NSString *) nameOf: (id)observer for: (NSString *)keyPath
{
  return [NSString stringWithFormat: @"%p %@", observer, keyPath];
}
- (void) addObserver: (NSObject *)observer
          forKeyPath: (NSString *)keyPath
             options: (NSKeyValueObservingOptions)options
             context: (void *)context
{
  if (known == nil) known = [NSMutableSet new];
  NSString *name = [self nameOf: observer for: keyPath];
  if ([known member: name]) return;
  [known addObject: name];
  [super addObserver: observer forKeyPath: keyPath options: options context: context];
}
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  NSString *name = [self nameOf: observer for: keyPath];
  if (![known member: name]) return;
  [known removeObject: name];
  [super removeObserver: observer forKeyPath: keyPath];
}
- (void) dealloc { [known release]; [super dealloc]; }
@end

/// Passes on other strings than it gets.
@interface Copying : Account
@end
@implementation Copying
- (void) addObserver: (NSObject *)observer
          forKeyPath: (NSString *)keyPath
             options: (NSKeyValueObservingOptions)options
             context: (void *)context
{
  keyPath = [NSString stringWithFormat: @"%@", keyPath];
  [super addObserver: observer forKeyPath: keyPath options: options context: context];
}
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  [super removeObserver: observer forKeyPath: [NSString stringWithFormat: @"%@", keyPath]];
}
@end

static void copiesKeys(void)
{
  Copying *copying = [Copying new];
  [screen watch: copying for: @"balance"];
  [copying setBalance: 1];
  [screen unwatch: copying for: @"balance"];
  [copying release];
}

static void guardsItself(void)
{
  Careful *careful = [Careful new];
  [screen unwatch: careful for: @"balance"];
  [screen watch: careful for: @"balance"];
  [screen watch: careful for: @"balance"];
  [careful setBalance: 1];
  [screen unwatch: careful for: @"balance"];
  [screen unwatch: careful for: @"balance"];
  [careful release];
}

/// Never changes, and notifies of its value at once.
@interface Constant : NSObject
@end
@implementation Constant
- (int) value { return 3; }
- (void) addObserver: (NSObject *)observer
          forKeyPath: (NSString *)keyPath
             options: (NSKeyValueObservingOptions)options
             context: (void *)context
{
  [observer observeValueForKeyPath: keyPath ofObject: self change: nil context: context];
}
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath { }
@end

static void neverChanges(void)
{
  Constant *constant = [Constant new];
  Screen *other = [Screen new];
  [screen watch: constant for: @"value"];
  [other watch: constant for: @"value"];
  [other watch: constant for: @"value"];
  [other release];
  [constant release];
}

static IMP addToObject, removeFromObject;
static NSMutableSet *guarded;

static void addOnce(id self, SEL selector, id observer, id keyPath, unsigned long options, void *context)
{
  NSString *name = [NSString stringWithFormat: @"%p %p %@", self, observer, keyPath];
  if ([guarded member: name]) return;
  [guarded addObject: name];
  ((void (*)(id, SEL, id, id, unsigned long, void *))addToObject)(self, selector, observer, keyPath, options, context);
}

static void removeOnce(id self, SEL selector, id observer, id keyPath)
{
  NSString *name = [NSString stringWithFormat: @"%p %p %@", self, observer, keyPath];
  if (![guarded member: name]) return;
  [guarded removeObject: name];
  ((void (*)(id, SEL, id, id))removeFromObject)(self, selector, observer, keyPath);
}

/// Replaces NSObject's methods, as libraries do that prevent crashes.
static void guardsAll(void)
{
  guarded = [NSMutableSet new];
  addToObject = class_replaceMethod([NSObject class], @selector(addObserver:forKeyPath:options:context:),
                                    (IMP)addOnce, "v@:@@L^v");
  removeFromObject = class_replaceMethod([NSObject class], @selector(removeObserver:forKeyPath:),
                                         (IMP)removeOnce, "v@:@@");
  [screen unwatch: account for: @"balance"];
  [screen watch: account for: @"balance"];
  [screen watch: account for: @"balance"];
  [account setBalance: 1];
  [screen unwatch: account for: @"balance"];
  [screen unwatch: account for: @"balance"];
}

// MARK: - Callbacks that are changed while the observer is registered

@interface Heir : Screen
@end
@implementation Heir
@end

static void gainsCallback(void)
{
  Heir *heir = [Heir new];
  SEL selector = @selector(observeValueForKeyPath:ofObject:change:context:);
  [heir watch: account for: @"balance"];
  [account setBalance: 1];
  class_addMethod([Heir class], selector, (IMP)told, callbackTypes);
  [account setBalance: 2];
  class_replaceMethod([Heir class], selector, class_getMethodImplementation([Screen class], selector), callbackTypes);
  [account setBalance: 3];
  [heir unwatch: account for: @"balance"];
  [heir release];
}

static void changesObserversClass(void)
{
  Class other = objc_allocateClassPair([Screen class], "OtherScreen", 0);
  class_addMethod(other, @selector(observeValueForKeyPath:ofObject:change:context:), (IMP)told, callbackTypes);
  objc_registerClassPair(other);
  [screen watch: account for: @"balance"];
  [account setBalance: 1];
  object_setClass(screen, other);
  [account setBalance: 2];
  [screen unwatch: account for: @"balance"];
}

// MARK: - Objects of changed classes

@interface Savings : Account
@end
@implementation Savings
@end

static void changesClassBetween(void)
{
  [screen watch: account for: @"balance"];
  [screen unwatch: account for: @"balance"];
  object_setClass(account, [Savings class]);
  [screen watch: account for: @"balance"];
  [account setBalance: 1];
  [screen unwatch: account for: @"balance"];
}

// MARK: - Exceptions

/// Says its name in its own way.
@interface Loud : NSException
@end
@implementation Loud
- (NSString *) name { say("asked for its name"); return [super name]; }
@end

@interface Brittle : Screen
@end
@implementation Brittle
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  [[[[Loud alloc] initWithName: @"Loud" reason: @"none" userInfo: nil] autorelease] raise];
}
@end

static void namesException(void)
{
  Brittle *brittle = [Brittle new];
  [brittle watch: account for: @"balance"];
  NS_DURING
    [account setBalance: 1];
  NS_HANDLER
    say("raised");
  NS_ENDHANDLER
  [brittle unwatch: account for: @"balance"];
  [brittle release];
}

// MARK: - Faults

/// "Balance" has the setter of "balance", and neither getter nor variable.
static void misspeltByCase(void)
{
  [account addObserver: screen forKeyPath: @"Balance" options: 0 context: NULL];
  [account setBalance: 1];
  [account removeObserver: screen forKeyPath: @"Balance"];
}

static void afterNumber(void)
{
  numberAsKey();
  [screen unwatch: account for: @"balance"];
}

/// The first observer was added before the class changed, the second one after it.
static void changesClass(void)
{
  Screen *other = [Screen new];
  [screen watch: account for: @"note"];
  object_setClass(account, [Savings class]);
  [other watch: account for: @"balance"];
  [screen unwatch: account for: @"note"];
  [other unwatch: account for: @"balance"];
  [other release];
}

@interface Counted : Account
@end
@implementation Counted
- (void) removeObserver: (NSObject *)observer forKeyPath: (NSString *)keyPath
{
  [super removeObserver: observer forKeyPath: keyPath];
}
@end

static void overridesAndRemovesTwice(void)
{
  Counted *counted = [Counted new];
  [screen watch: counted for: @"balance"];
  [screen unwatch: counted for: @"balance"];
  [screen unwatch: counted for: @"balance"];
  [counted release];
}

static const struct { const char *name; void (*run)(void); } programs[] = {
  { "makes-methods", makesMethods },
  { "variables-alone", variablesAlone },
  { "number-as-key", numberAsKey },
  { "copies-keys", copiesKeys },
  { "guards-itself", guardsItself },
  { "never-changes", neverChanges },
  { "guards-all", guardsAll },
  { "gains-callback", gainsCallback },
  { "changes-observers-class", changesObserversClass },
  { "changes-class-between", changesClassBetween },
  { "names-exception", namesException },
  { "misspelt-by-case", misspeltByCase },
  { "after-number", afterNumber },
  { "changes-class", changesClass },
  { "overrides-and-removes-twice", overridesAndRemovesTwice },
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
