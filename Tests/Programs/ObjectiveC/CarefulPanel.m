// A plug-in of Panels.m that removes its observers; one of them stays with the application.

#import <Foundation/Foundation.h>

@interface CarefulPanel : NSObject
{
  NSObject *account;
}
@end

@implementation CarefulPanel
- (id) initWithAccount: (NSObject *)anAccount
{
  if ((self = [super init]) == nil) return nil;
  account = [anAccount retain];
  [account addObserver: self forKeyPath: @"balance" options: 0 context: NULL];
  // For as long as the application runs.
  [account addObserver: [[self class] class] forKeyPath: @"owner" options: 0 context: NULL];
  return self;
}
- (void) dealloc
{
  [account removeObserver: self forKeyPath: @"balance"];
  [account release];
  [super dealloc];
}
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
}
@end
