// What is compared is long: lines of logs are not wrapped.
// swift-format-ignore-file

/// What people paste: exports of crash services, mail, pages, several things in one.
enum PastedTexts {
  static let faults: [Sample] = [
    Sample("Sentry JSON", #"KVO002 Wallet.balance < BalanceView"#) {
      #"""
      {"event_id":"a1","release":"shop@2.3.1","timestamp":"2021-05-04T10:11:12Z","platform":"cocoa","contexts":{"os":{"name":"iOS","version":"14.5"},"app":{"app_name":"Shop","app_version":"2.3.1"}},"exception":{"values":[{"type":"NSRangeException","value":"Cannot remove an observer <BalanceView 0x105e0> for the key path \"balance\" from <Wallet 0x2811> because it is not registered as an observer.","stacktrace":{"frames":[{"function":"main","package":"/private/var/containers/Bundle/Application/X/Shop.app/Shop","instruction_addr":"0x100"},{"function":"-[BalanceView dealloc]","package":"/private/var/containers/Bundle/Application/X/Shop.app/Shop","instruction_addr":"0x101","lineno":33,"filename":"BalanceView.m","in_app":true},{"function":"-[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]","package":"/System/Library/Frameworks/Foundation.framework/Foundation","instruction_addr":"0x102"},{"function":"objc_exception_throw","package":"/usr/lib/libobjc.A.dylib","instruction_addr":"0x103"},{"function":"__exceptionPreprocess","package":"CoreFoundation","instruction_addr":"0x104"}]}}]}}
      """#
    },
    Sample("Bugsnag JSON", #"KVO017 Wallet.balance < BalanceView"#) {
      #"""
      [{"errors":[{"errorClass":"NSInternalInconsistencyException","message":"<BalanceView: 0x105e0; frame = (0 0; 1 1); layer = <CALayer: 0x1>>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.\nKey path: balance\nObserved object: <Wallet: 0x2811>\nChange: {\n    kind = 1;\n}\nContext: 0x0"}],"exceptions":[{"stacktrace":[{"method":"__exceptionPreprocess","machoFile":"/System/CoreFoundation","frameAddress":"0x1"},{"method":"objc_exception_throw","machoFile":"/usr/lib/libobjc.A.dylib","frameAddress":"0x2"},{"method":"-[BalanceView observeValueForKeyPath:ofObject:change:context:]","machoFile":"/x/Shop","frameAddress":"0x3"}]}],"device":{"osName":"iOS","osVersion":"12.4"},"app":{"id":"com.example.shop","version":"9.1"}}]
      """#
    },
    Sample("ips of two documents", #"KVO002 Wallet.balance < BalanceView"#) {
      #"""
      {"app_name":"Shop","timestamp":"2022-03-04 05:06:07.00 +0100","app_version":"3.1","bug_type":"309","os_version":"iPhone OS 15.1 (19B74)","incident_id":"X","name":"Shop"}
      {
        "uptime" : 100,
        "procName" : "Shop",
        "procPath" : "\/private\/var\/containers\/Bundle\/Application\/X\/Shop.app\/Shop",
        "osVersion" : {"train" : "iPhone OS 15.1","build" : "19B74"},
        "captureTime" : "2022-03-04 05:06:06.1234 +0100",
        "exception" : {"codes":"0x0000000000000000, 0x0000000000000000","type":"EXC_CRASH","signal":"SIGABRT"},
        "asi" : {"CoreFoundation":["*** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <BalanceView 0x105e0> for the key path \"balance\" from <Wallet 0x2811> because it is not registered as an observer.'"]},
        "lastExceptionBacktrace" : [{"imageOffset":100,"symbol":"__exceptionPreprocess","symbolLocation":10,"imageIndex":1},{"imageOffset":200,"symbol":"objc_exception_throw","symbolLocation":10,"imageIndex":2},{"imageOffset":300,"symbol":"-[BalanceView dealloc]","symbolLocation":10,"imageIndex":0,"sourceFile":"BalanceView.m","sourceLine":33}],
        "faultingThread" : 0,
        "threads" : [{"triggered":true,"id":1,"queue":"com.apple.main-thread","frames":[{"imageOffset":1,"symbol":"__pthread_kill","imageIndex":3}]}],
        "usedImages" : [{"name":"Shop","base":4294967296,"uuid":"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee","path":"\/private\/x\/Shop"},{"name":"CoreFoundation","base":1,"path":"\/System\/CoreFoundation"},{"name":"libobjc.A.dylib","base":2,"path":"\/usr\/lib\/libobjc.A.dylib"},{"name":"libsystem_kernel.dylib","base":3,"path":"\/usr\/lib\/system\/libsystem_kernel.dylib"}]
      }
      """#
    },
    Sample("ips of a bad access", #"KVO008 ?.? < ?"#) {
      #"""
      {"app_name":"Shop","bug_type":"309","os_version":"macOS 12.1"}
      {"procName":"Shop","exception":{"type":"EXC_BAD_ACCESS","signal":"SIGSEGV","subtype":"KERN_INVALID_ADDRESS at 0x10"},"faultingThread":1,"threads":[{"id":1,"frames":[{"symbol":"mach_msg_trap","imageIndex":0,"imageOffset":1}]},{"triggered":true,"frames":[{"symbol":"objc_msgSend","imageIndex":0,"imageOffset":1},{"symbol":"NSKeyValueNotifyObserver","imageIndex":1,"imageOffset":1},{"symbol":"-[Wallet pay]","imageIndex":2,"imageOffset":9}]}],"usedImages":[{"name":"libobjc.A.dylib","base":1},{"name":"Foundation","base":2},{"name":"Shop","base":3}]}
      """#
    },
    Sample("ips damaged in the middle", #"KVO002 Wallet.balance < BalanceView"#) {
      #"""
      {"app_name":"Shop","bug_type":"309"}
      {"procName":"Shop","asi":{"CoreFoundation":["*** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <BalanceView 0x105e0> for the key path \"balance\" from <Wallet 0x2811> because it is not registered as an observer.'"]}, "threads":[{"frames":[{"symb
      """#
    },
    Sample("the oldest ips form with text inside", #"KVO002 Wallet.balance < BalanceView"#) {
      #"""
      {"app_name":"Shop","bug_type":"109","os_version":"iPhone OS 9.3 (13E233)"}
      Incident Identifier: 0A
      Process:             Shop [12]
      Version:             1.0
      Date/Time:           2016-01-02 03:04:05.006 +0000
      OS Version:          iOS 9.3 (13E233)
      Exception Type:  EXC_CRASH (SIGABRT)
      Application Specific Information:
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <BalanceView 0x105e0> for the key path "balance" from <Wallet 0x2811> because it is not registered as an observer.'
      """#
    },
    Sample("Crashlytics without the words", #"KVO017 ?.? < ProgressCell"#) {
      #"""
      Fatal Exception: NSInternalInconsistencyException
      0  CoreFoundation                 0x1fa7bfea0 __exceptionPreprocess
      1  libobjc.A.dylib                0x1f9991a40 objc_exception_throw
      2  CoreFoundation                 0x1fa6c6674 -[NSCache init]
      3  Foundation                     0x1fb2348a8 -[NSObject(NSKeyValueObserving) observeValueForKeyPath:ofObject:change:context:]
      4  Shop                           0x104d906c8 -[ProgressCell observeValueForKeyPath:ofObject:change:context:] (ProgressCell.m:106)
      5  Foundation                     0x1fb234a0c NSKeyValueNotifyObserver
      """#
    },
    Sample("a removal without the words", #"KVO002 ?.? < ?"#) {
      #"""
      Fatal Exception: NSRangeException
      0  CoreFoundation                 0x182da6e38 __exceptionPreprocess
      1  libobjc.A.dylib                0x18240bf80 objc_exception_throw
      2  CoreFoundation                 0x182da6d80 -[NSException initWithCoder:]
      3  Foundation                     0x1836c79f8 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]
      4  Shop                           0x1011e3160 -[BalanceView dealloc] (BalanceView.m:33)
      """#
    },
    Sample("decimal addresses", #"KVO002 AlertWindow.frame < Explorer"#) {
      #"""
      crash reason:
      Fatal Exception: NSRangeException
      Cannot remove an observer <Explorer> for the key path "frame" from <AlertWindow> because it is not registered as an observer.

      Here is trace:
      Thread : Fatal Exception: NSRangeException
      0  CoreFoundation                 6490509128 **exceptionPreprocess
      1  libobjc.A.dylib                6838321024 objc_exception_throw
      2  Foundation                     6505732568 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]
      3  Shop                           4297117164 -[Explorer stop:](Explorer.m:308)
      """#
    },
    Sample("Chinese prose around it", #"KVO002 AVPlayerItem.status < Player"#) {
      #"""
      偶发崩溃，日志如下：Cannot remove an observer <Player 0x2811e1700> for the key path "status" from <AVPlayerItem 0x282ff5220> because it is not registered as an observer.（只在 iOS 13）
      """#
    },
    Sample("brackets of Chinese, cut", #"KVO002 ?.estimatedProgress < WebController"#) {
      #"""
      报错信息《Cannot remove an observer <WebController 0x106060200> for the key path estimatedProgress》
      """#
    },
    Sample("a radar without objects", #"KVO002~ ?.? < ?"#) {
      #"""
      Removing a KVO observer while it calls out throws an 'NSRangeException', reason: 'Cannot remove an observer (…) because it is not registered as an observer.'
      """#
    },
    Sample("backticks", #"KVO002 GHEvents.loadingStatus < MyEventsController"#) {
      #"""
      "Cannot remove an observer `<MyEventsController 0x1d5f8610>` for the key path "loadingStatus" from `<GHEvents 0x1d5d2a70>` because it is not registered as an observer."
      """#
    },
    Sample("bold of Markdown with a broken star", #"KVO002 View.panel.frame < View"#) {
      #"""
      2013-01-30 01:53:24.144 app-staging[36064:707] **\* Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <View 0x6f4990> for the key path "panel.frame" from <View 0x6f4990> because it is not registered as an observer
      """#
    },
    Sample("two crashes of two runs in one text, one fault", #"KVO002 Wallet.balance < BalanceView"#) {
      #"""
      First run:
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <BalanceView 0x1> for the key path "balance" from <Wallet 0x2> because it is not registered as an observer.'

      Second run:
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <BalanceView 0x3> for the key path "balance" from <Wallet 0x4> because it is not registered as an observer.'
      """#
    },
    Sample("two faults in one console", #"KVO002 Wallet.balance < BalanceView"#, #"KVO017 Wallet.name < NameView"#) {
      #"""
      2020-01-01 10:00:00.000 Shop[1:2] *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <BalanceView 0x1> for the key path "balance" from <Wallet 0x2> because it is not registered as an observer.'
      2020-01-01 11:00:00.000 Shop[1:2] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: '<NameView: 0x9>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: name
      Observed object: <Wallet: 0x2>
      Change: {
          kind = 1;
      }
      Context: 0x0'
      """#
    },
    Sample("eaten tags in a death", #"KVO006 VideoSession.? < ?"#) {
      #"""
      See crash: *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'An instance 0x7f8310624ed0 of class VideoSession was deallocated while key value observers were still registered with it. Current observation info:   (
        Context: 0x0, Property: 0x7f83102fa200>
      """#
    },
    Sample("the debugger tells the observer afterwards", #"KVO006 ScrollView.contentOffset < Inspector"#, #"KVO006 ScrollView.contentInset < Inspector"#) {
      #"""
      2015-03-28 00:04:55.781 Art[32502:607] An instance 0x797e5300 of class ScrollView was deallocated while key value observers were still registered with it. Observation info was leaked, and may even become mistakenly attached to some other object. Set a breakpoint on NSKVODeallocateBreak to stop here in the debugger. Here's the current observation info:
      <NSKeyValueObservationInfo 0x7967e660> (
      <NSKeyValueObservance 0x796b9140: Observer: 0x79623510, Key path: contentOffset, Options: <New: YES, Old: YES, Prior: NO> Context: 0x0, Property: 0x7982e9b0>
      <NSKeyValueObservance 0x796791e0: Observer: 0x79623510, Key path: contentInset, Options: <New: YES, Old: YES, Prior: NO> Context: 0x0, Property: 0x79827620>
      )
      (lldb) po 0x79623510
      <Inspector: 0x79623510>
      """#
    },
    Sample("Flutter-ish tracker with paths", #"KVO002 Moment.locale < Moment"#) {
      #"""
      NSRangeException Cannot remove an observer <Moment 0x1c4483c50> for the key path "locale" from <Moment 0x1c4483c50> because it is not registered as an observer. 
          Frameworks/CoreFoundation.framework/CoreFoundation ___exceptionPreprocess
          /usr/lib/libobjc.A.dylib _objc_exception_throw
          Frameworks/Foundation.framework/Foundation -[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:]
          Frameworks/Moment.framework/Moment -[Moment dealloc]
          App/Calendar/CalendarView.m:1208:5 -[CalendarView getDate:]
      """#
    },
    Sample("swift error of an XCTest in a log of CI", #"KVO006 Tests.Model.value < ?"#) {
      #"""
      Test Case '-[Tests.ModelTests testClose]' started.
      <unknown>:0: error: -[Tests.ModelTests testClose] : failed: caught "NSInternalInconsistencyException", "An instance 0x10020a of class Tests.Model was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x1> (
      <NSKeyValueObservance 0x2: Observer: 0x3, Key path: value, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x4>
      )"
      """#
    },
    Sample("generic Swift class", #"KVO006 App.Box<Swift.Int>.value < ?"#) {
      #"""
      An instance 0x60 of class App.Box<Swift.Int> was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x1> (
      <NSKeyValueObservance 0x2: Observer: 0x3, Key path: value, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x4>
      )
      """#
    },
    Sample("Android-like logcat prefix on each line (a port)", #"KVO002 Wallet.balance < BalanceView"#) {
      #"""
      E/Shop    ( 1234): *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: 'Cannot remove observer <BalanceView: 0x7f01> for keypath "balance" from <Wallet: 0x7f02> as it is not a registered observer.'
      """#
    },
    Sample("an email with quoted-printable wraps", #"KVO002 Wallet.balance < BalanceView"#) {
      #"""
      >> Cannot remove an observer <BalanceView 0x105e0> for the key path "bal
      >> ance" from <Wallet 0x2811> because it is not reg
      >> istered as an observer.
      """#
    },
    Sample("a YAML block", #"KVO002 Wallet.balance < BalanceView"#) {
      #"""
      error: |
        NSRangeException
        Cannot remove an observer <BalanceView 0x105e0> for the key
        path "balance" from <Wallet 0x2811> because it is not
        registered as an observer.
      """#
    },
    Sample("a CSV cell", #"KVO002 Wallet.balance < BalanceView"#) {
      #"""
      1,2021,"Cannot remove an observer <BalanceView 0x105e0> for the key path ""balance"" from <Wallet 0x2811> because it is not registered as an observer.",42
      """#
    },
    Sample("a URL of a search", #"KVO002 ?.balance < ?"#) {
      #"""
      Cannot remove an observer for the key path "balance" from because it is not registered as an observer - Stack Overflow
      """#
    },
    Sample("console of macOS 10.9 with colons", #"KVO006 Server.status < Server"#) {
      #"""
      9/3/16 6:56:29.845 AM fsAgent[60640]: *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'An instance 0x6100000945a0 of class Server was deallocated while key value observers were still registered with it. Current observation info: <NSKeyValueObservationInfo 0x610000256650> (
      <NSKeyValueObservance 0x6100000d3e80: Observer: 0x6100000945a0, Key path: status, Options: <New: YES, Old: YES, Prior: NO> Context: 0x0, Property: 0x6180000410e0>
      <NSKeyValueObservance 0x6100000d3f60: Observer: 0x600000a61a80, Key path: status, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x618000041140>
      )'
      """#
    },
    Sample("uppercase shouting", #"KVO002 WALLET.balance < ?"#) {
      #"""
      CANNOT REMOVE AN OBSERVER FOR THE KEY PATH "balance" FROM WALLET BECAUSE IT IS NOT REGISTERED AS AN OBSERVER
      """#
    },
    Sample("a PLCrashReporter text", #"KVO014 Wallet.owner.name < OwnerView"#) {
      #"""
      Application Specific Information:
      *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'Cannot remove an observer <OwnerView 0xec43710> for the key path "owner.name" from <Wallet 0x442800>, most likely because the value for the key "owner" has changed without an appropriate KVO notification being sent. Check the KVO-compliance of the Wallet class.'

      Thread 0 Crashed:
      0   libsystem_kernel.dylib              0x3558f00c __kill + 8
      1   libsystem_c.dylib                   0x35645f95 raise + 17
      2   Shop Beta                           0x00095ab9 uncaught_exception_handler (PLCrashReporter.m:137)
      3   CoreFoundation                      0x309807d3 __handleUncaughtException + 239
      8   libobjc.A.dylib                     0x3449bc8b objc_exception_throw + 71
      9   CoreFoundation                      0x309804cb +[NSException raise:format:] + 35
      10  Foundation                          0x341f0001 -[NSKeyValueNestedProperty object:didRemoveObservance:recurse:] + 35
      11  Shop Beta                           0x00012345 -[OwnerView close] (OwnerView.m:12)
      """#
    },
  ]

  static let lookAlikes: [Sample] = [
    Sample("a JSON log of a server") {
      #"""
      {"level":"error","message":"Cannot remove observer: not found","observers":3}
      {"level":"info","message":"KVO store flushed"}
      """#
    },
    Sample("an ips of a watchdog") {
      #"""
      {"app_name":"Shop","bug_type":"309"}
      {"procName":"Shop","exception":{"type":"EXC_CRASH","signal":"SIGKILL"},"termination":{"code":2343432205,"namespace":"FRONTBOARD","reasons":["0x8badf00d scene-update watchdog transgression"]},"faultingThread":0,"threads":[{"triggered":true,"frames":[{"symbol":"mach_msg","imageIndex":0},{"symbol":"NSKeyValueNotifyObserver","imageIndex":0}]}],"usedImages":[{"name":"x","base":1}]}
      """#
    },
    Sample("an ips of a crash in a callback") {
      #"""
      {"app_name":"Shop","bug_type":"309"}
      {"procName":"Shop","exception":{"type":"EXC_BAD_ACCESS","signal":"SIGSEGV"},"faultingThread":0,"threads":[{"triggered":true,"frames":[{"symbol":"objc_retain","imageIndex":0},{"symbol":"-[BalanceView observeValueForKeyPath:ofObject:change:context:]","imageIndex":1},{"symbol":"NSKeyValueNotifyObserver","imageIndex":2}]}],"usedImages":[{"name":"libobjc.A.dylib"},{"name":"Shop"},{"name":"Foundation"}]}
      """#
    },
    Sample("Sentry of another exception in a callback") {
      #"""
      {"exception":{"values":[{"type":"NSInvalidArgumentException","value":"-[NSNull length]: unrecognized selector sent to instance 0x1","stacktrace":{"frames":[{"function":"NSKeyValueNotifyObserver","package":"Foundation","instruction_addr":"0x1"},{"function":"-[BalanceView observeValueForKeyPath:ofObject:change:context:]","package":"Shop","instruction_addr":"0x2"},{"function":"objc_exception_throw","package":"libobjc","instruction_addr":"0x3"}]}}]}}
      """#
    },
    Sample("notification centre in a stack") {
      #"""
      Crashed: com.apple.main-thread
      0  libobjc.A.dylib                0x1a0b2f30 objc_msgSend + 16
      1  CoreFoundation                 0x1a2c __CFNOTIFICATIONCENTER_IS_CALLING_OUT_TO_AN_OBSERVER__ + 20
      2  Foundation                     0x1a2d -[NSNotificationCenter postNotificationName:object:userInfo:] + 66
      """#
    },
    Sample("an assertion inside a callback") {
      #"""
      *** Assertion failure in -[BalanceView observeValueForKeyPath:ofObject:change:context:], /src/BalanceView.m:20
      *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'unexpected key path'
      """#
    },
    Sample("a tutorial") {
      #"""
      Key-Value Observing: call addObserver:forKeyPath:options:context: and override observeValueForKeyPath:ofObject:change:context:. Forgetting removeObserver:forKeyPath: crashes.
      """#
    },
    Sample("a diff") {
      #"""
      -    [self.wallet removeObserver:self forKeyPath:@"balance"];
      +    @try { [self.wallet removeObserver:self forKeyPath:@"balance"]; } @catch (NSException *e) {}
      """#
    },
    Sample("a changelog") {
      #"""
      - Fixed crash: observers were not removed on dealloc (KVO). Fixed NSRangeException in table view.
      """#
    },
    Sample("Swift concurrency") {
      #"""
      Thread 1: Fatal error: Simultaneous accesses to 0x6000, but modification requires exclusive access. NSKeyValueObservation invalidate
      """#
    },
    Sample("a Combine sink") {
      #"""
      warning: variable 'cancellable' was written to, but never read; publisher(for: \.balance) KVO
      """#
    },
    Sample("layout constraint log") {
      #"""
      Unable to simultaneously satisfy constraints. NSLayoutConstraint <0x1> observers
      """#
    },
    Sample("C++ observers") {
      #"""
      terminate called after throwing an instance of 'std::runtime_error' what(): observer not registered
      """#
    },
    Sample("an exception while adding to notification centre") {
      #"""
      'NSInvalidArgumentException', reason: '+[BalanceView addObserver:selector:name:object:]: unrecognized selector sent to class 0x1'
      """#
    },
    Sample("crash inside a setter of the app, called by will/did") {
      #"""
      Exception Type: EXC_BAD_ACCESS (SIGSEGV)
      Thread 0 Crashed:
      0   libobjc.A.dylib  0x1 objc_release + 16
      1   Shop             0x2 -[Wallet setBalance:] (Wallet.m:10)
      2   Foundation       0x3 _NSSetObjectValueAndNotify + 283
      3   Shop             0x4 -[Wallet pay] (Wallet.m:33)
      """#
    },
    Sample("zombie, but not of an observer") {
      #"""
      *** -[Wallet respondsToSelector:]: message sent to deallocated instance 0x6000
      """#
    },
    Sample("thread sanitizer") {
      #"""
      WARNING: ThreadSanitizer: data race (pid=1)  Write of size 8 at 0x7b by main thread: #0 -[Wallet setBalance:] Wallet.m:10  #1 _NSSetDoubleValueAndNotify <null>
      """#
    },
    Sample("a memory graph leak listing") {
      #"""
      Leak: 0x600 size=64 zone: DefaultMallocZone <NSKeyValueObservance 0x600> NSKeyValueObservationInfo
      """#
    },
    Sample("RxSwift") {
      #"""
      Fatal error: Binding error: unable to observe keyPath "balance" KVO
      """#
    },
    Sample("lldb at an exception breakpoint of something else") {
      #"""
      * thread #1, queue = 'com.apple.main-thread', stop reason = breakpoint 2.1
        * frame #0: 0x1 libobjc.A.dylib`objc_exception_throw
          frame #1: 0x2 CoreFoundation`-[__NSArrayM objectAtIndex:] + 2
          frame #2: 0x3 Shop`-[BalanceView observeValueForKeyPath:ofObject:change:context:] at B.m:2
          frame #3: 0x4 Foundation`NSKeyValueNotifyObserver + 2
      """#
    },
    Sample("JavaScript") {
      #"""
      Uncaught TypeError: Cannot read property 'observe' of undefined at IntersectionObserver
      """#
    },
    Sample("Kotlin") {
      #"""
      java.lang.IllegalStateException: Observer is not registered: cannot remove
      """#
    },
    Sample("a doc about exceptions") {
      #"""
      Raises an NSRangeException if anObserver is not registered as an observer of the receiver for the key path.
      """#
    },
    Sample("an issue template") {
      #"""
      **Describe the bug** crash in KVO. **Expected** no crash. NSKeyValueObserving
      """#
    },
    Sample("crash in CoreData below will change") {
      #"""
      Exception Type: EXC_BAD_ACCESS (SIGSEGV)
      Thread 0 Crashed:
      0   CoreData  0x1 -[NSManagedObject willAccessValueForKey:] + 16
      1   Shop      0x2 -[Wallet balance] + 10
      2   Foundation 0x3 NSKeyValueWillChange + 20
      """#
    },
  ]
}
