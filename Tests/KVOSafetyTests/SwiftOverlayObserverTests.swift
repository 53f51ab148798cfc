import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

// Scenarios of KVO.swift and Reflection_KVO.swift in test/Interpreter/SDK of swiftlang/swift, with what those files
// expect.

/// Observes another object, and itself through that, until its end.
private final class Watcher: KeyValueObservable, KeyValueObserver {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("meter", \Watcher.meter))
  static let context = ObservationContext("watcher")
  let meter = Meter()
  var heard: [String] = []
  init() {
    meter.addObserver(self, forKeyPath: "name", context: Self.context)
    addObserver(self, forKeyPath: "meter.count", context: Self.context)
  }
  deinit {
    removeObserver(self, forKeyPath: "meter.count")
    meter.removeObserver(self, forKeyPath: "name")
  }
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    guard context == Self.context else { return .unhandled }
    heard.append((try? object.value(forKeyPath: keyPath)).map { "\($0)" } ?? "-")
    return .handled
  }
}

@Suite("Swift's scenarios of observers and observed objects")
struct SwiftOverlayObserverTests {
  @Test("an observer of another object, and of itself through that, which removes itself in deinit")
  func selfThroughAnother() {
    var heard: [String] = []
    var ids: Set<UInt64> = []
    let found = verdicts(where: { _ in true }) {
      let watcher = Watcher()
      for object: any KeyValueObservable in [watcher, watcher.meter] {
        ids.insert(object.storage.record.ref.id.rawValue)
      }
      watcher.meter.name = "abc"
      watcher.meter.count = 42
      heard = watcher.heard
    }
    #expect(heard == ["abc", "42"])
    let codes = found.filter { $0.subject.map { ids.contains($0.id.rawValue) } == true }.map(\.code)
    #expect(codes == [.selfObservation])
  }

  @Test("an object that is observed is dumped as before, and its class is its own")
  func reflection() {
    let meter = Meter()
    meter.count = 42
    var text = ""
    let token = meter.observe(\.count, options: .new) { _, _ in }
    meter.count += 1
    dump(meter, to: &text)
    #expect(text.contains("storedCount: 43"))
    #expect(type(of: meter) == Meter.self)
    token.invalidate()
  }
}
