#if NotificationAdapter
import Foundation
import KVORules
import KVOSafety
import KVOSafetyNotifications
import KVOSafetyTesting
import Testing

private final class Screen: @unchecked Sendable {
  // Sendable: each test uses its own, on its own thread.
  var heard: [String] = []
}

@Suite("Observers of a notification center in log, census and rules")
struct NotificationAdapterTests {
  private let center = NotificationCenter()
  private let name = Notification.Name("ScreenDidAppear")

  @Test("a block is called until it is removed, and is in the census until then")
  func delivers() {
    let screen = Screen()
    let observation = center.addRecordedObserver(forName: name, owner: screen) { notification in
      screen.heard.append(notification.name.rawValue)
    }
    let census = KVO.census().filter { $0.keyPath == "ScreenDidAppear" && $0.observer != nil }
    #expect(census.contains { $0.site.hasPrefix("NotificationAdapterTests.swift:") } == true)
    center.post(name: name, object: nil)
    center.post(name: Notification.Name("other"), object: nil)
    #expect(observation.isActive)
    center.removeRecordedObserver(observation)
    center.removeRecordedObserver(observation)
    #expect(!observation.isActive)
    center.post(name: name, object: nil)
    #expect(screen.heard == ["ScreenDidAppear"])
  }

  @Test("balanced use is clean", .audited)
  func balanced() {
    let screen = Screen()
    let observation = center.addRecordedObserver(forName: name, owner: screen) { _ in }
    center.post(name: name, object: nil)
    center.removeRecordedObserver(observation)
  }

  @Test("a block is expected on its queue, whatever the actor of the caller is", .audited)
  @MainActor
  func queue() {
    let queue = OperationQueue()
    let observation = center.addRecordedObserver(forName: name, queue: queue) { _ in }
    center.post(name: name, object: nil)
    queue.waitUntilAllOperationsAreFinished()
    center.removeRecordedObserver(observation)
  }

  @Test("Foundation's call removes one, too", .audited)
  func foundationCall() {
    let screen = Screen()
    let observation = center.addRecordedObserver(forName: name, owner: screen) { _ in
      screen.heard.append("x")
    }
    center.removeObserver(observation)
    center.post(name: name, object: nil)
    #expect(!observation.isActive && screen.heard.isEmpty)
  }

  @Test("another center removes nothing", .audited)
  func otherCenter() {
    let other = NotificationCenter()
    let screen = Screen()
    let observation = center.addRecordedObserver(forName: name, owner: screen) { _ in
      screen.heard.append("x")
    }
    other.removeObserver(observation)
    other.removeRecordedObserver(observation)
    center.post(name: name, object: nil)
    #expect(observation.isActive && screen.heard == ["x"])
    center.removeObserver(observation)
    center.post(name: name, object: nil)
    #expect(!observation.isActive && screen.heard == ["x"])
  }

  @Test("an observer that is added twice is reported", .audited(expecting: .duplicateRegistration))
  func doubled() {
    let screen = Screen()
    let observations = [0, 1].map { _ in
      center.addRecordedObserver(forName: name, owner: screen) { _ in }
    }
    observations.forEach(center.removeRecordedObserver)
  }

  @Test(
    "an observer that its scope does not remove is reported",
    .audited(expecting: .leakedRegistration)
  )
  func forgotten() {
    // Not a center that is deallocated in the scope, with its observers.
    _ = NotificationCenter.default.addRecordedObserver(forName: name) { _ in }
  }

  @Test(
    "a center is deallocated with its observers, as without the log, which is not reported",
    .audited
  )
  func centerDies() {
    let owner = Screen()
    weak var gone: NotificationCenter?
    weak var captured: Screen?
    do {
      let center = NotificationCenter()
      let screen = Screen()
      (gone, captured) = (center, screen)
      _ = center.addRecordedObserver(forName: name) { _ in screen.heard.append("x") }
      _ = center.addRecordedObserver(forName: name, owner: owner) { _ in }
      center.post(name: name, object: nil)
      #expect(screen.heard == ["x"])
    }
    #expect(gone == nil && captured == nil)
    withExtendedLifetime(owner) {}
  }

  @Test(
    "an owner that is deallocated without removing its block is reported, and the block is called no more",
    .audited(expecting: .observerDeinitWhileRegistered)
  )
  func ownerDies() {
    let heard = Screen()
    do {
      let owner = Screen()
      _ = center.addRecordedObserver(forName: name, owner: owner) { _ in heard.heard.append("x") }
      center.post(name: name, object: nil)
    }
    center.post(name: name, object: nil)
    center.post(name: name, object: nil)
    #expect(heard.heard == ["x"])
  }
}
#endif
