import Synchronization
import Testing

@testable import KVOSafety

// Scenarios of test/stdlib/KVOKeyPaths.swift in swiftlang/swift, with what that file expects.

private final class Target: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("value", \Target.value),
    ObservableKey("announced", \Target.announced),
    thirdKey
  )
  private static let thirdKey = ObservableKey("silent", \Target.silent)
  static func keyPathsForValuesAffecting(_ key: String) -> Set<String> {
    key == "value" ? ["announced", "silent"] : []
  }
  static func automaticallyNotifies(_ key: String) -> Bool { key == "value" }

  var plain = 42
  var value = "" {
    willSet { willChangeValue(for: \.value) }
    didSet { didChangeValue(for: \.value) }
  }
  /// Notified by the class itself.
  var announced = "" {
    willSet { willChangeValue(for: \.announced) }
    didSet { didChangeValue(for: \.announced) }
  }
  private var stored = ""
  /// To be notified by the class itself, which does not.
  var silent: String {
    get { stored }
    set {
      observationRegistrar.change(Self.thirdKey, of: self, value: stored) { stored = newValue }
    }
  }
}

/// A class's keys are requested while another observation is registered.
private final class Asked: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("name", \Asked.name))
  static let questions = Mutex<[String]>([])
  static func keyPathsForValuesAffecting(_ key: String) -> Set<String> {
    observeAnother()
    questions.withLock { $0.append("affecting \(key)") }
    return []
  }
  static func automaticallyNotifies(_ key: String) -> Bool {
    observeAnother()
    questions.withLock { $0.append("automatic \(key)") }
    return true
  }
  private static func observeAnother() {
    let person = Person("")
    var count = 0
    let token = person.observe(\.name) { _, _ in count += 1 }
    person.name = "a"
    token.invalidate()
    #expect(count == 1)
  }
  var name: String? {
    willSet { willChangeValue(for: \.name) }
    didSet { didChangeValue(for: \.name) }
  }
}

@Suite("Swift's scenarios of keys that a class declares")
struct SwiftOverlayScenarioTests {
  /// The file says of two more notifications that it expects that they are a bug and should not happen.
  @Test("affecting keys that the class notifies by hand, and nothing after the end")
  func customization() {
    let target = Target()
    target.value = "two"
    var heard: [String] = []
    let token = target.observe(\.value) { target, _ in
      heard.append("\(target.plain) \(target.value)")
    }
    target.value = "three"
    target.value = "four"
    target.plain = 13
    target.announced = "six"
    target.silent = "nothing"
    token.invalidate()
    target.value = "five"
    #expect(heard == ["42 three", "42 four", "13 four"])
  }

  @Test("an observation of another object while a class declares its keys")
  func observingInsideCustomization() {
    let asked = Asked()
    var count = 0
    let token = asked.observe(\.name) { _, _ in count += 1 }
    #expect(token.isActive)
    asked.name = "b"
    token.invalidate()
    #expect(count == 1)
    #expect(Asked.questions.withLock { Set($0) } == ["affecting name", "automatic name"])
  }

  @Test("nil is an old and a new value of an optional, even if it stays nil")
  func optionalKeyPath() {
    let asked = Asked()
    var heard: [String] = []
    let token = asked.observe(\.name, options: [.initial, .old, .new]) { _, change in
      heard.append("\(text(change.oldValue)) \(text(change.newValue))")
    }
    asked.name = nil
    asked.name = "foo"
    token.invalidate()
    #expect(heard == ["- nil", "nil nil", "nil <foo>"])
  }
}
