import KVORules
import Testing

/// What an expert would say of the report in hand, and what not.
@Suite("Advice that fits the report") struct AdviceTests {
  private static func hint(_ fault: ReportedFault) throws -> String {
    try #require(Reading.findings(Container.console.text(fault)).first).hint
  }

  /// XamarinMediaManager#814, react-native-video#3900, purchases-ios#6977: there is no swizzling there.
  @Test("a link of the runtime's is part of a longer observed key path")
  func link() throws {
    let hint = try Self.hint(
      ReportedFault("", .silentChange, "AVPlayer", ["currentItem.status"], "NSKeyValueObservance")
    )
    #expect(
      hint
        == "the observer is the runtime's own link in a longer key path: find who observes a path that ends in "
        + "\"currentItem.status\", observe its parts one by one instead, and change the AVPlayer on one thread only"
    )
    let own = try Self.hint(
      ReportedFault("", .silentChange, "Meter", ["unit.name"], "GaugeView")
    )
    #expect(own.hasPrefix("set \"unit\" through its setter"))
  }

  /// KPCC-iPhone#87, RequestQueue#4, AFNetworking#4497: another object is at the observer's address.
  @Test(
    "an object of a system class that does not observe is at the observer's address",
    arguments: [
      "CALayer", "__NSMallocBlock__", "__NSCFURLSessionConfiguration", "NSKeyValueIvarGetter",
    ]
  )
  func leftover(observer: String) throws {
    let hint = try Self.hint(ReportedFault("", .unhandled, "Meter", ["level"], observer))
    #expect(hint.contains("most likely the observer was deallocated while it was registered"))
    #expect(hint.contains("find who observes \"level\""))
  }

  @Test(
    "a notification that such an object does not know was meant for the observer",
    arguments: [
      "-[__NSCFString observeValueForKeyPath:ofObject:change:context:]: unrecognized selector sent "
        + "to instance 0x17",
      "Uncaught exception NSInvalidArgumentException, reason: -observeValueForKeyPath:ofObject:"
        + "change:context: cannot be sent to NSRecursiveLock ... create an instance overriding this",
    ]
  )
  func reusedMemory(text: String) throws {
    let finding = try #require(Reading.findings(text).first)
    #expect(finding.code == .deliveryToDead)
    #expect(finding.message.contains("#1, which has the memory of a deallocated observer, was"))
    #expect(finding.hint.contains("this object has its memory; find who observes a key path"))
  }

  @Test("a zombie has the class of the observer")
  func zombie() throws {
    let text =
      "*** -[AVPlayerView observeValueForKeyPath:ofObject:change:context:]: message sent to "
      + "deallocated instance 0x17"
    let finding = try #require(Reading.findings(text).first)
    #expect(finding.message.hasPrefix("AVPlayerView#1 was notified of a key path"))
    #expect(finding.hint.hasPrefix("remove AVPlayerView from what it observes"))
  }

  @Test(
    "programs of GNUstep are in Objective-C, and have no NSKeyValueObservation",
    arguments: [
      "NSInvalidArgumentException, reason: Cannot remove observer <GaugeView: 0x17> for keypath "
        + "\"level\" from <Meter: 0x18> as it is not a registered observer.",
      "NSInternalInconsistencyException, reason: Object <Meter: 0x17> deallocated with observers "
        + "still registered.",
    ]
  )
  func gnustep(text: String) throws {
    let hint = try #require(Reading.findings("app: Uncaught exception " + text).first).hint
    #expect(hint.contains("`[meter removeObserver:… forKeyPath:@"))
    #expect(!hint.contains("NSKeyValueObservation"), "\(hint)")
  }

  @Test("a removal that the runtime lacks is not advised")
  func missingRemoval() throws {
    let text =
      "Uncaught exception NSInvalidArgumentException, reason: GSKVOMeter(instance) does not "
      + "recognize removeObserver:forKeyPath:context:"
    let hint = try #require(Reading.findings(text).first).hint
    #expect(hint.hasPrefix("call `[meter removeObserver:… forKeyPath:@\"…\"]`: this GNUstep has"))
  }

  @Test("an observer of the program's, or one of bindings, forgot to handle it")
  func unhandled() throws {
    for observer in ["GaugeView", "NSAutounbinderBinding", "NSObjectController"] {
      let hint = try Self.hint(ReportedFault("", .unhandled, "Meter", ["level"], observer))
      #expect(hint.hasPrefix("compare key path, object and context"))
    }
  }

  /// firebase/quickstart-ios#682, social-remote#24.
  @Test("a fault on a notification center concerns a notification, whatever its name")
  func center() throws {
    for kind in [ReportedFault.Kind.uncompliant, .removal] {
      let fault = ReportedFault("", kind, "NSNotificationCenter", ["org.example.done"], "GaugeView")
      let finding = try #require(Reading.findings(Container.console.text(fault)).first)
      #expect(finding.message.hasSuffix("it is the name of a notification, not a key path"))
      #expect(finding.hint.hasPrefix("observe org.example.done with NSNotificationCenter's"))
    }
  }

  @Test("no one gives a class of the system a property")
  func systems() throws {
    let view = try Self.hint(ReportedFault("", .uncompliant, "UIView", ["levle"], "GaugeView"))
    #expect(view.hasPrefix("correct the key path: UIView is the system's"))
    let own = try Self.hint(ReportedFault("", .uncompliant, "Meter", ["levle"], "GaugeView"))
    #expect(own.hasPrefix("give Meter an `@objc dynamic` property levle"))
  }

  /// A variable is named by one definition for logs and reports.
  @Test(
    "a variable is named as its class, where a programmer would",
    arguments: [
      ("Meter", "meter"), ("Case", "…"), ("Register", "…"), ("UITableView", "…"), ("SVGView", "…"),
    ]
  )
  func variable(type: String, name: String) throws {
    let hint = try Self.hint(ReportedFault("", .removal, type, ["level"], "GaugeView"))
    #expect(hint.hasPrefix("find every `[\(name) removeObserver:"))
  }

  /// The first own frame of an exception.
  private static func report(_ frame: String, observer: String = "GaugeView") throws -> String {
    let text = """
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <\(observer) \
      0x7fa1> for the key path "level" from <Meter 0x7fb2> because it is not registered as an observer.'
      *** First throw call stack:
      (
      \t0   CoreFoundation                      0x00007fff23c4f02e __exceptionPreprocess + 350
      \t1   libobjc.A.dylib                     0x00007fff50b97b20 objc_exception_throw + 48
      \t2   Foundation                          0x00007fff25704baf -[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:] + 74
      \t3   Gauges                              0x000000010e4a7ce2 \(frame) + 42
      )
      """
    return try #require(Reading.findings(text).first).hint
  }

  @Test(
    "a line is in the language of the first own function, else in that of the classes",
    arguments: [
      ("$s6Gauges9GaugeViewC12stopWatchingyyF", "GaugeView", true),
      ("@objc GaugeView.stopWatching()", "GaugeView", true),
      ("closure #1 in GaugeView.stopWatching()", "GaugeView", true),
      ("-[Gauges.GaugeView stopWatching]", "GaugeView", true),
      ("-[GaugeView stopWatching]", "GaugeView", false),
      ("-[GaugeView stopWatching]", "Gauges.GaugeView", false),
      ("__25-[GaugeView stopWatching]_block_invoke", "GaugeView", false),
      ("Gauge::stopWatching()", "GaugeView", false),
      ("main", "Gauges.GaugeView", true),
      ("main", "_TtC6Gauges9GaugeView", true),
    ]
  )
  func language(frame: String, observer: String, isSwift: Bool) throws {
    let hint = try Self.report(frame, observer: observer)
    let line =
      isSwift
      ? #"`meter.removeObserver(…, forKeyPath: "level")`"#
      : #"`[meter removeObserver:… forKeyPath:@"level"]`"#
    #expect(hint.contains(line), "\(hint)")
    // Only Swift has the object that removes itself.
    #expect(hint.contains("NSKeyValueObservation") == isSwift, "\(hint)")
  }

  /// Xamarin.Forms#14869: neither language is that of the code.
  @Test("of a program in C# says the call in Objective-C, and what Swift has besides")
  func managed() throws {
    let text = """
      Objective-C exception thrown.  Name: NSRangeException Reason: Cannot remove an observer <GaugeView 0x7fa1> for \
      the key path "level" from <Meter 0x7fb2> because it is not registered as an observer.
        at Foundation.NSObject.RemoveObserver (Foundation.NSObject observer, System.String keyPath) [0x00000] in /a.cs:1
        at Gauges.iOS.GaugeView.Dispose (System.Boolean disposing) [0x00012] in /b.cs:41
      """
    let hint = try #require(Reading.findings(text).first).hint
    #expect(hint.contains(#"`[meter removeObserver:… forKeyPath:@"level"]`"#), "\(hint)")
    #expect(hint.contains("NSKeyValueObservation"))
  }

  private static func death(
    of type: String,
    context: String,
    keyPath: String = "level"
  ) throws -> String {
    let text = """
      An instance 0x7fa1 of class \(type) was deallocated while key value observers were still registered with it. \
      Current observation info: <NSKeyValueObservationInfo 0x7fc3> (
      <NSKeyValueObservance 0x7fd4: Observer: 0x7fe5, Key path: \(keyPath), Options: <New: YES, Old: NO, Prior: NO> \
      Context: \(context), Property: 0x7ff6>
      )
      """
    return try #require(Reading.findings(text).first).hint
  }

  @Test("a removal has a context if the list of registrations has one")
  func context() throws {
    let line = "[meter removeObserver:… forKeyPath:@\"level\""
    #expect(try Self.death(of: "Meter", context: "0x0").contains("`\(line)]`"))
    #expect(try Self.death(of: "Meter", context: "0x10a8").contains("`\(line) context:…]`"))
    let swift = try Self.death(of: "App.Meter", context: "0x10a8")
    #expect(swift.contains(#"`meter.removeObserver(…, forKeyPath: "level", context: …)`"#))
    #expect(swift.contains(#"`meter.observe(\.level) { _, _ in … }`"#))
    let deep = try Self.death(of: "App.Meter", context: "0x0", keyPath: "unit.name")
    #expect(deep.contains(#"`meter.observe(\.…) { _, _ in … }`"#))
  }

  @Test("a key path in a line of code is a literal, or is left out")
  func literals() throws {
    let path = #"a"b"#
    let objectiveC = try Self.death(of: "Meter", context: "0x0", keyPath: path)
    #expect(objectiveC.contains(#"removeObserver:… forKeyPath:@"a\"b"]"#), "\(objectiveC)")
    let swift = try Self.death(of: "App.Meter", context: "0x0", keyPath: path)
    #expect(swift.contains(#"meter.removeObserver(…, forKeyPath: "a\"b")"#), "\(swift)")
    let digit = try Self.death(of: "App.Meter", context: "0x0", keyPath: "1st")
    #expect(digit.contains(#"`meter.observe(\.…) { _, _ in … }`"#), "\(digit)")
  }
}
