// A plug-in of Panels.m that never removes its observer.

#import <Foundation/Foundation.h>

@interface CarelessPanel : NSObject
@end

@implementation CarelessPanel
- (id) initWithAccount: (NSObject *)account
{
  if ((self = [super init]) == nil) return nil;
  [account addObserver: self forKeyPath: @"balance" options: 0 context: NULL];
  return self;
}
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
}
@end
