// What is compared is long: lines of logs are not wrapped.
// swift-format-ignore-file

/// Unhandled notifications, in the forms of real texts.
enum UnhandledForms {
  static let faults: [Sample] = [
    Sample("the plain console", #"KVO017 UIScrollView.contentSize < ChatController"#) {
      #"""
      2014-04-02 16:11:21.620 Chat[402:60b] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: '<ChatController: 0xcb43830>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: contentSize
      Observed object: <UIScrollView: 0xdbb0c00; frame = (4 4.5; 242 30); clipsToBounds = YES; gestureRecognizers = <NSArray: 0xcb43830>; layer = <CALayer: 0xcb1f570>; contentOffset: {0, 0}>
      Change: {
          kind = 1;
          new = "NSSize: {242, 34}";
      }
      Context: 0x0'
      *** First throw call stack:
      (
          0   CoreFoundation                      0x020af1e4 __exceptionPreprocess + 180
          1   libobjc.A.dylib                     0x03be28e5 objc_exception_throw + 44
          2   CoreFoundation                      0x020aefbb +[NSException raise:format:] + 139
          3   Foundation                          0x024d39ef -[NSObject(NSKeyValueObserving) observeValueForKeyPath:ofObject:change:context:] + 94
          4   Foundation                          0x02458d77 NSKeyValueNotifyObserver + 362
          5   Chat                                0x0001a2b3 -[ChatController sendTapped:] + 20
      )
      """#
    },
    Sample("a view as observer, described with brackets in brackets", #"KVO017 UIImageView.frame < BadgeView"#) {
      #"""
      <BadgeView: 0x7fd2a0c0; frame = (0 0; 10 10); layer = <CALayer: 0x600001>>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: frame
      Observed object: <UIImageView: 0xf277b30; frame = (0 0; 540 576); opaque = NO; layer = <CALayer: 0xf277b70>>
      Change: {
          kind = 1;
      }
      Context: 0x0
      """#
    },
    Sample("a device's log that lost the observer", #"KVO017 Meter.level < ?"#) {
      #"""
      Mar  4 10:11:12 iPhone Gauges(Foundation)[1234] <Error>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: level
      Observed object: <Meter: 0x2b0>
      Context: 0x0
      """#
    },
    Sample("Mac OS X 10.4, which names the class", #"KVO017 ?.? < MeterController"#) {
      #"""
      2005-03-02 10:11:12.345 Gauges[911] *** -observeValueForKeyPath:ofObject:change:context: only defined for abstract class.  Define -[MeterController observeValueForKeyPath:ofObject:change:context:]!
      """#
    },
    Sample("the same, wrapped, in an exception that was ignored", #"KVO017 ?.? < MeterController"#) {
      #"""
      *** NSRunLoop ignoring exception '*** -observeValueForKeyPath:ofObject:change:context: only defined
      for abstract class.  Define -[MeterController observeValueForKeyPath:ofObject:change:context:]!' that raised
      """#
    },
    Sample("a title", #"KVO017 ?.contentOffset < ?"#) {
      #"""
      An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.Key path: contentOffset
      """#
    },
    Sample("a description of several lines", #"KVO017 NSUserDefaults.TabWidth < BundleTextView"#) {
      #"""
      <BundleTextView: 0x60000016e4c0>
          Frame = {{0.00, 0.00}, {832.00, 384.00}}, Bounds = {{0.00, 0.00}, {832.00, 384.00}}
          Horizontally resizable: NO, Vertically resizable: YES
          MinSize = {832.00, 384.00}, MaxSize = {10000000.00, 10000000.00}
      : An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: TabWidth
      Observed object: <NSUserDefaults: 0x60000004eca0>
      Change: {
          kind = 1;
          new = 3;
      }
      Context: 0x0
      """#
    },
    Sample("one line in Crashlytics", #"KVO017 AVPlayerItem.status < MyApp.VideoCell"#) {
      #"""
      Fatal Exception: NSInternalInconsistencyException
      <MyApp.VideoCell: 0x10a0b2c00; baseClass = UICollectionViewCell; frame = (0 0; 375 300); hidden = YES; layer = <CALayer: 0x281>>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled. Key path: status Observed object: <AVPlayerItem: 0x282ff5220, asset = <AVURLAsset: 0x28, URL = https://example.com/a.m3u8>> Change: { kind = 1; new = 1; } Context: 0x10412ab58
      """#
    },
    Sample("Xcode with escapes", #"KVO017 WKWebView.estimatedProgress < Browser.PageController"#) {
      #"""
      Thread 1: "<Browser.PageController: 0x7f8b1a00>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.\nKey path: estimatedProgress\nObserved object: <WKWebView: 0x7f8b1b00; frame = (0 0; 414 896); layer = <CALayer: 0x600>>\nChange: {\n    kind = 1;\n    new = \"0.1\";\n}\nContext: 0x0"
      """#
    },
    Sample("only the app's state", #"KVO017 AppDelegate.isOffline < ?"#) {
      #"""
      An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: isOffline
      Observed object: <AppDelegate: 0x134d21e10>
      Change: {
          kind = 1;
      }
      Context: 0x0
      """#
    },
    Sample("entities", #"KVO017 Meter.level < Gauge"#) {
      #"""
      &lt;Gauge: 0x1&gt;: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.<br>Key path: level<br>Observed object: &lt;Meter: 0x2&gt;<br>Change: {<br>kind = 1;<br>}<br>Context: 0x0
      """#
    },
    Sample("en dash", #"KVO017 Meter.level < Gauge"#) {
      #"""
      <Gauge: 0x1>: An –observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: level
      Observed object: <Meter: 0x2>
      """#
    },
    Sample("XCTest", #"KVO017 Meter.level < Gauge"#) {
      #"""
      /src/MeterTests.swift:12: error: -[Tests.MeterTests testLevel] : <Gauge: 0x60000>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: level
      Observed object: <Meter: 0x61111>
      Change: {
          kind = 1;
      }
      Context: 0x0 (NSInternalInconsistencyException)
      """#
    },
    Sample("cut behind the sentence", #"KVO017 ?.? < MapController"#) {
      #"""
      'NSInternalInconsistencyException', reason: '<MapController: 0x14ea3b1c0>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      """#
    },
    Sample("quoted, wrapped", #"KVO017 Meter.level < Gauge"#) {
      #"""
       * <Gauge: 0x1>: An
       * -observeValueForKeyPath:ofObject:change:context: message was received but
       * not handled.
       * Key path: level
       * Observed object: <Meter: 0x2>
      """#
    },
    Sample("GNUstep, without the method", #"KVO017 ?.? < Gauge"#) {
      #"""
      Uncaught exception NSInvalidArgumentException, reason: -observeValueForKeyPath:ofObject:change:context: cannot be sent to <Gauge: 0x5570> ... create an instance overriding this
      """#
    },
  ]

  static let lookAlikes: [Sample] = [
    Sample("a signature") {
      #"""
      - (void)observeValueForKeyPath:(NSString *)keyPath ofObject:(id)object change:(NSDictionary *)change context:(void *)context { }
      """#
    },
    Sample("a fix is described") {
      #"""
      I think this fixes "-observeValueForKeyPath:ofObject:change:context: message was received but not handled."
      """#
    },
    Sample("an unrelated inconsistency") {
      #"""
      *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'Could not load NIB in bundle: 'NSBundle </x> (loaded)' with name 'Cell''
      """#
    },
    Sample("a list of methods") {
      #"""
      The observer must implement observeValueForKeyPath:ofObject:change:context: and handle the key path: contentSize.
      """#
    },
    Sample("an http message that was not handled") {
      #"""
      ERROR: message was received but not handled: {type: "ping"}
      """#
    },
    Sample("nil table cell") {
      #"""
      'NSInternalInconsistencyException', reason: 'UITableView (<UITableView: 0x7f>) failed to obtain a cell from its dataSource (<C: 0x1>)'
      """#
    },
    Sample("a warning of the compiler") {
      #"""
      warning: method override for the designated initializer of 'observeValueForKeyPath:ofObject:change:context:' not found
      """#
    },
    Sample("a log of a callback") {
      #"""
      observeValueForKeyPath:ofObject:change:context: called for key path: status, object <AVPlayerItem: 0x28>
      """#
    },
    Sample("unhandled message in an actor") {
      #"""
      [WARN] dead letters: message was received but not handled by Actor[akka://sys]
      """#
    },
    Sample("source of an override") {
      #"""
      NSAssert(NO, @"%@: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.", self);
      """#
    },
  ]
}
