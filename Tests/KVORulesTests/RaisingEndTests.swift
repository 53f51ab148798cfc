import KVOReplay
import KVORules
import KVOTrace
import Testing

/// What follows a notification that the observer did not handle, for which Foundations raise an exception.
@Suite("After an unhandled notification")
struct RaisingEndTests {
  /// The first of two observers does not handle the notification, and the process ends there.
  private static let after = SampleLog {
    $0.process(runtime: .gnustep128)
    $0.register("1")
    $0.register("2", by: "Screen#4")
    $0.will(change: "c")
    $0.did(change: "c")
    $0.notify("1", change: "c")
    $0.notifyEnd("1", change: "c", handled: false)
    $0.exit()
  }

  /// The same before the change is made.
  private static let before = SampleLog {
    $0.process(runtime: .apple)
    $0.register("1", options: [.prior])
    $0.will(change: "c")
    $0.notify("1", .prior, change: "c")
    $0.notifyEnd("1", .prior, change: "c", handled: false)
    $0.exit()
  }

  private func why(_ code: RuleCode, _ log: SampleLog) -> [String] {
    log.run().engine.notJudged.filter { $0.code == code }.map(\.why)
  }

  @Test("a process that ends there owes the others nothing (KVO032)")
  func others() {
    #expect(Self.after.outcome() == ["KVO017@7"])
    #expect(
      why(.missedDelivery, Self.after) == [
        "the log ends in the middle of the deliveries of a change"
      ]
    )
    // This library raises nothing there, and notifies the others.
    let swift = Self.after.replacing(1) { $0.process(runtime: .swift) }
    #expect(swift.outcome() == ["KVO017@7", "KVO032@5"])
    // The program caught the exception.
    let caught = Self.after.inserting(before: 8) { $0.remove("1") }
    #expect(caught.outcome() == ["KVO017@7", "KVO032@5"])
    let elsewhere = Self.after.inserting(before: 8) { $0.will(change: "d", thread: "2") }
      .inserting(before: 9) { $0.did(change: "d", thread: "2") }
      .inserting(before: 10) { $0.will("Account#13", change: "e", thread: "2") }
      .inserting(before: 11) { $0.did("Account#13", change: "e", thread: "2") }
    #expect(elsewhere.outcome() == ["KVO017@7", "KVO032@9", "KVO032@9"])
  }

  @Test("a change that others miss since then has that cause, and its advice")
  func cause() {
    let caught = Self.after.inserting(before: 8) { $0.remove("1") }
    let report = caught.report(profile: .gnustep128).split(separator: "\n").map(String.init)
    let start = report.firstIndex { $0.contains("(KVO032 missed-delivery)") } ?? 0
    #expect(
      report[start...].prefix(2).last == """
          Screen#4 was not notified of a change of "balance" of Account#12 since Screen#3 did not handle a notification, on \
        thread 1 (main)
        """
    )
    #expect(
      report[start...].first { $0.hasPrefix("  Fix: ") } == """
          Fix: handle "balance" in `-observeValueForKeyPath:ofObject:change:context:` of Screen, or do not register for it
        """
    )
  }

  @Test("nor the end of the change, and no second notification (KVO012, KVO013)")
  func change() {
    #expect(Self.before.outcome() == ["KVO017@5"])
    #expect(
      why(.unbalancedChange, Self.before) == [
        "the process ended inside a callback, or while another thread changed a value: changes open then do not count"
      ]
    )
    let caught = Self.before.inserting(before: 6) { $0.remove("1") }
    #expect(Set(caught.outcome()) == ["KVO012@3", "KVO017@5"])
  }

  @Test("events that are lost there leave no callback behind")
  func loss() {
    let lost = Self.after.inserting(before: 8) { $0.add(.dropped(count: 1, why: .none)) }
      .inserting(before: 9) { $0.notify("2", change: "c") }
    #expect(lost.outcome() == ["KVO017@7"])
  }
}
