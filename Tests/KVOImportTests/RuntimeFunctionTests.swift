import KVOFindings
import KVORules
import Testing

/// What the functions of Foundation prove that stand in stacks.
@Suite("Functions of the runtime") struct RuntimeFunctionTests {
  private static func report(
    _ functions: [String],
    type: String = "EXC_BAD_ACCESS (SIGSEGV)",
    top: String = "objc_msgSend"
  ) -> String {
    let frames = ([top] + functions).enumerated().map { index, name in
      let image =
        index == 0 ? "libobjc.A.dylib" : name.hasPrefix("-[Gauge") ? "Gauges" : "Foundation"
      return "\(index)   \(image)  0x00000001b290e4a\(index) \(name) + 16"
    }
    return "Process: Gauges [1]\nException Type:  \(type)\nThread 0 Crashed:\n"
      + frames.joined(separator: "\n") + "\n"
  }

  private static let retains =
    "KVO_IS_RETAINING_ALL_OBSERVERS_OF_THIS_OBJECT_IF_IT_CRASHES_AN_OBSERVER_WAS_OVERRELEASED_OR_SMASHED"
  private static let own = "-[GaugeModel setLevel:]"

  @Test(
    "a bad access on top of each identifies its rule",
    arguments: [
      ([retains, "NSKeyValueWillChangeWithPerThreadPendingNotifications", own], "KVO008 ?.? < ?"),
      (
        ["_NSKeyValueObservationInfoGetObservances", "NSKeyValueWillChange", own], "KVO008 ?.? < ?"
      ),
      (["NSKeyValueNotifyObserver", own], "KVO008 ?.? < ?"),
      (["NSKeyValueDidChangeWithPerThreadPendingNotifications", own], "KVO008 ?.? < ?"),
      (["_NSSetObjectValueAndNotify", own], "KVO008 ?.? < ?"),
      (["@objc NSKeyValueObservation.Helper._swizzle_me_observeValue(_:)", own], "KVO008 ?.? < ?"),
      (["_NSSetBoolValueAndNotify", own], "KVO008 ?.? < ?"),
      (["__NSSetIntValueAndNotify", own], "KVO008 ?.? < ?"),
      (["_NSSetValueAndNotifyForKeyInIvar", own], "KVO008 ?.? < ?"),
      (["_NSSetValueAndNotifyForUndefinedKey", own], "KVO008 ?.? < ?"),
      (["NSKVOInsertObjectAtIndexAndNotify", own], "KVO008 ?.? < ?"),
      (["_NSKVORemoveObjectAtIndexAndNotify", own], "KVO008 ?.? < ?"),
      (["NSKVOUnionSetAndNotify", own], "KVO008 ?.? < ?"),
      (["NSKeyValueWillChange", own], "KVO008 ?.? < ?"),
      (["NSKeyValueWillChangeBySetting", own], "KVO008 ?.? < ?"),
      (["NSKeyValueDidChangeBySetting", own], "KVO008 ?.? < ?"),
      (["NSKeyValuePushPendingNotificationPerThread", own], "KVO008 ?.? < ?"),
      (
        [
          "NSKVOPendingNotificationCreate", "NSKeyValuePushPendingNotificationPerThread",
          "NSKeyValueWillChange", own,
        ], "KVO008 ?.? < ?"
      ),
      (["NSKeyValuePopPendingNotificationPerThread", own], "KVO008 ?.? < ?"),
      (
        ["-[NSObject(NSKeyValueObserverNotification) didChangeValueForKey:]", own], "KVO008 ?.? < ?"
      ),
      (
        ["-[NSObject(NSKeyValueObserverNotification) willChangeValueForKey:]", own],
        "KVO008 ?.? < ?"
      ),
      (
        [
          "-[NSObject(NSKeyValueObservingPrivate) _changeValueForKeys:count:maybeOldValuesDict:maybeNewValuesDict:usingBlock:]",
          own,
        ], "KVO008 ?.? < ?"
      ),
      (
        ["-[NSObject(NSKeyValueObservingPrivate) _notifyObserversForKeyPath:change:]", own],
        "KVO008 ?.? < ?"
      ),
      (
        ["-[NSUserDefaults(NSUserDefaults) _changeValueForKey:key:key:usingBlock:]", own],
        "KVO008 ?.? < ?"
      ),
      (
        [
          "-[NSKeyValueNestedProperty object:withObservance:didChangeValueForKeyOrKeys:recurse:forwardingValues:]",
          own,
        ], "KVO008 ?.? < ?"
      ),
      (
        [
          "-[NSKeyValueUnnestedProperty object:withObservance:willChangeValueForKeyOrKeys:recurse:forwardingValues:]",
          own,
        ], "KVO008 ?.? < ?"
      ),
      (
        ["-[NSKeyValueObservance observeValueForKeyPath:ofObject:change:context:]", own],
        "KVO008 ?.? < ?"
      ),
      (["_NSKeyValueObservationInfoCreateByRemoving", own], "KVO025~ ?.? < ?"),
      (["_NSKeyValueObservationInfoCreateByAdding", own], "KVO025~ ?.? < ?"),
      (["NSKeyValueObservationInfoHash", own], "KVO025~ ?.? < ?"),
      (["_NSKeyValueRetainedObservationInfoForObject", own], "KVO025~ ?.? < ?"),
      (["_NSKeyValueReplaceObservationInfoForObject", own], "KVO025~ ?.? < ?"),
      (["_NSKeyValueRemoveObserver", own], "KVO025~ ?.? < ?"),
      (["_NSKeyValueAddObserver", own], "KVO025~ ?.? < ?"),
      (["NSKVOPendingNotificationRelease", own], "KVO025~ ?.? < ?"),
      (
        ["-[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]", own],
        "KVO025~ ?.? < ?"
      ),
      (
        ["-[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:context:]", own],
        "KVO025~ ?.? < ?"
      ),
      (
        [
          "-[NSObject(NSKeyValueObserverRegistration) _addObserver:forProperty:options:context:]",
          own,
        ], "KVO025~ ?.? < ?"
      ),
      (
        [
          "-[NSObject(NSKeyValueObserverRegistration) addObserver:forKeyPath:options:context:]",
          own,
        ], "KVO025~ ?.? < ?"
      ),
      (["-[NSKeyValueShareableObservanceKey hash]", own], "KVO025~ ?.? < ?"),
      (
        [
          "-[NSKeyValueObservance _initWithObserver:property:options:context:originalObservable:]",
          own,
        ], "KVO025~ ?.? < ?"
      ),
      (["-[NSKeyValueUnnestedProperty isaForAutonotifying]", own], "KVO025~ ?.? < ?"),
      (["NSKeyValueObservation.Helper.invalidate()", own], "KVO025~ ?.? < ?"),
      (["NSKVODeallocate", own], "KVO006~ ?.? < ?"),
      (["-[_NSKVODeallocSentinel dealloc]", own], "KVO006~ ?.? < ?"),
      (["NSKeyValueObservation.invalidate()", own], "KVO025~ ?.? < ?"),
      (
        [
          "NSKeyValueObservationInfoGetObservances",
          "-[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:]", own,
        ],
        "KVO025~ ?.? < ?"
      ),
    ]
  )
  func rules(functions: [String], says: String) {
    #expect(Reading.summary(Self.report(functions)) == [says])
    // Under pointer authentication the same ends with a breakpoint.
    let signed = Self.report(functions, type: "EXC_BREAKPOINT (SIGTRAP)", top: "objc_retain")
    #expect(Reading.summary(signed) == [says])
    // A trap in a callback is not such a fault.
    let trap = Self.report(
      [Self.own] + functions,
      type: "EXC_BREAKPOINT (SIGTRAP)",
      top: "swift_trap"
    )
    #expect(Reading.summary(trap) == [])
    // A name alone is no crash.
    #expect(Reading.summary("It crashes: `\(functions[0])`.\n") == [])
    #expect(Reading.summary("// It crashes in\n// \(functions[0])\n") == [])
  }

  /// The functions of published stacks, innermost first, below the one of the runtime that reads an object.
  ///
  /// MMPlayerView#98 and Player#247, react-native-webview#3025, whosebug.com/question/3005820,
  /// flutter#124937 (three).
  @Test(
    "a system that changes a value for a deallocated observer is reported as that, whatever the system is",
    arguments: [
      [
        retains, "NSKeyValueWillChangeWithPerThreadPendingNotifications",
        "__31-[AVPlayerItem _updateTimebase]_block_invoke_2",
      ],
      [
        retains, "NSKeyValueWillChangeWithPerThreadPendingNotifications",
        "WebKit::PageClientImplCocoa::gpuProcessDidExit()",
      ],
      [
        retains, "NSKeyValueWillChangeWithPerThreadPendingNotifications",
        "CAAnimation_setter(CAAnimation*, unsigned int, _CAValueType, void const*)",
      ],
      [
        "_NSKVONotifyingOriginalClassForIsa", "_NSKeyValueObservationInfoGetObservances",
        "NSKeyValueWillChangeWithPerThreadPendingNotifications",
        "__avplayeritem_fpItemNotificationCallback_block_invoke",
      ],
      [
        "_NSKeyValueObservationInfoGetObservances",
        "NSKeyValueWillChangeWithPerThreadPendingNotifications",
        "-[AVPlayerItem _informObserversAboutAvailabilityOfTracks:]",
      ],
    ]
  )
  func published(functions: [String]) {
    let tops = ["object_isClass", "lookUpImpOrNilTryCache", "object_getClass"]
    for top in tops {
      #expect(Reading.summary(Self.report(functions, top: top)) == ["KVO008 ?.? < ?"])
    }
  }

  /// MBProgressHUD#183, Kiwi#364 and KVOController#34: tests that bring a second copy of the app's classes.
  @Test("a class that is registered without having been made is one that is there twice")
  func classPair() throws {
    let below = [
      "_NSKVONotifyingCreateInfoWithOriginalClass", "_NSKeyValueContainerClassGetNotifyingInfo",
      "-[NSKeyValueUnnestedProperty _isaForAutonotifying]",
      "-[NSObject(NSKeyValueObserverRegistration) addObserver:forKeyPath:options:context:]",
      Self.own,
    ]
    let text = Self.report(below, top: "objc_registerClassPair")
    #expect(Reading.summary(text) == ["KVO030 ?.? < ?"])
    let finding = try #require(Reading.findings(text).first)
    #expect(finding.consequence == .crash)
    #expect(CrashAdvice(finding).search.contains("is implemented in both"))
    #expect(finding.message.hasSuffix("the class is in the process twice"))
    #expect(finding.stacks.first?.frames.first(where: \.isFirstOwn)?.symbol == Self.own)
    // If the text does not say how it ended, as in KVOController#34, it is a likely one.
    let bare =
      "Crashing in tests\n#0\t0x01 in objc_registerClassPair ()\n"
      + "#1\t0x02 in _NSKVONotifyingCreateInfoWithOriginalClass ()\n#2\t0x03 in -[GaugeModel watch] ()\n"
    #expect(Reading.summary(bare) == ["KVO030~ ?.? < ?"])
    // WordPress-iOS#10389: Swift's runtime fails while the class is copied, which no second class explains.
    let copying = ["objc_allocateClassPair"] + below
    #expect(
      Reading.summary(Self.report(copying, top: "swift_objc_classCopyFixupHandler")) == []
    )
    // The program's own class, created twice.
    #expect(
      Reading.summary(Self.report(["+[GaugeFactory load]"], top: "objc_registerClassPair")) == []
    )
  }

  @Test("a debugger that stops at the runtime's complaint shows an observed object")
  func complaint() {
    let stop = """
      * thread #1, queue = 'com.apple.main-thread', stop reason = breakpoint 2.1
        * frame #0: 0x01 Foundation`NSKVODeallocateBreak
          frame #1: 0x02 Foundation`NSKVODeallocate + 240
          frame #2: 0x03 Gauges`-[GaugeModel stop] + 12
      """
    #expect(Reading.summary(stop) == ["KVO006 ?.? < ?"])
    #expect(Reading.summary("Set a breakpoint on NSKVODeallocateBreak to find it.\n") == [])
    #expect(
      Reading.summary(stop.replacing("NSKVODeallocateBreak", with: "-[GaugeModel dealloc]")) == []
    )
  }

  /// ish-app/ish#980.
  @Test("an exception that the runtime raises for an unhandled notification needs no words")
  func unhandledStack() {
    let text = """
      Last Exception Backtrace:
      0   CoreFoundation  0x187ec8878 __exceptionPreprocess + 220 (NSException.m:199)
      1   libobjc.A.dylib 0x19c3cec50 objc_exception_throw + 60 (objc-exception.mm:565)
      2   Foundation      0x1891ed7bc -[NSObject(NSKeyValueObserving) observeValueForKeyPath:ofObject:change:context:] + 264
      3   Foundation      0x1891ed8e0 NSKeyValueNotifyObserver + 292
      4   Gauges          0x10223d540 -[GaugeModel setLevel:] + 24 (GaugeModel.m:16)
      """
    #expect(Reading.summary(text) == ["KVO017 ?.? < ?"])
  }

  /// A stack in which a callback is called `depth` times within itself.
  private static func recursion(_ depth: Int, type: String) -> String {
    let calls = [
      "Foundation   0x1819a1150 NSKeyValueDidChange + 328",
      "Foundation   0x181a4c3a0 -[NSObject(NSKeyValueObservingPrivate) _changeValueForKey:key:key:usingBlock:] + 72",
      "Foundation   0x181a4d97c _NSSetLongLongValueAndNotify + 312",
      "Gauges       0x10223d540 -[GaugeView observeValueForKeyPath:ofObject:change:context:] + 144 (GaugeView.m:71)",
      "Foundation   0x1819a0e20 NSKeyValueNotifyObserver + 292",
    ]
    let lines = (0..<depth).flatMap { _ in calls }.enumerated().map { "\($0 + 1)   \($1)" }
    return """
      Exception Type:  \(type)
      Thread 0 Crashed:
      0   Foundation   0x1819a10b4 NSKeyValueDidChange + 20
      \(lines.joined(separator: "\n"))
      """
  }

  @Test("a stack that is full of one callback is a recursion, and no observer is deallocated")
  func recursiveCallback() {
    let full = Self.recursion(30, type: "EXC_BAD_ACCESS (SIGSEGV)")
    #expect(Reading.summary(full) == ["KVO027 ?.? < ?"])
    // What is on top was called last.
    let allocating = full.replacing("0x1819a10b4 NSKeyValueDidChange", with: "0x1819a10b4 malloc")
    #expect(Reading.summary(allocating) == ["KVO027 ?.? < ?"])
    #expect(
      Reading.summary(Self.recursion(8, type: "EXC_BAD_ACCESS (SIGSEGV)")) == ["KVO008 ?.? < ?"]
    )
    #expect(Reading.summary(Self.recursion(30, type: "EXC_CRASH (SIGKILL)")) == [])
    #expect(Reading.summary(Self.recursion(30, type: "EXC_CRASH (SIGABRT)")) == [])
  }

  @Test("the handler of a signal is above the crashed frame")
  func handler() {
    let text = """
      Thread 0 Crashed:: Dispatch queue: com.example
      0   libsystem_kernel.dylib    0x00007fff5f21c2c6 __pthread_kill + 10
      1   libsystem_c.dylib         0x00007fff5f1866a6 abort + 127
      2   libmono.dylib             0x00000001134e2dcf mono_sigsegv_signal_handler + 414
      3   libsystem_platform.dylib  0x00007fff5f2ccb5d _sigtramp + 29
      4   ???                       000000000000000000 0 + 0
      5   com.apple.Foundation      0x00007fff353ede68 \(Self.retains) + 57
      6   com.apple.AVFoundation    0x00007fff353ede99 -[AVPlayer setRate:] + 57
      7   Gauges                    0x00007fff353edbbf -[GaugeModel play] + 355
      """
    #expect(Reading.summary(text) == ["KVO008 ?.? < ?"])
    let own = Reading.findings(text).first?.stacks.first?.frames.first(where: \.isFirstOwn)
    #expect(own?.symbol == "-[GaugeModel play]")
  }

  @Test("a finding that only a stack shows names the stack's line")
  func line() {
    let text = "Hello,\n\nit crashes since yesterday.\n\n" + Self.report([Self.retains, Self.own])
    #expect(Reading.findings(text).first?.events == [8])
  }

  @Test(
    "frames are read in the forms of debuggers, whole and split over lines",
    arguments: [
      "#0  0x01 in objc_msgSend ()\n#1 (null) in NSKeyValueNotifyObserver ()\n#2 (null) in -[GaugeModel poll] ()",
      "> (lldb) bt\n> * thread #1, stop reason = EXC_BAD_ACCESS (code=1)\n>   * frame #0: 0x1 libobjc.A.dylib`objc_msgSend + 16\n>     frame #1: 0x2 Foundation`NSKeyValueNotifyObserver + 3\n>     frame #2: 0x3 Gauges`-[GaugeModel poll] + 3",
      "0   libobjc.A.dylib\n    0x00000001b290e4ac objc_msgSend + 16\n1   Foundation\n    0x00000001b290e4ad NSKeyValueNotifyObserver + 3\n2   Gauges\n    0x00000001b290e4ae -[GaugeModel poll] + 3",
      "0   libobjc.A.dylib 0x00000001b290e4ac\nobjc_msgSend + 16\n1   Foundation 0x00000001b290e4ad\nNSKeyValueNotifyObserver + 3\n2   Gauges 0x00000001b290e4ae\n-[GaugeModel poll] + 3",
    ]
  )
  func forms(frames: String) {
    let text = "EXC_BAD_ACCESS in the observer\n\(frames)\n"
    #expect(Reading.summary(text) == ["KVO008 ?.? < ?"])
    let own = Reading.findings(text).first?.stacks.first?.frames.first(where: \.isFirstOwn)
    #expect(own?.symbol == "-[GaugeModel poll]")
  }

  @Test(
    "a function that only forwards a call is not the user's",
    arguments: [
      "xamarin_dyn_objc_msgSend", "-[NSObject performSelector:withObject:]",
      "objc_msgSend$removeObserver:forKeyPath:", "-[FlutterMethodChannel invokeMethod:arguments:]",
      "-[RCTModuleMethod invokeWithBridge:module:arguments:]", "-[CDVCommandQueue execute:]",
    ]
  )
  func trampolines(name: String) {
    let text = """
      Fatal Exception: NSRangeException
      0  CoreFoundation   0x1 __exceptionPreprocess
      1  libobjc.A.dylib  0x2 objc_exception_throw
      2  Foundation       0x3 -[NSObject(NSKeyValueObserverRegistration) _removeObserver:forProperty:]
      3  Gauges           0x4 \(name)
      4  Gauges           0x5 -[GaugeModel stop]
      """
    let own = Reading.findings(text).first?.stacks.first?.frames.first(where: \.isFirstOwn)
    #expect(own?.symbol == "-[GaugeModel stop]")
  }

  @Test("the stack of another language beside the native one is its callers'")
  func managed() {
    let fault = ReportedFault("", .removal, "Meter", ["level"], "GaugeView")
    let frames = Reading.findings(Container.csharp.text(fault)).first?.stacks.first?.frames ?? []
    let own = frames.first(where: \.isFirstOwn)
    #expect(own?.symbol == "Gauges.iOS.LevelView.Dispose")
    #expect(own?.file == "LevelView.cs")
    #expect(own?.line == 88)
    let script = """
      *** JavaScript call stack:
      (
      0   UIApplicationMain@[native code]
      1   stop@file:///app/gauge.js:23:5
      )
      *** Terminating app due to uncaught exception 'NSRangeException', reason: '\(fault.sentence)'
      *** First throw call stack:
      (0x185036fe0 0x183a98538 0x185036f28 0x185a93160)
      """
    let named = Reading.findings(script).first?.stacks.first?.frames.first(where: \.isFirstOwn)
    #expect(named?.symbol == "stop")
    #expect(named?.file == "gauge.js")
  }
}
