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

  @Test(
    "a variable is named as people name it",
    arguments: [
      ("SVGView", "svgView"), ("Meter", "meter"), ("WALLET", "wallet"), ("App.Pump", "pump"),
      ("_TankView", "tankView"),
    ]
  )
  func variable(type: String, name: String) throws {
    let hint = try Self.hint(ReportedFault("", .removal, type, ["level"], "GaugeView"))
    #expect(hint.hasPrefix("find every `[\(name) removeObserver:"))
  }
}
