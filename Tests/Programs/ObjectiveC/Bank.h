// The model that the Objective-C programs of the tests share.

#import <Foundation/Foundation.h>

@interface Owner : NSObject
{
  NSString *_name;
}
- (NSString *) name;
- (void) setName: (NSString *)name;
@end

@interface Account : NSObject
{
  int _balance;
  Owner *_owner;
  NSMutableArray *_entries;
  NSString *_note;
  NSMutableSet *_tags;
}
- (int) balance;
- (void) setBalance: (int)balance;
- (Owner *) owner;
- (void) setOwner: (Owner *)owner;
- (NSArray *) entries;
/// Notifies by hand.
- (NSString *) note;
- (void) setNote: (NSString *)note;
- (NSMutableSet *) tags;
@end

/// Prints its notifications.
@interface Screen : NSObject
- (void) watch: (id)object for: (NSString *)keyPath;
- (void) unwatch: (id)object for: (NSString *)keyPath;
@end

/// Counts its notifications.
@interface Counter : NSObject
{
@public
  int count;
}
@end

/// Observes without being able to.
@interface Deaf : NSObject
@end

/// A new account at the address of a deallocated one; ends the program if the allocator returns another address.
Account *newAccountAt(const void *address);

/// Prints a line at once, so that it is there when the program crashes.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
