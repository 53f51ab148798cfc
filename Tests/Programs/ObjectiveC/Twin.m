// The Objective-C half of a comparison: objects with keys of every kind, driven by functions in C.

#import <Foundation/Foundation.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

@interface Twin : NSObject
{
@public
  int number;
  int value;
  int label;
  Twin *next;
  Twin *other;
  NSMutableArray *items;
}
- (int) value;
- (void) setValue: (int)new;
- (int) label;
- (void) setLabel: (int)new;
- (Twin *) next;
- (void) setNext: (Twin *)new;
- (Twin *) other;
- (void) setOther: (Twin *)new;
- (NSArray *) items;
- (void) setItems: (NSArray *)new;
@end

@implementation Twin
+ (void) initialize
{
  if (self != [Twin class]) return;
  [self setKeys: [NSArray arrayWithObject: @"value"]
    triggerChangeNotificationsForDependentKey: @"twice"];
  [self setKeys: [NSArray arrayWithObjects: @"value", @"label", nil]
    triggerChangeNotificationsForDependentKey: @"sum"];
  [self setKeys: [NSArray arrayWithObject: @"next"]
    triggerChangeNotificationsForDependentKey: @"best"];
}
+ (BOOL) automaticallyNotifiesObserversForKey: (NSString *)key
{
  return ![key isEqual: @"label"];
}
- (id) init
{
  if ((self = [super init])) items = [NSMutableArray new];
  return self;
}
- (void) dealloc
{
  [next release];
  [other release];
  [items release];
  [super dealloc];
}
- (int) value { return value; }
- (void) setValue: (int)new { value = new; }
- (int) label { return label; }
- (void) setLabel: (int)new
{
  [self willChangeValueForKey: @"label"];
  label = new;
  [self didChangeValueForKey: @"label"];
}
- (Twin *) next { return next; }
- (void) setNext: (Twin *)new { ASSIGN(next, new); }
- (Twin *) other { return other; }
- (void) setOther: (Twin *)new { ASSIGN(other, new); }
- (int) twice { return value * 2; }
- (int) sum { return value + label; }
- (Twin *) best { return next; }
- (NSArray *) items { return items; }
- (void) setItems: (NSArray *)new
{
  NSMutableArray *copy = [new mutableCopy];
  [items release];
  items = copy;
}
- (NSUInteger) countOfItems { return [items count]; }
- (id) objectInItemsAtIndex: (NSUInteger)index { return [items objectAtIndex: index]; }
- (void) insertObject: (id)item inItemsAtIndex: (NSUInteger)index
{
  [items insertObject: item atIndex: index];
}
- (void) removeObjectFromItemsAtIndex: (NSUInteger)index { [items removeObjectAtIndex: index]; }
@end

#define WITHIN_POOL(statement)                        \
  {                                                   \
    NSAutoreleasePool *pool = [NSAutoreleasePool new]; \
    statement;                                        \
    [pool drain];                                     \
  }

void *twin_make(int number)
{
  Twin *twin;
  WITHIN_POOL(twin = [Twin new])
  twin->number = number;
  return twin;
}

/// Releases what it refers to, without notifications, so that a ring of twins ends.
void twin_cut(void *twin)
{
  WITHIN_POOL(
    DESTROY(((Twin *)twin)->next);
    DESTROY(((Twin *)twin)->other))
}

void twin_release(void *twin) { WITHIN_POOL([(Twin *)twin release]) }
void twin_set_value(void *twin, int value) { WITHIN_POOL([(Twin *)twin setValue: value]) }
void twin_bump(void *twin)
{
  WITHIN_POOL([(Twin *)twin setLabel: [(Twin *)twin label] + 1])
}
void twin_set_next(void *twin, void *next) { WITHIN_POOL([(Twin *)twin setNext: next]) }
void twin_set_other(void *twin, void *other) { WITHIN_POOL([(Twin *)twin setOther: other]) }

/// Sets the items to 0..<count.
void twin_set_items(void *twin, int count)
{
  WITHIN_POOL(
    NSMutableArray *items = [NSMutableArray array];
    for (int item = 0; item < count; item++) [items addObject: [NSNumber numberWithInt: item]];
    [(Twin *)twin setItems: items])
}

void twin_insert(void *twin, int item, int index)
{
  WITHIN_POOL([[(Twin *)twin mutableArrayValueForKey: @"items"]
    insertObject: [NSNumber numberWithInt: item] atIndex: index])
}

void twin_remove(void *twin, int index)
{
  WITHIN_POOL([[(Twin *)twin mutableArrayValueForKey: @"items"] removeObjectAtIndex: index])
}

int twin_item_count(void *twin) { return (int)[((Twin *)twin)->items count]; }

/// Writes what a value of a change is: a number, `n3` for a twin, or the items of an array.
void twin_describe(void *value, char *text, size_t size)
{
  id object = value;
  if ([object isKindOfClass: [Twin class]])
    {
      snprintf(text, size, "n%d", ((Twin *)object)->number);
      return;
    }
  if (![object isKindOfClass: [NSArray class]])
    {
      snprintf(text, size, "%d", [object intValue]);
      return;
    }
  snprintf(text, size, "[");
  for (NSUInteger index = 0; index < [object count]; index++)
    {
      size_t length = strlen(text);
      snprintf(text + length, size - length, "%s%d", index ? ", " : "",
               [[object objectAtIndex: index] intValue]);
    }
  size_t length = strlen(text);
  snprintf(text + length, size - length, "]");
}
