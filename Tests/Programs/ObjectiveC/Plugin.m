// Is loaded by Host.c or LateHost.m: classes and a category that come late.

#import <Foundation/Foundation.h>

@interface Meter : NSObject
{
  int _reading;
}
- (int) reading;
- (void) setReading: (int)reading;
@end
@implementation Meter
- (int) reading { return _reading; }
- (void) setReading: (int)reading { _reading = reading; }
@end

/// Is observed in a way of its own: it never asks super.
@interface Closed : NSObject
@end
@implementation Closed
- (void) addObserver: (NSObject *)observer
          forKeyPath: (NSString *)keyPath
             options: (NSKeyValueObservingOptions)options
             context: (void *)context
{
  printf("closed: nobody observes %s\n", [keyPath UTF8String]);
}
@end

@interface Dial : NSObject
@end
@implementation Dial
@end

/// What makes a dial an observer comes in a category.
@interface Dial (Observing)
@end
@implementation Dial (Observing)
- (void) observeValueForKeyPath: (NSString *)keyPath
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  printf("the dial moves: %s\n", [keyPath UTF8String]);
}
@end

void run_plugin(void)
{
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Meter *meter = [Meter new];
  Dial *dial = [Dial new];
  [meter addObserver: dial forKeyPath: @"reading" options: 0 context: NULL];
  [meter setReading: 1];
  [dial release];
  Dial *gone = [Dial new];
  void *address = gone;
  [gone release];
  gone = [Dial new];
  printf("memory is %s\n", address == (void *)gone ? "given back" : "kept");
  Closed *closed = [Closed new];
  Dial *other = [Dial new];
  [closed addObserver: other forKeyPath: @"anything" options: 0 context: NULL];
  [pool release];
  fflush(stdout);
}
