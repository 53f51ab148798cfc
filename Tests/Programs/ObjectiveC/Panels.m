// An application with plug-ins: loads the bundles that its arguments name, and shows each of them one account.

#import "Bank.h"

@protocol Panel
- (id) initWithAccount: (Account *)account;
@end

int main(int count, char **arguments)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Account *account = [Account new];
  NSMutableArray *panels = [NSMutableArray new];
  for (int at = 1; at < count; at++)
    {
      NSString *path = [NSString stringWithUTF8String: arguments[at]];
      NSBundle *bundle = [NSBundle bundleWithPath: path];
      Class class = [bundle principalClass];
      id panel = [[class alloc] initWithAccount: account];
      say("%s: %s", [[path lastPathComponent] UTF8String], [NSStringFromClass(class) UTF8String]);
      [panels addObject: panel];
      [panel release];
    }
  [account setBalance: 1];
  [panels release];
  say("done");
  [pool release];
  return 0;
}
