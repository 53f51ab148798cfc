import KVOReplay
import KVORules
import KVOTrace
import Testing

/// Processes that end while a callback runs, or by an exception: what a thread was about to do is not missing.
@Suite("The end of a process inside a callback")
struct ExitInCallbackTests {
  /// An observer is notified before a change, and an observer of another object in between.
  private static let prior = SampleLog {
    $0.register("1", options: [.prior])
    $0.register("2", by: "Screen#4")
    $0.will(change: "c")
    $0.notify("1", .prior, change: "c")
    $0.notifyEnd("1", .prior, change: "c", handled: true)
    $0.did(change: "c")
    $0.notify("2", change: "c")
    $0.exit()
  }

  private func why(_ code: RuleCode, _ log: SampleLog) -> [String] {
    log.run().engine.notJudged.filter { $0.code == code }.map(\.why)
  }

  @Test("owes no notification after a change (KVO013)")
  func prior() {
    #expect(Self.prior.outcome() == [])
    #expect(why(.priorWithoutAfter, Self.prior) == ["the log ends in the middle of a change"])
    let returned = Self.prior.inserting(before: 8) { $0.notifyEnd("2", change: "c", handled: true) }
    #expect(returned.outcome() == ["KVO013@6"])
  }

  @Test("owes no notification to an observer that was added during a change (KVO011)")
  func race() {
    let log = SampleLog {
      $0.register("2", by: "Screen#4")
      $0.will(change: "c")
      $0.register("1", thread: "2")
      $0.did(change: "c")
      $0.notify("2", change: "c")
      $0.notifyEnd("2", change: "c", handled: true)
      $0.will("Account#13", change: "d")
      $0.exit(thread: "2")
    }
    #expect(log.without(7).replacing(7) { $0.exit() }.outcome() == ["KVO011@4"])
    let inside = log.without(7).without(6).inserting(before: 6) {
      $0.notifyEnd("9", change: "e", handled: true, thread: "3")
    }
    #expect(inside.outcome() == [])
    #expect(
      why(.registrationRace, inside) == [
        "the process ended inside a callback or a change: what was still owed is not judged"
      ]
    )
  }

  @Test("is recognized in the first callback of a log that has ends of additions (KVO012, KVO032)")
  func firstCallback() {
    let after = SampleLog {
      $0.register("1")
      $0.registerEnd("1")
      $0.register("2", by: "Screen#4")
      $0.will(change: "c")
      $0.did(change: "c")
      $0.notify("1", change: "c")
      $0.exit()
    }
    #expect(after.outcome() == [])
    // Such a writer may write no ends at all.
    #expect(after.without(2).outcome() == ["KVO032@4"])
    let before = SampleLog {
      $0.register("1", options: [.prior])
      $0.registerEnd("1")
      $0.will(change: "c")
      $0.notify("1", .prior, change: "c")
      $0.exit()
    }
    #expect(before.outcome() == [])
    #expect(Set(before.without(2).outcome()) == ["KVO012@2", "KVO013@2"])
  }

  @Test("by an exception abandons the change and its deliveries")
  func exception() {
    let log = SampleLog {
      $0.register("1")
      $0.register("2", by: "Screen#4")
      $0.will(change: "c")
      $0.did(change: "c")
      $0.notify("1", change: "c")
      $0.notifyEnd("1", change: "c", exception: "Brittle")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO039@6"])
    let caught = log.inserting(before: 7) { $0.remove("1") }
    #expect(caught.outcome() == ["KVO039@6", "KVO032@4"])
  }

  @Test("after lines about the process that follow the exception is the same")
  func bookkeeping() {
    let log = SampleLog {
      $0.process(runtime: .gnustep128)
      $0.register("1", options: [.prior])
      $0.will(change: "c")
      $0.notify("1", .prior, change: "c")
      $0.notifyEnd("1", .prior, change: "c", handled: false)
      $0.add(.keep(.none))
      $0.exit()
    }
    #expect(log.outcome() == ["KVO017@5"])
  }

  @Test("after a crash is not orderly, unless the program went on")
  func crash() {
    let log = SampleLog {
      $0.register("1")
      $0.will(change: "c")
      $0.add(.crash(Crash(signal: .none, exception: .none, reason: .none, liveCount: nil)))
      $0.exit()
    }
    #expect(log.outcome() == [])
    #expect(log.inserting(before: 4) { $0.lock() }.outcome() == ["KVO012@2"])
    let owed = log.inserting(before: 3) { $0.did(change: "c") }
    #expect(owed.outcome() == [])
    #expect(owed.inserting(before: 5) { $0.lock() }.outcome() == ["KVO032@3"])
  }

  @Test("on another thread owes nothing that a thread was about to do")
  func otherThread() {
    func log(_ write: (inout SampleLog) -> Void) -> SampleLog {
      SampleLog {
        $0.register("1", options: [.prior])
        $0.register("2", by: "Screen#4")
        write(&$0)
        $0.exit()
      }
    }
    let changing = log { $0.will(change: "c", thread: "2") }
    #expect(changing.outcome() == [])
    #expect(
      why(.unbalancedChange, changing) == [
        "the process ended inside a callback, or while another thread changed a value: changes open then do not count"
      ]
    )
    let announcing = log {
      $0.will(change: "c", thread: "2")
      $0.notify("1", .prior, change: "c", thread: "2")
      $0.notifyEnd("1", .prior, change: "c", handled: true, thread: "2")
    }
    #expect(announcing.outcome() == [])
    let delivering = announcing.inserting(before: 6) { $0.did(change: "c", thread: "2") }
    #expect(delivering.outcome() == [])
    let goingOn = delivering.inserting(before: 7) { $0.will("Account#13", thread: "2") }
    #expect(goingOn.outcome() == ["KVO013@6", "KVO032@6"])
    // The thread that ends the process does nothing else afterwards.
    let alone = delivering.replacing(7) { $0.exit(thread: "2") }
    #expect(Set(alone.outcome()) == ["KVO013@6", "KVO032@6"])
    let open = log {
      $0.will(change: "c", thread: "2")
      $0.will("Account#13", change: "d", thread: "2")
      $0.did("Account#13", change: "d", thread: "2")
    }
    #expect(open.outcome() == ["KVO012@3"])
  }
}
