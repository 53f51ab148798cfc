import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

// Scenarios of FBKVOControllerTests/FBKVOControllerTests.m in facebookarchive/KVOController (1ee5648) of several
// key paths, of nothing to observe, and of the end of observations.

private final class Screen: Listener {
  var callCount = 0
  func changed() { callCount += 1 }
}

@Suite("KVOController's scenarios of key paths and ends")
struct KVOControllerEndingTests {
  private let meter = Meter()
  private let screen = Screen()
  private let controller: ObservationController<Screen>
  private let changed = Screen.changed as (Screen) -> () -> Void

  init() { controller = ObservationController(owner: screen) }

  @Test("each of the key paths is observed by a closure, by a method, and by the owner's own")
  func observesEachOfTheKeyPaths() {
    var values: [String] = []
    controller.observe(meter, keyPaths: ["count", "name"], options: .new) { _, _, _, change in
      values.append("\(change.newValue ?? "-")")
    }
    controller.observe(meter, keyPaths: ["count", "name"], options: .new, action: changed)
    controller.observe(meter, keyPaths: ["count", "name"], options: .new, context: nil)
    meter.count = 1
    meter.name = "ten"
    #expect(values == ["1", "ten"])
    #expect(screen.callCount == 2)
    #expect(screen.heard == ["count setting to 1", "name setting to ten"])
  }

  // KVOController raises for a list of key paths that is nil or empty before it looks at the object, which is nil
  // in its tests. Here the object comes first, and without one there is nothing to report.
  @Test("no object: nothing is observed, and nothing reported")
  func objectIsNilDoesNothing() {
    let nobody: Meter? = nil
    let owner = ObjectTable.shared.record(of: screen).ref.id
    let found = verdicts(onAnyThread: true, where: { $0.observer?.id == owner }) {
      controller.observe(nobody, \.count) { _, _, _ in Issue.record("notified") }
      controller.observe(nobody, \.count, action: changed)
      for keyPaths in [["count", "nosuch"], []] {
        controller.observe(nobody, keyPaths: keyPaths) { _, _, _, _ in Issue.record("notified") }
        controller.observe(nobody, keyPaths: keyPaths, action: changed)
        controller.observe(nobody, keyPaths: keyPaths, context: nil)
      }
      controller.unobserve(nobody)
      controller.unobserve(nobody, \.count)
    }
    #expect(found.isEmpty)
    #expect(!controller.debugDescription.contains("\n"))
  }

  @Test("one key path is ended, the others of the object go on")
  func unobserveKeyPath() {
    controller.observe(meter, keyPath: "count", context: nil)
    controller.observe(meter, keyPath: "name", context: nil)
    meter.count = 1
    meter.name = "a"
    #expect(screen.heard.count == 2)
    controller.unobserve(meter, keyPath: "name")
    meter.count = 2
    meter.name = "b"
    #expect(screen.heard == ["count setting", "name setting", "count setting"])
  }

  @Test("one object is ended, the others go on")
  func unobserveObject() {
    let other = Meter()
    controller.observe(meter, \.count, action: changed)
    controller.observe(other, \.count, action: changed)
    controller.unobserve(other)
    meter.count = 1
    other.count = 1
    #expect(screen.callCount == 1)
  }

  @Test("a controller that is released while its owner lives ends its observations, in silence")
  func deallocatedController() {
    let found = verdicts(about: meter) {
      var released: ObservationController<Screen>? = ObservationController(owner: screen)
      released?.observe(meter, \.count, options: [.initial, .old, .new], action: changed)
      #expect(screen.callCount == 1)
      released = nil
      meter.count = 1
    }
    #expect(screen.callCount == 1)
    #expect(found.isEmpty)
    #expect(KVO.census(of: meter).isEmpty)
  }

  @Test("an owner that is deallocated ends them, though the controller is kept")
  func deallocatedObserver() {
    var owner: Screen? = Screen()
    weak let gone = owner
    let kept = owner.map { ObservationController(owner: $0) }
    kept?.observe(meter, \.count, options: [.initial, .old, .new], action: changed)
    #expect(owner?.callCount == 1)
    owner = nil
    #expect(gone == nil)
    let found = verdicts(about: meter) { meter.count = 1 }
    #expect(found.isEmpty)
    #expect(KVO.census(of: meter).isEmpty)
    withExtendedLifetime(kept) {}
  }

  @Test("ended inside its initial notification it is not called for a change")
  func unobserveWithinBlockWithOptionInitial() {
    meter.count = 1
    var seen = 0
    let found = verdicts(about: meter) {
      controller.observe(meter, keyPath: "count", options: .initial) { [controller] _, meter, _ in
        seen = meter.count
        controller.unobserve(meter)
      }
      meter.count = 2
    }
    #expect(seen == 1)
    #expect(found.isEmpty)
  }
}
