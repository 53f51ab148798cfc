import KVORules
import Testing

/// Which frame of a report is the first of the user's code.
@Suite("The first own frame") struct OwnFrameTests {
  private static func own(_ text: String) -> String? {
    Reading.findings(text).first?.stacks.first?.frames.first(where: \.isFirstOwn)?.symbol
  }

  private static let head = """
    Process:             Gauges [812]
    OS Version:          iPhone OS 15.4 (19E241)

    Exception Type:  EXC_CRASH (SIGABRT)
    Triggered by Thread:  0


    """

  private static let reason = """
    Application Specific Information:
    *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer.'


    """

  /// nugu-developers/nugu-ios#763.
  @Test(
    "a handler of uncaught exceptions is not what raised, with and without names",
    arguments: [
      ("__handleUncaughtException + 728", "_objc_terminate() + 128", "std::terminate() + 44"),
      ("0x1b1077000 + 1228112", "0x1b0ec4000 + 25164", "0x1b0f61000 + 56068"),
    ]
  )
  func handler(names: (handler: String, runtime: String, cxx: String)) {
    let text =
      Self.head + Self.reason + """
        Thread 0 Crashed:
        0   libsystem_kernel.dylib  0x00000001b0f99ec4 __pthread_kill + 8
        1   libsystem_c.dylib       0x00000001b0e09844 abort + 124
        2   Gauges                  0x00000001049ca160 -[CrashKeeper end:] + 220
        3   Gauges                  0x00000001047da000 gauges_exception_handler + 60
        4   CoreFoundation          0x00000001b11a2d50 \(names.handler)
        5   libobjc.A.dylib         0x00000001b0eca24c \(names.runtime)
        6   libc++abi.dylib         0x00000001b0f6f304 \(names.cxx)
        7   libdispatch.dylib       0x00000001b0d0a010 _dispatch_client_callout + 40
        8   CoreFoundation          0x00000001b1100010 __CFRunLoopRun + 2332
        """
    #expect(Reading.summary(text) == ["KVO002 Meter.level < GaugeView"])
    #expect(Self.own(text) == nil)
    let called = text + "\n9   Gauges                  0x00000001047db000 -[Gauge close] + 60"
    #expect(Self.own(called) == "-[Gauge close]")
  }

  @Test("the bridge of Mono is not the user's code, and a wrapper of a method is")
  func mono() {
    let text = """
      Last Exception Backtrace:
      0   CoreFoundation   0x25e6cc1f __exceptionPreprocess + 127
      1   libobjc.A.dylib  0x338e5c8b objc_exception_throw + 38
      2   CoreFoundation   0x25e6cb65 +[NSException raise:format:] + 112
      3   Foundation       0x26b14c25 NSKVODeallocate + 288
      4   Gauges           0x009b39c8 invoke_objc_method_implementation (monotouch-glue.m:1530)
      5   Gauges           0x009b380c monotouch_release_trampoline (monotouch-glue.m:1559)
      6   Gauges           0x009b3000 wrapper_native_to_managed_ObjCRuntime_Runtime_throw_ns_exception_intptr + 48
      7   Gauges           0x009b2000 throw_exception + 48
      8   Gauges           0x008e111f -[Gauges_MeterController release] (registrar.m:1878)
      """
    #expect(Reading.summary(text) == ["KVO006 ?.? < ?"])
    #expect(Self.own(text) == "-[Gauges_MeterController release]")
  }

  @Test("remarks in a list of versions are not frames")
  func remarks() {
    let text = """
      Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer.

      === Gauge Kit ===
      Supported levels:
      \t2.1    (API level 7)
      \t2.2    (API level 8)
      \t4.0.3  (API level 15)
      \t4.4.87 (API level 20)
      """
    #expect(Reading.summary(text) == ["KVO002 Meter.level < GaugeView"])
    #expect(Reading.findings(text).first?.stacks.first?.frames.isEmpty == true)
    // A function of C++ that has no name space begins so, too.
    let called = text + "\n\n0   Gauges   (anonymous namespace)::close(int)\n1   Gauges   start()\n"
    #expect(Self.own(called) == "(anonymous namespace)::close(int)")
  }

  private static let raised = """
    Last Exception Backtrace:
    0   CoreFoundation    0x187ec8878 __exceptionPreprocess + 220
    1   libobjc.A.dylib   0x19c3cec50 objc_exception_throw + 60
    2   Foundation        0x1891ed7bc -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:] + 592
    3   TileServices      0x1a91efe70 -[TLHost stop] + 328
    4   GaugeKit          0x10523d540 -[GaugeSheet close] + 144

    Binary Images:
    0x105230000 - 0x105330fff GaugeKit arm64  <5b3d2c1a00014c559a5e0a3c6d7e8f90> /private/var/containers/Bundle/Application/A/Gauges.app/Frameworks/GaugeKit.framework/GaugeKit
    0x1a9100000 - 0x1a9ffffff TileServices arm64  <6b3d2c1a00014c559a5e0a3c6d7e8f90> /System/Library/PrivateFrameworks/TileServices.framework/TileServices
    """

  @Test("an image in a folder of the system is not the user's, whatever its name")
  func images() {
    let text = Self.head + Self.raised
    #expect(Self.own(text) == "-[GaugeSheet close]")
    let simulated = text.replacing(
      "/System/Library/PrivateFrameworks",
      with: "/Volumes/VOLUME/*/RuntimeRoot/System/Library/PrivateFrameworks"
    )
    #expect(Self.own(simulated) == "-[GaugeSheet close]")
    let library = text.replacing("/System/Library/PrivateFrameworks", with: "/Library/Frameworks")
    #expect(Self.own(library) == "-[TLHost stop]")
  }

  @Test("so in a report of two JSON documents")
  func jsonImages() {
    let text = #"""
      {"app_name":"Gauges","bug_type":"309","os_version":"iPhone OS 15.4"}
      {"procName":"Gauges","exception":{"type":"EXC_CRASH","signal":"SIGABRT"},"lastExceptionBacktrace":[{"symbol":"__exceptionPreprocess","imageIndex":0,"imageOffset":1},{"symbol":"objc_exception_throw","imageIndex":1,"imageOffset":1},{"symbol":"-[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]","imageIndex":2,"imageOffset":1},{"symbol":"-[TLHost stop]","imageIndex":3,"imageOffset":1},{"symbol":"-[GaugeSheet close]","imageIndex":4,"imageOffset":9}],"faultingThread":0,"threads":[{"triggered":true,"frames":[{"symbol":"__pthread_kill","imageIndex":5,"imageOffset":1}]}],"usedImages":[{"name":"CoreFoundation","base":1},{"name":"libobjc.A.dylib","base":2},{"name":"Foundation","base":3},{"name":"TileServices","base":4,"path":"\/System\/Library\/PrivateFrameworks\/TileServices.framework\/TileServices"},{"name":"GaugeKit","base":5,"path":"\/private\/var\/Gauges.app\/Frameworks\/GaugeKit.framework\/GaugeKit"},{"name":"libsystem_kernel.dylib","base":6}]}
      """#
    #expect(Self.own(text) == "-[GaugeSheet close]")
  }

  @Test("a framework of the system is known without a list of images")
  func frameworks() {
    let text = Self.raised.replacing("TileServices", with: "PhotosUICore")
      .split(separator: "\n").prefix { !$0.hasPrefix("Binary") }.joined(separator: "\n")
    #expect(Self.own(text) == "-[GaugeSheet close]")
  }

  /// Reports of macOS name images by identifiers, whose last parts need not be names of frameworks.
  @Test(
    "an image with an identifier of Apple's is not the user's",
    arguments: ["com.apple.security", "com.apple.avfoundation", "com.apple.CoreMediaIO.framework"]
  )
  func identifiers(image: String) {
    let text = Self.raised.replacing("TileServices", with: image)
      .split(separator: "\n").prefix { !$0.hasPrefix("Binary") }.joined(separator: "\n")
    #expect(Self.own(text) == "-[GaugeSheet close]")
    // The own code of an application of Apple's, whose process has the same name.
    let head = Self.head.replacing("Gauges", with: "Tiles")
    let apple = head + Self.raised.replacing("TileServices", with: "com.apple.Tiles")
    #expect(Self.own(apple) == "-[TLHost stop]")
  }
}
