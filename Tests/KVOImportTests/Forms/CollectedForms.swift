// What is compared is long: lines of logs are not wrapped.
// swift-format-ignore-file

/// Forms of published reports that stand in no other table, with objects of our own.
enum CollectedForms {
  static let faults: [Sample] = [
    Sample("rFlex/SCRecorder#31: a description of the class's own", "KVO017 Meter.level < Stream") {
      """
      *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'Stream<>(0x15e29718 e:ORW s:O): An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
          Key path: level
          Observed object: <Meter: 0x15f30490, unit = <Unit: 0x15efa980>>
          Change: {
              kind = 1;
          }
          Context: 0x0'
      """
    },
    Sample("nugu-ios#763: a description in words of another script", "KVO017 Meter.level < ?") {
      """
      *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: '날씨 좋은 날: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: level
      Observed object: <Meter: 0x2816c2490>
      Change: {
          kind = 1;
      }
      Context: 0x0'
      """
    },
    Sample("KPCC-iPhone#87: objects set as code, all in one quoted line", "KVO017 Meter.level < CALayer") {
      "> Fatal Exception: NSInternalInconsistencyException\n> `<CALayer: 0x145accb0>`: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled. Key path: level Observed object: `<Meter: 0x146db9a0>` Change: { kind = 1; } Context: 0x0\n"
    },
    Sample("MXSegmentedPager#49: all brackets gone", "KVO006 Meter.level < ?", "KVO006 Meter.unit < ?") {
      """
      **\\* Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'An instance 0x14480a600 of class Meter was deallocated while key value observers were still registered with it. Current observation info: NSKeyValueObservationInfo 0x144704da0 (
      NSKeyValueObservance 0x14468d180: Observer: 0x144588900, Key path: level, Options: New: YES, Old: NO, Prior: NO Context: 0x1001e00e8, Property: 0x144553890
      NSKeyValueObservance 0x1446dc1b0: Observer: 0x144588900, Key path: unit, Options: New: YES, Old: YES, Prior: NO Context: 0x1001e00e8, Property: 0x1446bcc30
      )'
      """
    },
    Sample("Persei#17: the object's address is cut out", "KVO006 Meter.level < ?") {
      """
      Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'An instance  of class Meter was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x7fd003571060> (
      <NSKeyValueObservance 0x7fd003576350: Observer: 0x7fd00370e800, Key path: level, Options: <New: YES, Old: NO, Prior: NO> Context: 0x103111190, Property: 0x7fd00378e3a0>
      """
    },
    Sample("TwitterCover#19: dead observers in one line", "KVO006 Meter.level < ?", "KVO007 Meter.level < ?", "KVO006 Meter.unit < ?", "KVO007 Meter.unit < ?") {
      "Fatal Exception: NSInternalInconsistencyException\nAn instance 0x12f8d9400 of class Meter was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x17404da70> ( <NSKeyValueObservance 0x1702c54e0: Observer: 0x0, Key path: level, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x17024ae00> <NSKeyValueObservance 0x1702c8030: Observer: 0x0, Key path: unit, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x17024afb0> )\n"
    },
    Sample("JSQMessagesViewController#268: the first letter is cut off", "KVO006 Meter.level < ?") {
      """
      Full text:
      n instance 0x173ea600 of class Meter was deallocated while key value observers were still registered with it. Observation info was leaked, and may even become mistakenly attached to some other object. Set a breakpoint on NSKVODeallocateBreak to stop here in the debugger. Here's the current observation info:
      <NSKeyValueObservationInfo 0x16799180> (
      <NSKeyValueObservance 0x165f5830: Observer: 0x1669f6b0, Key path: level, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x167962f0>
      )
      """
    },
    Sample("LoadingPlaceholderView#10: a name that an editor took for words", "KVO002 MeterView.MeterView.level < ?") {
      #""Cannot remove an observer for the key path \"level\" from <Meter View.Meter View> because it is not registered as an observer.""#
    },
    Sample("quickstart-ios#682: an error and its user info, with a private class", "KVO029 NSNotificationCenter.org.example.refresh-token < RxCocoa.KVOObserver") {
      #"Error Domain=NSException Code=0 "[<NSNotificationCenter 0x28368c7e0> addObserver:<_TtC7RxCocoaP33_F7515DBB13B60709A3CB25DD19EDD11D11KVOObserver 0x2813e2310> forKeyPath:@"org.example.refresh-token" options:5 context:0x0] was sent to an object that is not KVC-compliant for the "org" property." UserInfo={NSLocalizedDescription=[<NSNotificationCenter 0x28368c7e0> addObserver:<_TtC7RxCocoaP33_F7515DBB13B60709A3CB25DD19EDD11D11KVOObserver 0x2813e2310> forKeyPath:@"org.example.refresh-token" options:5 context:0x0] was sent to an object that is not KVC-compliant for the "org" property.}"#
    },
    Sample("XamarinMediaManager#814: neither brackets nor addresses", "KVO014 Meter.unit.name < NSKeyValueObservance") {
      #"`NSInternalInconsistencyException Reason: Cannot update for observer NSKeyValueObservance for the key path "unit.name" from Meter, most likely because the value for the key "unit" has changed without an appropriate KVO notification being sent.`"#
    },
    Sample("the-blue-alliance-ios#574: a deallocation that nobody's code stands below", "KVO006~ ?.? < ?") {
      """
      Crashed: com.apple.main-thread
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x000000014957beb8

      Crashed: com.apple.main-thread
      0  libobjc.A.dylib                0x185900430 objc_msgSend + 16
      1  Foundation                     0x186d29534 NSKVODeallocate + 224
      2  libdispatch.dylib              0x185d5d048 _dispatch_client_callout + 16
      3  CoreFoundation                 0x18637dafc __CFRunLoopRun + 2012
      4  Gauges                         0x100029f84 main (main.swift:9)
      """
    },
  ]
}
