// What is compared is long: lines of logs are not wrapped.
// swift-format-ignore-file

/// Notifications to deallocated observers, in the forms of real texts.
enum DeadObserverForms {
  static let faults: [Sample] = [
    Sample("a zombie", #"KVO008 ?.? < MapOverlay"#) {
      #"""
      2018-01-01 10:00:00.000 Maps[12:34] *** -[MapOverlay observeValueForKeyPath:ofObject:change:context:]: message sent to deallocated instance 0x6000011
      """#
    },
    Sample("another object in its place", #"KVO008 ?.? < __NSCFString"#) {
      #"""
      *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[__NSCFString observeValueForKeyPath:ofObject:change:context:]: unrecognized selector sent to instance 0x170a3b1c0'
      """#
    },
    Sample("a crash report", #"KVO008 ?.? < ?"#) {
      #"""
      Incident Identifier: 3B1C2D3E-0000-0000-0000-000000000000
      Process:             Maps [1234]
      Path:                /private/var/containers/Bundle/Application/AAAA/Maps.app/Maps
      Identifier:          com.example.maps
      Version:             12 (1.2)
      Code Type:           ARM-64
      Date/Time:           2017-11-02 08:01:22.123 +0100
      OS Version:          iPhone OS 10.3.3 (14G60)

      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000db1beadd0
      Triggered by Thread:  0

      Thread 0 name:  Dispatch queue: com.apple.main-thread
      Thread 0 Crashed:
      0   libobjc.A.dylib               	0x000000018e1f2f30 objc_msgSend + 16
      1   Foundation                    	0x000000019017a8a4 NSKeyValueNotifyObserver + 304
      2   Foundation                    	0x000000019017a4a0 NSKeyValueDidChange + 404
      3   Foundation                    	0x000000019016ae0c -[NSObject(NSKeyValueObserverNotification) didChangeValueForKey:] + 120
      4   Foundation                    	0x00000001902a3d3c _NSSetObjectValueAndNotify + 268
      5   Maps                          	0x0000000100061b10 -[MapModel load:] + 203536 (MapModel.m:55)
      6   libdispatch.dylib             	0x000000018e6561bc _dispatch_call_block_and_release + 24

      Thread 1:
      0   libsystem_kernel.dylib        	0x000000018e7a4e1c __workq_kernreturn + 8
      """#
    },
    Sample("Crashlytics' table", #"KVO008 ?.? < ?"#) {
      #"""
      Crashed: com.apple.main-thread
      0  libobjc.A.dylib                0x1a0b2f30 objc_msgSend + 16
      1  Foundation                     0x1a2c7a8a NSKeyValueNotifyObserver + 248
      2  Foundation                     0x1a2c74a0 NSKeyValueDidChange + 356
      3  Maps                           0x100061b10 -[MapModel load:] (MapModel.m:55)
      """#
    },
    Sample("lldb", #"KVO008 ?.? < ?"#) {
      #"""
      * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x20)
        * frame #0: 0x00007fff50ba7e97 libobjc.A.dylib`objc_msgSend + 23
          frame #1: 0x00007fff2571e2b5 Foundation`NSKeyValueNotifyObserver + 333
          frame #2: 0x00007fff25721ab6 Foundation`NSKeyValueDidChange + 439
          frame #3: 0x00007fff257213f8 Foundation`-[NSObject(NSKeyValueObservingPrivate) _changeValueForKeys:count:maybeOldValuesDict:maybeNewValuesDict:usingBlock:] + 751
          frame #4: 0x00007fff25728fb0 Foundation`_NSSetObjectValueAndNotify + 269
          frame #5: 0x000000010f0a2b1c Maps`-[MapModel load:](self=0x600, _cmd="load:") at MapModel.m:55:9
      """#
    },
    Sample("gdb", #"KVO008 ?.? < ?"#) {
      #"""
      Program received signal EXC_BAD_ACCESS, Could not access memory.
      Reason: KERN_PROTECTION_FAILURE at address: 0x00000010
      0x97f9ded0 in objc_msgSend ()
      (gdb) bt
      #0  0x97f9ded0 in objc_msgSend ()
      #1  0x9290f5a4 in NSKeyValueNotifyObserver ()
      #2  0x9290ef0b in NSKeyValueDidChange ()
      #3  0x928f3e24 in -[NSObject(NSKeyValueObserverNotification) didChangeValueForKey:] ()
      #4  0x00002d3f in -[MapModel load:] (self=0x1234, _cmd=0x3f20) at /Users/me/MapModel.m:55
      """#
    },
    Sample("forwarding on top", #"KVO008 ?.? < ?"#) {
      #"""
      Exception Type:  EXC_BAD_ACCESS (SIGBUS)
      Thread 0 Crashed:
      0   CoreFoundation  0x1 ___forwarding___ + 100
      1   CoreFoundation  0x2 _CF_forwarding_prep_0 + 88
      2   Foundation      0x3 NSKeyValueNotifyObserver + 300
      3   Maps            0x4 -[MapModel load:] + 10
      """#
    },
    Sample("the setter itself on top", #"KVO008 ?.? < ?"#) {
      #"""
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010
      Crashed: com.apple.main-thread
      0  libobjc.A.dylib                0x19 objc_retain + 8
      1  Foundation                     0x1a _NSSetObjectValueAndNotify + 100
      2  Maps                           0x10 -[MapModel load:] (MapModel.m:55)
      """#
    },
    Sample("a bare list of functions", #"KVO008 ?.? < ?"#) {
      #"""
      EXC_BAD_ACCESS in
      objc_msgSend
      NSKeyValueNotifyObserver
      NSKeyValueDidChange
      -[NSObject(NSKeyValueObserverNotification) didChangeValueForKey:]
      -[MapModel load:]
      """#
    },
    Sample("a zombie in a table", #"KVO008 ?.? < MapOverlay"#) {
      #"""
      | 3 | `-[MapOverlay observeValueForKeyPath:ofObject:change:context:]: message sent to deallocated instance 0x6000011` |
      """#
    },
    Sample("GNUstep names what lies there now", #"KVO008~ ?.? < NSDataMalloc"#) {
      #"""
      Uncaught exception NSInvalidArgumentException, reason: -observeValueForKeyPath:ofObject:change:context: cannot be sent to NSDataMalloc ... create an instance overriding this
      """#
    },
  ]

  static let lookAlikes: [Sample] = [
    Sample("a breakpoint in the runtime") {
      #"""
      A crash is easy to provoke; this is how a setter notifies:
      * thread #1, queue = 'com.apple.main-thread', stop reason = breakpoint 3.1
        * frame #0: 0x00007fff25728fb0 Foundation`_NSSetIntValueAndNotify
          frame #1: 0x000000010f0a2b1c Maps`-[MapModel load:](self=0x600, _cmd="load:") at MapModel.m:55:9
      """#
    },
    Sample("an article with a list of functions") {
      #"""
      If the observer is gone, this will crash. The call stack of a change:
      0   Foundation   0x1 NSKeyValueNotifyObserver + 300
      1   Foundation   0x2 NSKeyValueDidChange + 404
      2   Maps         0x3 -[MapModel load:] + 10
      """#
    },
    Sample("the app's callback crashed") {
      #"""
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Thread 0 Crashed:
      0   Maps            0x1 -[MapOverlay observeValueForKeyPath:ofObject:change:context:] + 100
      1   Foundation      0x2 NSKeyValueNotifyObserver + 300
      2   Foundation      0x3 NSKeyValueDidChange + 404
      3   Maps            0x4 -[MapModel load:] + 10
      """#
    },
    Sample("the app called on through a setter") {
      #"""
      Crashed: com.apple.main-thread
      0  libobjc.A.dylib                0x1a0b2f30 objc_msgSend + 16
      1  Maps                           0x10006 -[MapOverlay redraw] (MapOverlay.m:12)
      2  Maps                           0x10007 -[MapOverlay observeValueForKeyPath:ofObject:change:context:] (MapOverlay.m:90)
      3  Foundation                     0x1a2c7a8a NSKeyValueNotifyObserver + 248
      4  Foundation                     0x1a28 _NSSetBoolValueAndNotify + 248
      """#
    },
    Sample("a watchdog") {
      #"""
      Exception Type:  EXC_CRASH (SIGKILL)
      Exception Note:  EXC_CORPSE_NOTIFY
      Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d
      Triggered by Thread:  0
      Thread 0 Crashed:
      0   libsystem_kernel.dylib  0x1 mach_msg_trap + 8
      1   Foundation  0x2 NSKeyValueNotifyObserver + 300
      2   Foundation  0x3 NSKeyValueDidChange + 404
      """#
    },
    Sample("an exception in a callback") {
      #"""
      Fatal Exception: NSInvalidArgumentException
      -[NSNull length]: unrecognized selector sent to instance 0x1b5
      0  CoreFoundation  0x1 __exceptionPreprocess
      1  libobjc.A.dylib 0x2 objc_exception_throw
      2  CoreFoundation  0x3 -[NSObject(NSObject) doesNotRecognizeSelector:]
      3  Maps            0x4 -[MapOverlay observeValueForKeyPath:ofObject:change:context:] (MapOverlay.m:90)
      4  Foundation      0x5 NSKeyValueNotifyObserver
      """#
    },
    Sample("another method of a zombie") {
      #"""
      *** -[MapOverlay setNeedsDisplay]: message sent to deallocated instance 0x6000011
      """#
    },
    Sample("another missing method") {
      #"""
      '-[MapOverlay addObserver:selector:name:object:]: unrecognized selector sent to instance 0x6000011'
      """#
    },
    Sample("a hang report") {
      #"""
      Event: hang
      Duration: 2.5s
        12  NSKeyValueNotifyObserver + 387 (Foundation + 123) [0x7fff]
          12  -[MapOverlay observeValueForKeyPath:ofObject:change:context:] + 20 (Maps + 10) [0x1]
      """#
    },
    Sample("a layout crash below a notification") {
      #"""
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Thread 0 Crashed:
      0   libobjc.A.dylib   0x1 objc_msgSend + 16
      1   UIKit             0x2 -[UIView(Hierarchy) layoutBelowIfNeeded] + 12
      2   Maps              0x3 -[MapOverlay observeValueForKeyPath:ofObject:change:context:] + 100
      3   Foundation        0x4 NSKeyValueNotifyObserver + 300
      """#
    },
    Sample("a normal backtrace at a breakpoint") {
      #"""
      * thread #1, queue = 'com.apple.main-thread', stop reason = breakpoint 1.1
        * frame #0: 0x1 Maps`-[MapOverlay observeValueForKeyPath:ofObject:change:context:](self=0x6) at MapOverlay.m:90
          frame #1: 0x2 Foundation`NSKeyValueNotifyObserver + 333
      """#
    },
    Sample("another thread was notifying") {
      #"""
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Triggered by Thread:  4
      Thread 0:
      0   libsystem_kernel.dylib   0x1 mach_msg_trap + 8
      1   Foundation  0x2 NSKeyValueNotifyObserver + 300
      Thread 4 Crashed:
      0   Maps  0x3 image_decode + 8
      1   Maps  0x4 worker + 20
      """#
    },
  ]
}
