#import "Bank.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  fflush(stdout);
}

@implementation Owner
- (NSString *) name { return _name; }
- (void) setName: (NSString *)name { ASSIGN(_name, name); }
- (void) dealloc { RELEASE(_name); [super dealloc]; }
@end

@implementation Account
- (id) init
{
  if ((self = [super init]))
    {
      _entries = [NSMutableArray new];
      _tags = [NSMutableSet new];
    }
  return self;
}
- (void) dealloc
{
  RELEASE(_owner);
  RELEASE(_entries);
  RELEASE(_note);
  RELEASE(_tags);
  [super dealloc];
}
+ (void) initialize
{
  if (self != [Account class]) return;
  [self setKeys: [NSArray arrayWithObject: @"balance"]
    triggerChangeNotificationsForDependentKey: @"summary"];
}
+ (BOOL) automaticallyNotifiesObserversForKey: (NSString *)key { return ![key isEqual: @"note"]; }
- (int) balance { return _balance; }
- (void) setBalance: (int)balance { _balance = balance; }
- (Owner *) owner { return _owner; }
- (void) setOwner: (Owner *)owner { ASSIGN(_owner, owner); }
- (NSString *) summary { return [NSString stringWithFormat: @"%d left", _balance]; }
- (NSArray *) entries { return _entries; }
- (NSUInteger) countOfEntries { return [_entries count]; }
- (id) objectInEntriesAtIndex: (NSUInteger)index { return [_entries objectAtIndex: index]; }
- (void) insertObject: (id)entry inEntriesAtIndex: (NSUInteger)index
{
  [_entries insertObject: entry atIndex: index];
}
- (void) removeObjectFromEntriesAtIndex: (NSUInteger)index
{
  [_entries removeObjectAtIndex: index];
}
- (NSMutableSet *) tags { return _tags; }
- (NSString *) note { return _note; }
- (void) setNote: (NSString *)note
{
  [self willChangeValueForKey: @"note"];
  ASSIGN(_note, note);
  [self didChangeValueForKey: @"note"];
}
@end

@implementation Screen
- (void) watch: (id)object for: (NSString *)keyPath
{
  [object addObserver: self
           forKeyPath: keyPath
              options: NSKeyValueObservingOptionNew | NSKeyValueObservingOptionOld
              context: NULL];
}
- (void) unwatch: (id)object for: (NSString *)keyPath
{
  [object removeObserver: self forKeyPath: keyPath];
}
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  id value = [change objectForKey: NSKeyValueChangeNewKey];
  id kind = [change objectForKey: NSKeyValueChangeKindKey];
  BOOL isPrior = [change objectForKey: NSKeyValueChangeNotificationIsPriorKey] != nil;
  NSString *text = [[[value description]
    componentsSeparatedByCharactersInSet: [NSCharacterSet whitespaceAndNewlineCharacterSet]]
    componentsJoinedByString: @""];
  say("  told of %s of %s: kind %s%s, new %s", [keyPath UTF8String],
      class_getName([object class]), [[kind description] UTF8String], isPrior ? ", prior" : "",
      value ? [text UTF8String] : "none");
}
@end

@implementation Deaf
@end

Account *newAccountAt(const void *address)
{
  enum { tryCount = 100 };
  Account *others[tryCount];
  Account *found = nil;
  int count = 0;
  while (found == nil && count < tryCount)
    {
      Account *account = [Account new];
      if ((const void *)account == address) found = account;
      else others[count++] = account;
    }
  while (count > 0) [others[--count] release];
  if (found == nil) exit(99);
  return found;
}

@implementation Counter
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  count++;
}
@end
