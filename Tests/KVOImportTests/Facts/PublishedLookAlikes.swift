// One row a line, so that rows compare at a glance.
// swift-format-ignore-file

/// What people publish that has the words or the functions of observing, and is no fault of it.
///
/// The texts are of our own, in the form that the source has: an issue, a page, a file, or what another language prints.
enum PublishedLookAlikes {
  static let all = crashes + exceptions + prose + sources + logs + later

  /// The stack of a crash with `functions` from the innermost on; those of the program are `Gauge…`.
  private static func crash(_ functions: [String], _ head: String = "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)") -> String {
    "Process: Gauges [1]\n\(head)\n\nThread 0 Crashed:\n"
      + functions.enumerated().map { index, name in
        let image = name.contains("Gauge") ? "Gauges" : name.hasPrefix("objc_") ? "libobjc.A.dylib" : "Foundation"
        return "\(index)   \(image)  0x00000001b290e4a\(index % 10) \(name) + \(16 + index)\n"
      }.joined()
  }

  private static func raised(_ name: String, _ functions: [String]) -> String {
    "Fatal Exception: \(name)\n"
      + (["__exceptionPreprocess", "objc_exception_throw"] + functions).enumerated().map { index, function in
        let image = function.contains("Gauge") ? "Gauges" : index == 1 ? "libobjc.A.dylib" : "Foundation"
        return "\(index)  \(image)  0x182da6e3\(index % 10) \(function)\n"
      }.joined()
  }

  private static func exception(_ name: String, _ reason: String) -> String {
    "2024-03-05 10:11:12.345 Gauges[812:99001] *** Terminating app due to uncaught exception '\(name)', reason: '\(reason)'\n*** First throw call stack:\n(0x185036fe0 0x183a98538 0x185036f28)\n"
  }

  private static let callback = "-[GaugeWatcher observeValueForKeyPath:ofObject:change:context:]"

  private static let crashes: [Sample] = [
    Sample("RZDataBinding#54") { crash(["objc_msgSend", "-[GaugeModel offered:]", callback, "NSKeyValueNotifyObserver", "NSKeyValueDidChange"]) },
    Sample("CSNotificationView#32") { crash(["-[NSArray isEqual:]", "-[UINavigationController loadView]", "-[GaugeView hiddenFrame]", callback, "NSKeyValueNotifyObserver"], "EXC_BAD_ACCESS KERN_PROTECTION_FAILURE") },
    Sample("realm-swift#5287") { crash(["objc_retain", "GaugeObservationInfo::didChange(NSString*, NSKeyValueChange, NSIndexSet*) const", "GaugeDidChange(std::vector<State>)"], "Exception Type: EXC_BAD_ACCESS (SIGBUS)") },
    Sample("Cakebrew#206") { crash(["-[NSView setNeedsDisplay:]", "-[GaugePanel reload]", "NSKeyValueNotifyObserver", "NSKeyValueDidChange", "_NSSetCharValueAndNotify", "-[GaugeModel poll]"]) },
    Sample("NetNewsWire#1481") { crash(["__NSOQSchedule", "+[__NSOperationInternalObserver _observeValueForKeyPath:ofObject:changeKind:oldValue:newValue:indexes:context:]", "NSKeyValueNotifyObserver", "NSKeyValueDidChange"]) },
    Sample("BlocksKit#216") { crash(["realizeClass(objc_class*)", "lookUpImpOrForward", "objc_msgSend_uncached", "-[_GaugeObserver stopObservingLocked]", "-[_GaugeObserver dealloc]"]) },
    Sample("MXParallaxHeader#111") { crash(["tiny_malloc_should_clear", "(Missing)", "(Missing)", "-[GaugeScrollView observeValueForKeyPath:ofObject:change:context:]"]) },
    Sample("flutter#168535") { crash(["__pthread_kill", "abort", "swift::fatalError(unsigned int, char const*, ...)", "swift_unownedRetainStrong", "GaugeView.observeValue(forKeyPath:of:change:context:)", "NSKeyValueNotifyObserver"], "Exception Type:  EXC_CRASH (SIGABRT)") },
    Sample("openradar 18349647") { "It crashes at once.\n- (void)observe {\n  [self addObserver:self forKeyPath:@\"level\" options:0 context:NULL];\n}\n* thread #2, 0x00007fff84092097 libobjc.A.dylib`objc_msgSend + 23, stop reason = EXC_BAD_ACCESS (code=1, address=0x18)\n  frame #0: 0x00007fff84092097 libobjc.A.dylib`objc_msgSend + 23\n" },
    Sample("react-native#8420") { crash(["objc_msgSend", "__CFNOTIFICATIONCENTER_IS_CALLING_OUT_TO_AN_OBSERVER__", "_CFXNotificationPost", "-[NSNotificationCenter postNotificationName:object:userInfo:]"]) },
    Sample("react-native-webview#213") { crash(["objc_msgSend", "-[WKScrollView _updateDelegate]", "-[WKWebView dealloc]", "-[GaugePage removeFromSuperview]"]) },
    Sample("JJException#86") { crash(["-[GaugeItem isEqual:]", "-[__NSSetM member:]", "-[NSSet containsObject:]", "-[NSObject(GaugeGuard) hookAddObserver:forKeyPath:options:context:]"]) },
    Sample("macios#18768") { "\tNative stacktrace:\n\t0x10dcb3774 - /x/AObserverTest.app/libmonosgen-2.0.dylib : mono_dump_native_crash_info\n\t0x10dbae51f - /x/AObserverTest.app/libmonosgen-2.0.dylib : mono_sigsegv_signal_handler_debug\n\t0x1211a35ed - /usr/lib/system/libsystem_platform.dylib : _sigtramp\n\t0x12094e5ac - /usr/lib/system/libsystem_malloc.dylib : free_small\n" },
    Sample("KPCC-iPhone#95") { "#### in -[NSObject(NSKeyValueObserving) observeValueForKeyPath:ofObject:change:context:]\n\n* Number of crashes: 41\n* Impacted devices: 41\n" },
    Sample("KPCC-iPhone#98") { "#### in -[NSObject(NSKeyValueObserverNotification) willChangeValueForKey:]\n\n* Number of crashes: 44\n" },
    Sample("KPCC-iPhone#94") { "#### in NSKeyValuePushPendingNotificationPerThread\n\n* Number of crashes: 40\n" },
    Sample("a watchdog below a setter") { crash(["semaphore_wait_trap", "-[GaugeStore sync]", callback, "NSKeyValueNotifyObserver", "_NSSetIntValueAndNotify"], "Exception Type:  EXC_CRASH (SIGKILL)\nTermination Reason: FRONTBOARD 0x8badf00d") },
    Sample("a trap in a closure of an observation") { crash(["swift_unexpectedError", "closure #1 in GaugeView.bind()", "NSKeyValueObservation.Helper.observeValue(forKeyPath:of:change:context:)", "NSKeyValueNotifyObserver"], "Exception Type:  EXC_BREAKPOINT (SIGTRAP)") },
  ]

  private static let exceptions: [Sample] = [
    Sample("RZDataBinding#34") { exception("NSUnknownKeyException", "[<GaugeLine 0x7fdaa492cbc0> valueForUndefinedKey:]: this class is not key value coding-compliant for the key font.") },
    Sample("bignerdranch 11524") { exception("NSUnknownKeyException", "[<NSApplication 0x60c000101dd0> valueForUndefinedKey:]: this class is not key value coding-compliant for the key temperature.") + "0 CoreFoundation 0x1 __exceptionPreprocess + 171\n1 libobjc.A.dylib 0x2 objc_exception_throw + 48\n2 Foundation 0x3 -[NSObject(NSKeyValueCoding) valueForUndefinedKey:] + 226\n3 AppKit 0x4 -[NSBinder valueForBinding:resolveMarkersToPlaceholders:] + 162\n" },
    Sample("waynehartman.com unknown key") { exception("NSUnknownKeyException", "[ setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key play.") },
    Sample("tech.kurojica.com 13121") { exception("NSUnknownKeyException", "[<Test.GaugeButton 0x7ae7d860> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key keyPath.") },
    Sample("programmingwithswift.com") { exception("NSUnknownKeyException", "[<Coding.GaugeController 0x7f91cef0ade0> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key inputText.") },
    Sample("xuaninitial.com undefined key") { exception("NSUnknownKeyException", "[<GaugeData 0x600000203d50> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key stockName.") },
    Sample("KVO-MVVM#32") { exception("NSInternalInconsistencyException", "Class GaugeCell cannot observe keypath \"playerView.layer.isReady\" use property name \"ready\" instead of getter name \"isReady\"") },
    Sample("WinObjC#289") { "> NSInvalidArgumentException\n> Reason: Class GaugeA is not KVC compliant for key b.\n\n[self addObserver:self forKeyPath:@\"a.dict.b\" options:0 context:nil];\n" },
    Sample("ioctocat#385") { "<pre>GaugeMenu;observeValueForKeyPath:ofObject:change:context:;GaugeMenu.m;164\n-;start;;</pre>\n\n" + exception("NSInternalInconsistencyException", "Invalid update: invalid number of rows in section 1.  The number of rows contained in an existing section after the update (2) must be equal to the number before it.") },
    Sample("ioctocat#314") { exception("NSRangeException", "*** -[__NSArrayI objectAtIndex:]: index 5 beyond bounds [0 .. 3]") },
    Sample("BFPaperTableViewCell#7") { exception("NSRangeException", "*** -[__NSArrayM objectAtIndex:]: index 0 beyond bounds for empty array") },
    Sample("AsyncDisplayKit#175") { raised("NSInternalInconsistencyException", ["-[NSAssertionHandler handleFailureInMethod:object:file:lineNumber:description:]", "-[UITableView _endCellAnimationsWithContext:]", "-[GaugeTable reload]", callback, "NSKeyValueNotifyObserver"]) },
    Sample("WordPress-iOS#1469") { raised("NSInternalInconsistencyException", ["-[UITableView reloadSections:withRowAnimation:]", "-[GaugeStats dayChanged:]"]) },
    Sample("WordPress-iOS#15368") { "NSInternalInconsistencyException: Attempted to perform update with invalid index path: <NSIndexPath: 0x283a1b9a0> {length = 2, path...\n  File \"GaugeNotifications.swift\", line 910, in GaugeNotifications.selectRow\n" },
    Sample("maui#14140") { "  Native stack trace:\n  \t0   CoreFoundation  0x000000010c6288ab __exceptionPreprocess + 242\n  \t1   libobjc.A.dylib  0x000000011daacba3 objc_exception_throw + 48\n  \t2   Foundation  0x0000000113eb39b9 -[NSObject(NSKeyValueObserverRegistration) _addObserver:forProperty:options:context:] + 0\n  \t3   Foundation  0x0000000113eb3e93 NSKeyValueNotifyObserver + 304\n  \t4   Foundation  0x0000000113eb76f0 NSKeyValueDidChange + 462\n" },
    Sample("macios#12006") { "Error disposing of observer: System.ObjectDisposedException: Cannot access a disposed object.\nObject name: 'GaugeImageView'.\n  at Foundation.NSObject.RemoveObserver (Foundation.NSObject observer, Foundation.NSString keyPath) [0x00010] in /b/NSObject2.cs:401\n" },
    Sample("ReactiveObjC#171") { exception("NSInvalidArgumentException", "+[NSString stringWithUTF8String:]: unrecognized selector sent to class 0x7fff") },
    Sample("Typeset#17") { exception("NSInvalidArgumentException", "-[GaugeLabel removeObserver:]: unrecognized selector sent to instance 0x7f8e1c") },
    Sample("packages#4202") { "```\n*** -[GaugePlayer retainWeakReference]: message sent to deallocated instance 0x6030009b2e10\n```\nThe stack has `NSKeyValueWillChange`, so a notification is sent to it.\n" },
    Sample("stackoverflow 1585688") { "#0 0x01dc43a7 in ___forwarding___\n#1 0x01da06c2 in __forwarding_prep_0___\n2009-10-18 20:28:34.404 Gauges[12428:207] *** -[GaugeBar respondsToSelector:]: message sent to deallocated instance 0x3b2b2a0\n" },
    Sample("r2-navigator-swift#19") { "It stops in `removeObserver`, called in `deinit`:\n`Cannot form weak reference to instance (0x7f9d6c8a6200) of class GaugeKit.WebView. It is possible that this object was over-released, or is in the process of deallocation.`\n" },
  ]

  private static let prose: [Sample] = [
    Sample("emitter-kit#36") { "I think this fixes `-observeValueForKeyPath:ofObject:change:context: message was received but not handled.`\n" },
    Sample("mux-stats-sdk-avplayer#95") { "If the item is released while we observe it, it can lead to this crash:\n```\nKVO_IS_RETAINING_ALL_OBSERVERS_OF_THIS_OBJECT_IF_IT_CRASHES_AN_OBSERVER_WAS_OVERRELEASED_OR_SMASHED\n```\nI added an observer for `level` lately.\n" },
    Sample("SJSegmentedViewController#78") { "In rare cases the app might crash because of:\n`KVO_IS_RETAINING_ALL_OBSERVERS_OF_THIS_OBJECT_IF_IT_CRASHES_AN_OBSERVER_WAS_OVERRELEASED_OR_SMASHED `\n\nYou add observers in `GaugeScroll` and remove them in `GaugeController`.\n" },
    Sample("Material#1180") { "On iOS 10, NSKeyValueObservation crashes during deinit. It is a known issue.\n" },
    Sample("edx-app-ios#685") { "You have to remove an observer before the observed object gets deallocated, so the observer was called late.\n" },
    Sample("openradar 16593557") { "The documentation of removeObserver:forKeyPath: should say that it raises an exception if it is not observing.\n" },
    Sample("openradar 34307466, retold") { "Removing an observer inside of its initial notification raises NSRangeException, though it is registered.\n" },
    Sample("openradar 48345603") { "Observing a key path with more than one key while the root object changes on several threads raises an exception that says the observer cannot be updated.\n" },
    Sample("juejin 7605174711181721663") { "- 后果: EXC_BAD_ACCESS (野指针崩溃) 。\n- 原因: 当被观察属性改变时,KVO 尝试向那个已经失效的内存地址发送-observeValueForKeyPath:...消息。\n" },
    Sample("juejin 7605174711181721663, double removal") { "- 现象:\nNSRangeException崩溃,提示Cannot remove an observer for the key path \"xxx\" because it is not registe" },
    Sample("greatytc d2efe84d9450") { "crash场景:\n1.移除了未注册的观察者,导致崩溃。\n2.添加了观察者,但未实现 observeValueForKeyPath:ofObject:change:context: 方法,导致崩溃。\n" },
    Sample("kka7.tistory.com/582") { "1. removeObserver 누락으로 크래시 발생\nmodel.addObserver(self, forKeyPath: #keyPath(Gauge.value), options: [.new], context: nil)\n" },
    Sample("RxSwift Why.md") { "Instead of:\n\n```\n`Gauge` was deallocated while key value observers were still registered with it. Observation info was leaked, and may even become mistakenly attached to some other object.\n```\n\nuse `rx.observe`.\n" },
    Sample("apple-docs.everest.mt invalidate()") { "invalidate() will be called automatically when an NSKeyValueObservation is deinited. Declaration @objc func invalidate()\n" },
    Sample("rusutikaa.github.io removeObserver") { "It is an error to call removeObserver(_:forKeyPath:) if the object has not been registered as an observer.\n" },
    Sample("Learning-AV-Foundation#3") { "The item would be deallocated with a keypath observer still attached to it; now I remove an observer that does not exist anymore.\n" },
    Sample("loudspeaker#7") { "`reset` has no safety when removing KVO observers, which can lead to crashes if `reset` is called more than once.\n" },
    Sample("libs-base#64") { "It was removing itself as an observer of \"isFinished\" both in the callback and in dealloc, which would cause an error when unregistering non-registered observers.\n" },
    Sample("libs-base#728") { "A key path that continues through an array or a set registers an observation that can never fire; it raises now.\n" },
    Sample("SwiftAudioEx#78, its title") { "Crash in `AVPlayerItemObserver` with `playbackLikelyToKeepUp` not registered as observer\n" },
    Sample("iSoul#17, its title") { "bug: \"Cannot remove an observer...because it is not registered as an observer\" error\n" },
  ]

  private static let sources: [Sample] = [
    Sample("cappuccino CPKeyValueObserving.j") { "        CPLog.warn(@\"Cannot remove an observer %@ for the key path \\\"%@\\\" from %@ because it is not registered as an observer.\", anObserver, aPath, self);\n" },
    Sample("WinObjC NSEnumeratorInternal.h") { "#define NS_REFUSE_OBSERVING(KEYPATH) \\\n    [NSException raise:NSInvalidArgumentException format:@\"-[%hs addObserver:forKeyPath:options:context:] is not supported. Key path: %@\", name, KEYPATH];\n" },
    Sample("libs-base NSKVOSupport.m") { "  [NSException raise: NSRangeException\n    format: @\"Cannot remove observer %@ for keypath \\\"%@\\\" from %@ as it is not a registered observer.\", observer, keyPath, object];\n" },
    Sample("libs-base a test of removal") { "  PASS_EXCEPTION([o removeObserver: w forKeyPath: @\"level\"], NSRangeException,\n    \"removing an observer that is not registered raises\");\n" },
    Sample("JJException NSObject+KVOCrash.m") { "    NSString *text = [NSString stringWithFormat:@\"Cannot remove an observer %@ for the key path %@\", observer, keyPath];\n    handleCrashException(text);\n" },
    Sample("KVOController README") { "// observe the level\n[self.KVOController observe:gauge keyPath:@\"level\" options:NSKeyValueObservingOptionNew block:^(id o, id g, NSDictionary *c) {\n}];\n" },
    Sample("AFNetworking a test of progress") { "- (void)observeValueForKeyPath:(NSString *)keyPath ofObject:(id)object change:(NSDictionary *)change context:(void *)context {\n    [super observeValueForKeyPath:keyPath ofObject:object change:change context:context];\n}\n" },
    Sample("a Python fixture") { "REASON = (\n    \"An instance 0x1 of class Gauge was deallocated while key value observers were still registered with it.\"\n)\ndef test_reason():\n    assert parse(REASON)\n" },
    Sample("a list of fixtures") { "REASONS = [\n    \"An instance 0x1 of class Gauge was deallocated while key value observers were still registered with it.\",\n    \"Cannot remove an observer <Screen 0x1> for the key path 'level' from <Gauge 0x2> because it is not registered as an observer.\",\n]\n" },
    Sample("a Kotlin fixture") { "val reason = \"Cannot remove an observer <Screen 0x1> for the key path \\\"level\\\" from <Gauge 0x2> because it is not registered as an observer.\"\n" },
    Sample("a Swift test that expects it") { "    XCTAssertThrowsError(try remove(), \"Cannot remove an observer <Screen 0x1> for the key path \\\"level\\\" from <Gauge 0x2> because it is not registered as an observer.\")\n" },
  ]

  private static let logs: [Sample] = [
    Sample("Android LiveData") { "java.lang.IllegalArgumentException: Cannot add the same observer with different lifecycles\n\tat androidx.lifecycle.LiveData.observe(LiveData.java:201)\n" },
    Sample("Android content observer") { "W/ContentObserver: Observer android.database.ContentObserver@41b2 was not registered, cannot remove an observer that is null\n" },
    Sample("Rust") { "thread 'main' panicked at src/observer.rs:12:9: observer 0x1 for key \"level\" is not registered\n" },
    Sample("Go") { "panic: remove observer: not registered\n\ngoroutine 1 [running]:\nmain.(*Subject).RemoveObserver(0xc0000140a0)\n" },
    Sample("C#") { "System.InvalidOperationException: The observer is not registered for the property 'Level'.\n   at Gauges.Subject.RemoveObserver(IObserver observer)\n" },
    Sample("JavaScript") { "TypeError: Failed to execute 'unobserve' on 'ResizeObserver': parameter 1 is not of type 'Element'.\n" },
    Sample("Python traitlets") { "ValueError: list.remove(x): x not in list: cannot remove observer for 'level'\n" },
    Sample("Qt") { "QObject::disconnect: Unexpected nullptr parameter; observer for key level was deallocated while connected\n" },
    Sample("Chromium") { "[FATAL:observer_list.h(319)] Check failed: !HasObserver(obs). Observers can only be added once!\n" },
    Sample("Kubernetes") { "E0305 10:11:12 reflector.go:140] Failed to watch: an observer for the key path /registry was not registered\n" },
    Sample("NSNotificationCenter") { "An observer of NSNotificationCenter was deallocated while still registered; it is removed.\n" },
  ]
}
