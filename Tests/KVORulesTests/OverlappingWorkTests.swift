import KVOReplay
import KVORules
import KVOTrace
import Testing

/// What one thread does while another is in the middle of something, and what is left behind by what was abandoned.
@Suite("Overlapping work")
struct OverlappingWorkTests {
  @Test("a removal by the thread that deallocates is not concurrent with that (KVO025)")
  func foundDeallocation() {
    let log = SampleLog {
      $0.register("1")
      $0.beginDeinit("Account#12")
      $0.beginDeinit("Account#12", thread: "2")
      $0.remove("1")
      $0.removeEnd("1")
      $0.endDeinit("Account#12")
      $0.exit()
    }
    #expect(log.outcome() == [])
    #expect(log.without(2).outcome() == ["KVO025@3"])
  }

  /// The confidence of each verdict of `code`.
  private func confidences(_ code: RuleCode, _ log: SampleLog) -> [Confidence] {
    log.verdicts().filter { $0.code == code }.map(\.confidence)
  }

  @Test("that two removals overlap is certain only by the end of the first (KVO025)")
  func endOfRemoval() {
    let log = SampleLog {
      $0.register("1", order: 1)
      $0.remove("1", order: 2)
      $0.remove("1", thread: "2", order: 3)
      $0.removeEnd("1", order: 4)
      $0.removeEnd("1", thread: "2", order: 5)
      $0.exit()
    }
    #expect(confidences(.concurrentRemoval, log) == [.high])
    let unordered = log.replacing(4) { $0.removeEnd("1") }
    #expect(confidences(.concurrentRemoval, unordered) == [.low])
    var timed = unordered
    (timed.events[2].time, timed.events[3].time) = (70, 71)
    #expect(confidences(.concurrentRemoval, timed) == [.high])
    timed.events[3].time = 69
    #expect(confidences(.concurrentRemoval, timed) == [.low])
    // It has not returned, or that was lost.
    #expect(confidences(.concurrentRemoval, log.without(4)) == [.high])
    #expect(confidences(.concurrentRemoval, log.inserting(before: 4) { $0.lose() }) == [.low])
    #expect(confidences(.concurrentRemoval, log.without(5).without(4)) == [])
  }

  @Test("that a deallocation begins during a removal is certain only by its end (KVO025)")
  func deallocationInRemoval() {
    let log = SampleLog {
      $0.register("1", order: 1)
      $0.remove("1", thread: "2", order: 2)
      $0.beginDeinit("Account#12", order: 3)
      $0.removeEnd("1", thread: "2", order: 4)
      $0.exit()
    }
    #expect(confidences(.concurrentRemoval, log) == [.high])
    let unordered = log.replacing(4) { $0.removeEnd("1", thread: "2") }
    #expect(confidences(.concurrentRemoval, unordered) == [.low])
  }

  @Test("an overlap that a test expects is expected, though it ends after the scope (KVO025)")
  func expectedOverlap() {
    let log = SampleLog {
      $0.saysScopes()
      $0.beginScope("s")
      $0.add(.expects(rules: [25]), scope: "s")
      $0.register("1", order: 1, scope: "s")
      $0.remove("1", thread: "3", order: 2)
      let account = $0.object("Account#12")
      $0.add(.deinit(account), thread: "2", order: 3, scope: "s")
      $0.endScope("s")
      $0.removeEnd("1", thread: "3", order: 4)
      $0.exit()
    }
    let found = log.verdicts().filter { $0.code == .concurrentRemoval }
    #expect(found.map(\.isExpected) == [true])
  }

  @Test("that two changes overlap is certain only by the end of the first (KVO024)")
  func endOfChange() {
    let log = SampleLog {
      $0.will(change: "c", order: 1)
      $0.will(change: "d", thread: "2", order: 2)
      $0.did(change: "c", order: 3)
      $0.did(change: "d", thread: "2", order: 4)
      $0.exit()
    }
    #expect(confidences(.concurrentChange, log) == [.high])
    let unordered = log.replacing(3) { $0.did(change: "c") }
    #expect(confidences(.concurrentChange, unordered) == [.low])
    var timed = unordered
    (timed.events[1].time, timed.events[2].time) = (70, 71)
    #expect(confidences(.concurrentChange, timed) == [.high])
    #expect(confidences(.concurrentChange, log.inserting(before: 3) { $0.lose() }) == [.low])
  }

  @Test("a removal that matched nothing and raised is over when its thread goes on (KVO025)")
  func raisedRemoval() {
    let log = SampleLog {
      $0.register("9", "Account#99")
      $0.remove("9", "Account#99")
      $0.removeEnd("9", "Account#99")
      $0.remove(isUnmatched: true)
      $0.register("1")
      $0.remove("1", thread: "2")
      $0.removeEnd("1", thread: "2")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO002@4"])
  }

  @Test(
    "a cycle that another thread breaks during the walk is not a cycle (KVO019)",
    arguments: [true, false]
  )
  func brokenDuringWalk(isDropped: Bool) {
    let log = SampleLog {
      $0.register("1", by: nil, form: .token, token: "token:Token#9")
      $0.beginWalk()
      $0.hold("Screen#3", "token:Token#9")
      $0.hold("token:Token#9", "closure:closure#10")
      $0.hold("closure:closure#10", "Screen#3")
      if isDropped {
        $0.drop("closure:closure#10", "Screen#3")
      } else {
        $0.cancel(by: .user, thread: "2")
      }
      $0.endWalk()
      $0.exit()
    }
    #expect(log.outcome() == [])
    #expect(log.without(6).outcome() == ["KVO019@5"])
  }

  @Test("an overlap of scopes is over when both are (KVO021)")
  func overlapThatEnded() {
    let log = SampleLog {
      $0.beginScope("1")
      $0.beginScope("2")
      $0.endScope("1")
      $0.endScope("2")
      $0.beginScope("3")
      $0.register("1")
      $0.endScope("3")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO021@7"])
  }

  @Test("a registration that a later part lists again without a number is the same one (KVO006)")
  func listedAgain() {
    let log = SampleLog {
      $0.register(nil)
      $0.add(.live($0.registration(nil, "Account#12", by: "Screen#3", "balance")))
      $0.remove()
      $0.beginDeinit("Account#12")
      $0.endDeinit("Account#12")
      $0.exit()
    }
    #expect(log.outcome() == [])
    // Two that were made before the log are two.
    let two = log.replacing(1) {
      $0.add(.live($0.registration(nil, "Account#12", by: "Screen#3", "balance")))
    }
    #expect(two.outcome() == ["KVO006@5"])
  }

  @Test("a token is dropped at once if nothing but deallocations came between (KVO031)")
  func droppedToken() {
    func log(_ between: (inout SampleLog) -> Void) -> [String] {
      var log = SampleLog { $0.register("1", by: nil, form: .token, token: "token:Token#9") }
      log.events[0].time = 1_000
      between(&log)
      log.cancel(by: .token)
      log.events[log.events.count - 1].time = 2_000
      log.exit()
      return log.outcome()
    }
    #expect(log { _ in } == ["KVO031@2"])
    let deallocation = log {
      $0.beginDeinit("Screen#3")
      $0.endDeinit("Screen#3")
    }
    #expect(deallocation == ["KVO031@4"])
    #expect(log { $0.unlock() } == [])
    #expect(log { $0.notifyEnd("7", handled: true) } == [])
  }

  @Test("a token that goes right after its call site handed out the next one was stored (KVO031)")
  func replacedToken() {
    func log(_ site: String, _ between: (inout SampleLog) -> Void = { _ in }) -> [String] {
      SampleLog {
        $0.beginScope("s")
        $0.register("1", by: nil, form: .token, at: "Cell.swift:19", scope: "s")
        $0.registerEnd("1")
        $0.register("2", "Account#13", by: nil, form: .token, at: site, scope: "s")
        $0.registerEnd("2")
        between(&$0)
        $0.cancel("1", by: .token, scope: "s")
        $0.cancel("2", by: .user, scope: "s")
        $0.endScope("s")
        $0.exit()
      }
      .outcome()
    }
    #expect(log("Cell.swift:19") == [])
    #expect(log("Cell.swift:24") == ["KVO031@6"])
    #expect(log("") == ["KVO031@6"])
    #expect(log("Cell.swift:19") { $0.unlock() } == ["KVO031@7"])
  }

  @Test("a change need not reach an observer that another thread is still adding (KVO032)")
  func additionOnAnotherThread() {
    let log = SampleLog {
      $0.register("1")
      $0.registerEnd("1")
      $0.register("2", by: "Screen#4", thread: "2")
      $0.will(change: "c")
      $0.did(change: "c")
      $0.notify("1", change: "c")
      $0.notifyEnd("1", change: "c", handled: true)
      $0.will("Account#13", change: "d")
      $0.did("Account#13", change: "d")
      $0.registerEnd("2", thread: "2")
      $0.exit()
    }
    #expect(log.outcome() == [])
    let added = log.without(10).inserting(before: 4) { $0.registerEnd("2", thread: "2") }
    #expect(added.outcome() == ["KVO032@6"])
  }

  @Test("a removal without a thread may be of another than the change (KVO032)")
  func removalWithoutThread() {
    let log = SampleLog {
      $0.register("1", thread: nil)
      $0.will(change: "c", thread: nil)
      $0.did(change: "c", thread: nil)
      $0.remove("1", thread: nil)
      $0.exit(thread: nil)
    }
    #expect(log.outcome() == [])
    #expect(log.without(4).outcome() == ["KVO032@3"])
  }

  @Test("a log without threads is judged at its end for what was announced (KVO013)")
  func announcedWithoutThread() {
    let log = SampleLog {
      $0.register("1", options: [.prior], thread: nil)
      $0.will(change: "c", thread: nil)
      $0.notify("1", .prior, change: "c", thread: nil)
      $0.notifyEnd("1", .prior, change: "c", handled: true, thread: nil)
      $0.did(change: "c", thread: nil)
      $0.will("Account#13", change: "d", thread: nil)
      $0.did("Account#13", change: "d", thread: nil)
      $0.exit(thread: nil)
    }
    #expect(log.outcome() == ["KVO013@5"])
    #expect(log.without(8).outcome() == [])
    #expect(log.inserting(before: 8) { $0.notify("1", change: "c", thread: nil) }.outcome() == [])
  }

  @Test("a change of a link may replace all objects behind it (KVO014)")
  func replacedBehindLink() {
    let log = SampleLog {
      $0.register("1", "Account#12", by: "Screen#3", "customer.address.city")
      $0.attach(depth: 1, "address", to: "Customer#72")
      $0.attach(depth: 2, "city", to: "Address#73")
      $0.will("Account#12", "customer", change: "c")
      $0.did("Account#12", "customer", change: "c")
      $0.detach(depth: 2, "city", from: "Address#76")
      $0.detach(depth: 1, "address", from: "Customer#72")
    }
    #expect(!log.outcome().contains { $0.hasPrefix("KVO014") })
    #expect(log.without(5).without(4).outcome().contains { $0.hasPrefix("KVO014") })
  }

  @Test("a finding names the class that the program declares")
  func classes() {
    let log = SampleLog {
      $0.register("1", "Account#12")
      $0.remove("1", "NSKVONotifying_Account#12")
      $0.remove(nil, "NSKVONotifying_Account#12")
      $0.exit()
    }
    #expect(log.report().contains("Account#12"))
    #expect(!log.report().contains("NSKVONotifying_"))
  }
}
