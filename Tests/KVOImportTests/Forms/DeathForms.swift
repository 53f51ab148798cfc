// What is compared is long: lines of logs are not wrapped.
// swift-format-ignore-file

/// Objects that were deallocated while they were observed, in the forms of real texts.
enum DeathForms {
  static let faults: [Sample] = [
    Sample("the old runtime's log", #"KVO006 Playlist.title < ?"#) {
      #"""
      An instance 0xa4c2180 of class Playlist was deallocated while key value observers were still registered with it. Observation info was leaked, and may even become mistakenly attached to some other object. Set a breakpoint on NSKVODeallocateBreak to stop here in the debugger. Here's the current observation info:
      <NSKeyValueObservationInfo 0xa661b50> (
      <NSKeyValueObservance 0xb2884f0: Observer: 0xb288180, Key path: title, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0xb218320>
      )
      """#
    },
    Sample("a registration without its options", #"KVO006 Playlist.title < ?"#) {
      #"""
      An instance 0x11c9d7400 of class Playlist was deallocated while
      key value observers were still registered with it.
      Current observation info:
      <NSKeyValueObservationInfo 0x172a3b600>
      ( <NSKeyValueObservance 0x170e498d0:
      Observer: 0x177231b20, Key path: title)
      The screen was closed just before.
      """#
    },
    Sample("an exception, two key paths of one observer", #"KVO006 PlayerView.frame < ?"#, #"KVO006 PlayerView.alpha < ?"#) {
      #"""
      2016-02-11 10:04:44.101 Player[881:20113] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'An instance 0x7fbb03e54680 of class PlayerView was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x6080002373e0> (
      <NSKeyValueObservance 0x608000243e40: Observer: 0x7fbb03c56370, Key path: frame, Options: <New: NO, Old: NO, Prior: NO> Context: 0x0, Property: 0x608000240120>
      <NSKeyValueObservance 0x608000240660: Observer: 0x7fbb03c56370, Key path: alpha, Options: <New: NO, Old: NO, Prior: NO> Context: 0x0, Property: 0x608000243750>
      )'
      *** First throw call stack:
      (
      	0   CoreFoundation                      0x00007fff960e84f2 __exceptionPreprocess + 178
      	1   libobjc.A.dylib                     0x00007fff8b1c3f7e objc_exception_throw + 48
      	2   CoreFoundation                      0x00007fff9614f4bd +[NSException raise:format:] + 205
      	3   Foundation                          0x00007fff8e1f1a2c NSKVODeallocate + 294
      	4   Player                              0x0000000101a2b3c4 -[PlayerController close] + 88
      )
      """#
    },
    Sample("an object that observes itself", #"KVO006 SearchField.text < SearchField"#) {
      #"""
      An instance 0x7f81104aafc0 of class SearchField was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x7f811292c560> (
      <NSKeyValueObservance 0x7f8112925510: Observer: 0x7f81104aafc0, Key path: text, Options: <New: NO, Old: NO, Prior: NO> Context: 0x0, Property: 0x7f8112924000>
      """#
    },
    Sample("the observer died too", #"KVO006 Playlist.songs < ?"#, #"KVO007 Playlist.songs < ?"#) {
      #"""
      An instance 0x60000311c0e0 of class Playlist was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x600003f1a2c0> ( <NSKeyValueObservance 0x600003d2b1e0: Observer: 0x0, Key path: songs, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x600003d2c1f0> )
      """#
    },
    Sample("a title", #"KVO006 SVGView.? < ?"#) {
      #"""
      App crashes. An instance of class SVGView was deallocated while key value observers were still registered with it
      """#
    },
    Sample("a title that begins with the class", #"KVO006 MaskField.? < ?"#) {
      #"""
      MaskField was deallocated while key value observers were still registered with it.
      """#
    },
    Sample("dots where the address was", #"KVO006 AvatarView.? < ?"#) {
      #"""
      An instance ... of class AvatarView was deallocated while key value observers were still registered with it.
      """#
    },
    Sample("HockeyApp's form", #"KVO006 TagLabel.text < ?"#) {
      #"""
      ### Version: 2.0.0 (130) | com.example.tags ###

      ### Stacktrace ###

      <pre>-;main;AppDelegate.swift;13</pre>

      ### Reason ###

      *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'An instance 0x109e634d0 of class TagLabel was deallocated while key value observers were still registered with it. Current observation info: &lt;NSKeyValueObservationInfo 0x1704239e0&gt; (
      &lt;NSKeyValueObservance 0x174247140: Observer: 0x10a00ba00, Key path: text, Options: &lt;New: YES, Old: YES, Prior: NO&gt; Context: 0x0, Property: 0x174247020&gt;
      )'
      """#
    },
    Sample("XCTest, cut in the list", #"KVO006 SimpleModel.? < ?"#) {
      #"""
      Test failed:
      ```testClose, failed: caught "NSInternalInconsistencyException", "An instance 0x7ff331ce5000 of class SimpleModel was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x7ff331ce7220> (```
      """#
    },
    Sample("re-wrapped by mail", #"KVO006 LocationFetcher.fetching < ?"#) {
      #"""
      > An instance 0x685f030 of class
      > LocationFetcher was deallocated while key value
      > observers were still registered with it. Observation info was leaked, and
      > may even become mistakenly attached to some other object. Set a breakpoint
      > on NSKVODeallocateBreak to stop here in the debugger.
      > Here's the current observation in
      > fo: <NSKeyValueObservationInfo 0x6e44970> (
      > <NSKeyValueObservance 0x6e4a120: Observer: 0x6848520, Key path:
      > fetching, Options: <New: NO, Old: NO, Prior: NO> Context: 0x0, Property: 0x6e44650>
      > )
      """#
    },
    Sample("a token of Swift", #"KVO006 MyApp.Player.rate < ?"#) {
      #"""
      Fatal Exception: NSInternalInconsistencyException
      An instance 0x1c0299d70 of class MyApp.Player was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x1c0430a40> ( <NSKeyValueObservance 0x1c0454a00: Observer: 0x1c0277f40, Key path: rate, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x1c0454e50> )
      """#
    },
    Sample("Xcode's banner", #"KVO006 Room.members < ?"#) {
      #"""
      Thread 1: "An instance 0x600000c0a1b0 of class Room was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x600000201c40> (\n<NSKeyValueObservance 0x600000c0b2d0: Observer: 0x7f9a0c40a7b0, Key path: members, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x600000c0b330>\n)"
      """#
    },
    Sample("GNUstep", #"KVO006 Room.? < ?"#) {
      #"""
      2024-01-02 10:00:00.000 test[55:55] Object <Room: 0x55aa12> deallocated with observers still registered.
      """#
    },
    Sample("described elsewhere in the text", #"KVO006 Room.members < RoomView"#) {
      #"""
      view is <RoomView: 0x7f9a0c40a7b0; frame = (0 0; 320 480); layer = <CALayer: 0x60000>>
      An instance 0x600000c0a1b0 of class Room was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x600000201c40> (
      <NSKeyValueObservance 0x600000c0b2d0: Observer: 0x7f9a0c40a7b0, Key path: members, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x600000c0b330>
      )
      """#
    },
    Sample("mangled and cut right after the sentence", #"KVO006 Kiosk.Reader.? < ?"#) {
      #"""
      reason: 'An instance 0x12d21ee00 of class _TtC5Kiosk6Reader was deallocated while key value observers were still registered with it. Current observation info:
      """#
    },
  ]

  static let lookAlikes: [Sample] = [
    Sample("a general explanation") {
      #"""
      If an object is deallocated while key value observers are still registered with it, the app may crash. Remove observers in dealloc.
      """#
    },
    Sample("another subsystem's deallocation") {
      #"""
      *** -[CFString release]: message sent to deallocated instance 0x6000017a
      """#
    },
    Sample("a view controller's warning") {
      #"""
      Attempting to load the view of a view controller while it is deallocating is not allowed and may result in undefined behavior (<UIAlertController: 0x7fb>)
      """#
    },
    Sample("a presentation warning") {
      #"""
      Warning: Attempt to present <A: 0x1> on <B: 0x2> whose view is not in the window hierarchy!
      """#
    },
    Sample("weak reference formation") {
      #"""
      objc[1234]: Cannot form weak reference to instance (0x7fe3a9c10e70) of class PlayerController. It is possible that this object was over-released, or is in the process of deallocation.
      """#
    },
    Sample("XPC connection") {
      #"""
      [connection] connection <NSXPCConnection: 0x600> was deallocated while still active
      """#
    },
    Sample("source of a handler") {
      #"""
      NSLog(@"An instance %p of class %@ was deallocated while key value observers were still registered with it.", self, [self class]);
      """#
    },
    Sample("breakpoint advice") {
      #"""
      To debug, add a symbolic breakpoint on NSKVODeallocateBreak and inspect observationInfo of the object.
      """#
    },
    Sample("a semaphore in use") {
      #"""
      BUG IN CLIENT OF LIBDISPATCH: Semaphore object deallocated while in use
      """#
    },
    Sample("a thread pool in C++") {
      #"""
      terminate called: std::mutex was destroyed while observers were still registered
      """#
    },
  ]
}
