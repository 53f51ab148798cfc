import KVOReplay
import KVORules
import KVOTrace
import Testing

/// Removals that may have taken any of several equal registrations.
@Suite("Equal registrations")
struct EqualRegistrationTests {
  /// Two equal registrations, of which a removal takes one, and a change.
  private static let log = SampleLog {
    $0.process(runtime: .apple)
    $0.register("1", context: "a")
    $0.register("2", context: "a")
    $0.remove(context: "a")
    $0.will(change: "c")
    $0.did(change: "c")
    $0.notify("2", change: "c")
    $0.notifyEnd("2", change: "c")
    $0.exit()
  }

  @Test("whichever is notified, it is the other that was removed")
  func either() {
    #expect(Self.log.outcome() == ["KVO005@3"])
    let other = Self.log.replacing(7) { $0.notify("1", change: "c") }
      .replacing(8) { $0.notifyEnd("1", change: "c") }
    #expect(other.outcome() == ["KVO005@3"])
    let why = Self.log.run().engine.notJudged.first { $0.code == .missedDelivery }?.why
    #expect(
      why
        == "the removal at event 4 may have ended any of several equal registrations; it does not say "
        + "its \"registration\""
    )
    // Of two, one was removed: the second notification has no observation left.
    let both = other.inserting(before: 9) { $0.notify("2", change: "c") }
      .inserting(before: 10) { $0.notifyEnd("2", change: "c") }
    #expect(both.outcome() == ["KVO005@3", "KVO009@9"])
  }

  @Test("a log that says which is believed, and this library takes the newest")
  func stated() {
    let said = Self.log.replacing(4) { $0.remove("2", context: "a") }
    #expect(said.outcome() == ["KVO005@3", "KVO009@7", "KVO032@6"])
    #expect(Self.log.replacing(4) { $0.remove("1", context: "a") }.outcome() == ["KVO005@3"])
    let swift = Self.log.replacing(1) { $0.process(runtime: .swift) }
    #expect(swift.outcome() == ["KVO005@3", "KVO009@7", "KVO032@6"])
    // Without a context it is the newest everywhere.
    let newest = Self.log.replacing(2) { $0.register("1") }.replacing(3) { $0.register("2") }
      .replacing(4) { $0.remove() }
    #expect(newest.outcome() == ["KVO005@3", "KVO009@7", "KVO032@6"])
  }

  @Test("the one that a later event ends is the one that was left")
  func later() {
    let removed = Self.log.inserting(before: 9) { $0.remove("2", context: "a") }
    let cancelled = Self.log.inserting(before: 9) { $0.cancel("2", by: .user) }
    for log in [removed, cancelled] {
      #expect(log.outcome() == ["KVO005@3"])
      #expect(log.run().engine.liveRegistrationCount == 0)
      // Now both have ended.
      let late = log.inserting(before: 10) { $0.notify("1") }
        .inserting(before: 11) { $0.notifyEnd("1") }
      #expect(late.outcome() == ["KVO005@3", "KVO009@10"])
    }
    let again = removed.inserting(before: 10) { $0.remove("1", context: "a") }
    #expect(again.outcome() == ["KVO005@3", "KVO001@10"])
  }

  @Test("one that is delivering its initial value may not be the one that is removed")
  func initial() {
    let log = SampleLog {
      $0.register("1", context: "a")
      $0.register("2", context: "a", options: [.initial])
      $0.notify("2", .initial)
      $0.remove(context: "a")
      $0.notifyEnd("2", .initial)
      $0.registerEnd("2")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO005@2"])
    let said = log.replacing(4) { $0.remove("2", context: "a") }
    #expect(said.outcome() == ["KVO005@2", "KVO010@4"])
  }

  @Test("one that a scope leaves is certain only if it is known which was removed")
  func scope() {
    let log = SampleLog {
      $0.beginScope("s")
      $0.register("1", context: "a", scope: "s")
      $0.register("2", context: "a")
      $0.remove(context: "a")
      $0.endScope("s")
      $0.exit()
    }
    let leak = log.verdicts().first { $0.code == .leakedRegistration }
    #expect(leak?.confidence == .low)
    let said = log.replacing(4) { $0.remove("2", context: "a") }
    #expect(said.verdicts().first { $0.code == .leakedRegistration }?.confidence == .high)
  }
}
