import KVOReplay
import KVORules
import KVOTrace
import Testing

/// Runtimes may read the new value at the end of a change, before they notify the observers.
///
/// What the getter changes is changed, and notified, in between.
@Suite("A getter that changes something")
struct ChangingGetterTests {
  /// The getter of an announced change changes another key, of which an observer is notified.
  private static let other = SampleLog {
    $0.register("1", options: [.prior])
    $0.register("2", by: "Screen#4", "name")
    $0.will(change: "c")
    $0.notify("1", .prior, change: "c")
    $0.notifyEnd("1", .prior, change: "c", handled: true)
    $0.did(change: "c")
    $0.will("Account#12", "name", change: "d")
    $0.did("Account#12", "name", change: "d")
    $0.notify("2", change: "d")
    $0.notifyEnd("2", change: "d", handled: true)
    $0.notify("1", change: "c")
    $0.notifyEnd("1", change: "c", handled: true)
    $0.remove("1")
    $0.remove("2", by: "Screen#4", "name")
    $0.exit()
  }

  /// The getter sets its own key, and again in the getter of that change.
  private static let same = SampleLog {
    $0.register("1")
    for change in ["c", "d", "e"] {
      $0.will(change: change)
      $0.did(change: change)
    }
    for change in ["e", "d", "c"] {
      $0.notify("1", change: change)
      $0.notifyEnd("1", change: change, handled: true)
    }
    $0.remove("1")
    $0.exit()
  }

  private func why(_ code: RuleCode, _ log: SampleLog) -> [String] {
    log.run().engine.notJudged.filter { $0.code == code }.map(\.why)
  }

  @Test("keeps the promise of a notification that comes after those of its changes (KVO013)")
  func promise() {
    #expect(Self.other.outcome() == [])
    // Never notified of, while the observation is live.
    let broken = Self.other.without(12).without(11)
    #expect(broken.outcome() == ["KVO013@6"])
    // The notification of another change is not the one that was announced.
    let another = Self.other.replacing(11) { $0.notify("1", change: "x") }
      .replacing(12) { $0.notifyEnd("1", change: "x", handled: true) }
    #expect(another.outcome() == ["KVO013@6"])
    // What is missing when the observation ends is missing for certain.
    let late = Self.other.inserting(before: 11) { $0.remove("1") }.without(14)
    #expect(late.outcome() == ["KVO013@6", "KVO009@12"])
  }

  @Test("keeps it without the numbers of changes, too")
  func unnumbered() {
    let log = SampleLog {
      $0.register("1", options: [.prior])
      $0.will()
      $0.notify("1", .prior)
      $0.notifyEnd("1", .prior, handled: true)
      $0.did()
      $0.will("Account#12", "name")
      $0.did("Account#12", "name")
      $0.notify("1")
      $0.notifyEnd("1", handled: true)
      $0.remove("1")
      $0.exit()
    }
    #expect(log.outcome() == [])
    #expect(log.without(9).without(8).outcome() == ["KVO013@5"])
  }

  @Test("may set its own key, the changes of which are notified from the inside out (KVO032)")
  func ownKey() {
    #expect(Self.same.outcome() == [])
    // The notification of one of the three changes is missing.
    #expect(Self.same.without(9).without(8).outcome() == ["KVO032@7"])
    #expect(Self.same.without(11).without(10).outcome() == ["KVO032@5"])
    #expect(Self.same.without(13).without(12).outcome() == ["KVO032@3"])
  }

  @Test("may set its own key if its changes are announced (KVO013)")
  func ownKeyAnnounced() {
    let log = SampleLog {
      $0.register("1", options: [.prior])
      for change in ["c", "d"] {
        $0.will(change: change)
        $0.notify("1", .prior, change: change)
        $0.notifyEnd("1", .prior, change: change, handled: true)
        $0.did(change: change)
      }
      for change in ["d", "c"] {
        $0.notify("1", change: change)
        $0.notifyEnd("1", change: change, handled: true)
      }
      $0.exit()
    }
    #expect(log.outcome() == [])
    #expect(log.without(11).without(10).outcome() == ["KVO013@9"])
    #expect(log.without(13).without(12).outcome() == ["KVO013@5"])
  }

  @Test("does not hide what a log without an end shows")
  func killed() {
    let announced = Self.other.without(12).without(11).twin { $0.events.removeLast(3) }
    #expect(announced.outcome() == ["KVO013@6"])
    // If a callback came late, another one may have come after the end.
    let cut = Self.same.twin { log in
      log.events.removeLast(2)
      log.will(change: "f")
      log.did(change: "f")
      log.will(change: "g")
    }
    #expect(cut.outcome() == [])
    #expect(
      why(.missedDelivery, cut) == ["the log ends in the middle of the deliveries of a change"]
    )
    // Once the observer was notified of a later change, it counts.
    let followed = cut.twin { log in
      log.did(change: "g")
      log.notify("1", change: "g")
      log.notifyEnd("1", change: "g", handled: true)
    }
    #expect(followed.outcome() == ["KVO032@15"])
  }

  @Test("does not hide what a log shows before a loss of events")
  func loss() {
    let lost = { (log: SampleLog) in
      log.twin { $0.add(.dropped(count: 1, why: .none), thread: nil) }.outcome()
    }
    let broken = Self.other.without(12).without(11)
    #expect(lost(broken) == ["KVO013@6"])
    #expect(lost(Self.same.without(13).without(12)) == ["KVO032@3"])
    // While the observation is live.
    #expect(lost(broken.twin { $0.events.removeLast(3) }) == ["KVO013@6"])
  }

  @Test("is waited for by a bounded number of verdicts, the oldest of which are then reported")
  func bounded() {
    let log = SampleLog {
      $0.register("1", options: [.prior])
      for number in 0..<300 {
        $0.will(change: "\(number)")
        $0.notify("1", .prior, change: "\(number)")
        $0.notifyEnd("1", .prior, change: "\(number)", handled: true)
        $0.did(change: "\(number)")
      }
      // The next change shows that the last one was made.
      $0.will("Account#13")
      $0.did("Account#13")
      for number in 0..<300 {
        $0.notify("1", change: "\(number)")
        $0.notifyEnd("1", change: "\(number)", handled: true)
      }
      $0.exit()
    }
    // Only the latest 256 can be refuted.
    #expect(log.outcome() == (0..<300 - 256).map { "KVO013@\(5 + 4 * $0)" })
  }
}
