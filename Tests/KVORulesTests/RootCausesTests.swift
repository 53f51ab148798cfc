import KVOFindings
import KVORules
import KVOTrace
import Testing

@Suite("What follows from what")
struct RootCausesTests {
  /// The findings as `KVO001`, with what follows in brackets.
  private func findings(_ log: SampleLog, profile: Profile = .swift) -> [String] {
    let builder = FindingBuilder(names: log.names, profile: profile)
    var folder = FindingFolder()
    for verdict in log.verdicts() { folder.add(builder.finding(for: verdict)) }
    return folder.findings.map { finding in
      let follow = finding.consequences.map(\.code.rawValue).joined(separator: " ")
      return finding.code.rawValue + (follow.isEmpty ? "" : "[\(follow)]")
    }
  }

  /// A removal that is forgotten in each of three runs: it leaks, grows, and notifies a deallocated observer.
  private static let forgotten = SampleLog { log in
    for run in 1...3 {
      log.beginScope("\(run)", name: "open page")
      log.register("\(run)", "Page#1\(run)", by: "Screen#2\(run)", "title", scope: "\(run)")
      log.registerEnd("\(run)")
      log.endScope("\(run)")
    }
    log.beginDeinit("Screen#23", stack: ["Screen.deinit (Screen.swift:41)"])
    log.will("Page#13", "title", change: "c")
    log.did("Page#13", "title", change: "c")
    log.notify("3", change: "c")
    log.notifyEnd("3", change: "c")
    log.endDeinit("Screen#23")
    log.exit()
  }

  @Test(
    "a forgotten removal is one finding, which includes the growth, the late delivery and the deallocation"
  )
  func forgottenRemoval() {
    #expect(
      Self.forgotten.outcome() == [
        "KVO021@4", "KVO021@8", "KVO021@12", "KVO008@16", "KVO007@18", "KVO022@12",
      ]
    )
    #expect(findings(Self.forgotten) == ["KVO021[KVO008 KVO007 KVO022]"])
  }

  @Test("a change that another one crossed, and that never ends, is one finding with both")
  func crossedChange() {
    let log = SampleLog {
      $0.register("1", "Account#11", by: "Screen#21", "name")
      $0.registerEnd("1")
      $0.will("Account#11", "name", change: "a")
      $0.will("Account#12", "balance", change: "b")
      $0.did("Account#11", "name", change: "a")
      $0.notify("1", change: "a")
      $0.notifyEnd("1", change: "a")
      $0.did("Account#12", "balance", change: "b")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO012@5"])
    #expect(findings(log) == ["KVO012"])
    #expect(log.without(8).outcome() == ["KVO012@5", "KVO012@4"])
    #expect(findings(log.without(8)) == ["KVO012[KVO012]"])
  }

  @Test("what also happened without the root stands by itself")
  func partly() {
    // One of two registrations is expected to live: it is not a leak, but its observer is deallocated.
    let log = SampleLog { log in
      log.beginScope("s")
      log.register("1", "Page#11", by: "Screen#21", "title", scope: "s")
      log.register(
        "2",
        "Page#12",
        by: "Screen#22",
        "title",
        expectedToLive: "app-wide",
        scope: "s"
      )
      log.endScope("s")
      log.endDeinit("Screen#21")
      log.endDeinit("Screen#22")
      log.exit()
    }
    #expect(log.outcome() == ["KVO021@4", "KVO007@5", "KVO007@6"])
    #expect(findings(log) == ["KVO021", "KVO007"])
    #expect(findings(log.without(6)) == ["KVO021[KVO007]"])
  }

  @Test(
    "a removal under a wrong context leaves the observation that is deallocated with its observer"
  )
  func wrongContext() {
    let log = SampleLog {
      $0.beginScope("s")
      $0.register(context: "a", scope: "s")
      $0.remove(context: "b")
      $0.endScope("s")
      $0.endDeinit("Screen#3", stack: ["Screen.deinit (Screen.swift:41)"])
      $0.exit()
    }
    #expect(findings(log) == ["KVO003[KVO021 KVO007]"])
  }

  @Test("what has different causes in different occurrences is listed under that of the first")
  func severalCauses() {
    func log(removed: [String?]) -> SampleLog {
      SampleLog { log in
        for (run, method) in removed.enumerated() {
          let (account, screen) = ("Account#1\(run)", "Screen#2\(run)")
          log.beginScope("\(run)", name: "open page")
          log.register("\(run)", account, by: screen, context: "a", scope: "\(run)")
          if let method {
            let stack = ["Screen.\(method)() (Screen.swift:29)"]
            log.remove(nil, account, by: screen, context: "b", stack: stack)
          }
          log.endScope("\(run)")
        }
        log.exit()
      }
    }
    #expect(findings(log(removed: ["close", "close"])) == ["KVO003[KVO021]"])
    #expect(findings(log(removed: ["close", "hide"])) == ["KVO003[KVO021]", "KVO003"])
    #expect(findings(log(removed: ["close", nil])) == ["KVO003", "KVO021"])
    #expect(findings(log(removed: [nil, "close", "hide"])).contains("KVO003"))
    #expect(!findings(log(removed: [nil, "close"])).contains("KVO003[KVO021]"))
  }

  @Test("a removal after the deallocation that ended the observation follows from that")
  func late() {
    let log = SampleLog {
      $0.register()
      $0.endDeinit("Screen#3", stack: ["Screen.deinit (Screen.swift:41)"])
      $0.remove()
      $0.exit()
    }
    #expect(log.outcome() == ["KVO007@2", "KVO001@3"])
    #expect(findings(log) == ["KVO007[KVO001]"])
    #expect(
      log.report().contains(
        #"removed its observation of "balance" from Account#12 after a deallocation had ended it"#
      )
    )
    // A removal that had a predecessor stands by itself.
    let twice = SampleLog {
      $0.register()
      $0.remove()
      $0.endDeinit("Screen#3")
      $0.remove()
      $0.exit()
    }
    #expect(findings(twice) == ["KVO001"])
    #expect(twice.report().contains("a second time"))
  }

  @Test("a removal after the deallocation of the observed object follows from that")
  func lateForSubject() {
    let log = SampleLog {
      $0.register()
      $0.endDeinit("Account#12", stack: ["Bank.close() (Bank.swift:8)"])
      $0.beginDeinit("Screen#3")
      $0.remove()
      $0.endDeinit("Screen#3")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO006@2", "KVO001@4"])
    #expect(findings(log) == ["KVO006[KVO001]"])
    #expect(
      log.report().contains(
        #"removed its observation of "balance" from Account#12 after a deallocation had ended it"#
      )
    )
    #expect(findings(log.replacing(4) { $0.remove(isUnmatched: true) }) == ["KVO006[KVO001]"])
    let said = log.replacing(4) { $0.remove("1") }
    #expect(findings(said) == ["KVO006"])
    let cancelled = log.inserting(before: 2) { $0.cancel(by: .subject) }
    #expect(findings(cancelled) == ["KVO006[KVO001]"])
    // One that was removed before its object was deallocated had a predecessor, and one that was never made has none.
    let twice = log.inserting(before: 2) { $0.remove("1") }
    #expect(findings(twice) == ["KVO001"])
    #expect(twice.report().contains("a second time"))
    #expect(findings(log.replacing(4) { $0.remove(by: "Screen#4") }) == ["KVO006", "KVO002"])
  }

  @Test("the removal that pairs with a refused addition is silent after the deallocation, too")
  func lateForRefused() {
    let log = SampleLog {
      $0.refuse(.unknownKey, part: "balanse")
      $0.endDeinit("Account#12")
      $0.remove(nil, "Account#12", by: "Screen#3", "balanse")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO029@1"])
    #expect(log.without(1).outcome() == ["KVO002@2"])
  }

  @Test("the past of deallocated objects is forgotten in their order")
  func forgottenPast() {
    func outcome(after count: Int) -> [String] {
      SampleLog { log in
        for number in 0...count {
          log.register("\(number)", "Account#\(100 + number)")
          log.remove("\(number)", "Account#\(100 + number)")
          log.endDeinit("Account#\(100 + number)")
        }
        log.remove(nil, "Account#100")
        log.exit()
      }
      .verdicts().map(\.code.rawValue)
    }
    #expect(outcome(after: 255) == ["KVO001"])
    #expect(outcome(after: 256) == ["KVO002"])
  }

  @Test("a change that never ends is one finding, regardless of its prior notifications")
  func unended() {
    let log = SampleLog {
      $0.register(options: [.prior])
      $0.beginScope("s")
      $0.will(change: "c", scope: "s")
      $0.notify("1", .prior, change: "c")
      $0.notifyEnd("1", .prior, change: "c")
      $0.endScope("s")
      $0.remove("1")
      $0.exit()
    }
    #expect(findings(log) == ["KVO012[KVO013]"])
  }

  @Test("a consequence is never worse than its root")
  func severity() {
    // A suspected cycle is a note: what it would explain stays an error of its own.
    func log(_ certainty: Reference.Certainty) -> SampleLog {
      SampleLog {
        $0.beginScope("s")
        $0.register(by: nil, form: .token, token: "token:Token#9", scope: "s")
        $0.registerEnd()
        $0.hold("Screen#3", "token:Token#9", label: "token")
        $0.hold("token:Token#9", "closure:handler#10", label: "handler")
        $0.hold("closure:handler#10", "Screen#3", label: "self", certainty: certainty)
        $0.endScope("s")
        $0.exit()
      }
    }
    #expect(findings(log(.proven)) == ["KVO019[KVO021]"])
    #expect(findings(log(.suspected)) == ["KVO021", "KVO019"])
  }

  /// Two changes on two threads, of which the second reaches the observer.
  private func changes(overlap overlaps: Bool, options: Registration.Options = [.new]) -> SampleLog
  {
    SampleLog {
      $0.register(options: options)
      $0.registerEnd()
      $0.will(change: "a", thread: "1")
      if options.contains(.prior) {
        $0.notify("1", .prior, change: "a", thread: "1")
        $0.notifyEnd("1", .prior, change: "a", thread: "1")
      }
      if overlaps { $0.will(change: "b", thread: "2") }
      $0.did(change: "a", thread: "1")
      if !overlaps { $0.will(change: "b", thread: "2") }
      $0.did(change: "b", thread: "2")
      $0.notify("1", change: "b", thread: "2")
      $0.notifyEnd("1", change: "b", thread: "2")
      $0.exit()
    }
  }

  @Test("of two changes at one time that a runtime takes for nested ones, the observer misses one")
  func missedInRace() {
    #expect(changes(overlap: true).outcome() == ["KVO024@4", "KVO032@5"])
    #expect(findings(changes(overlap: true)) == ["KVO024[KVO032]"])
    #expect(findings(changes(overlap: true, options: [.new, .prior])) == ["KVO024[KVO013]"])
    // One after the other, they do not explain it.
    #expect(findings(changes(overlap: false)) == ["KVO032"])
    #expect(findings(changes(overlap: false, options: [.new, .prior])) == ["KVO013"])
  }

  @Test("a change that is missed beside those that overlap follows from the race, too")
  func missedAfterRace() {
    let log = SampleLog {
      $0.register()
      $0.registerEnd()
      $0.will(change: "a", thread: "1")
      $0.will(change: "b", thread: "2")
      $0.did(change: "a", thread: "1")
      $0.did(change: "b", thread: "2")
      // The second thread is still inside the end of its change.
      $0.will(change: "c", thread: "1")
      $0.did(change: "c", thread: "1")
      $0.notify("1", change: "b", thread: "2")
      $0.notifyEnd("1", change: "b", thread: "2")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO024@4", "KVO032@5", "KVO032@8"])
    #expect(findings(log) == ["KVO024[KVO032]"])
  }

  @Test("a missed change that no other overlapped stands beside the race")
  func missedOutsideRace() {
    let log = SampleLog {
      $0.register()
      $0.registerEnd()
      $0.will(change: "a", thread: "1")
      $0.will(change: "b", thread: "2")
      $0.did(change: "b", thread: "2")
      $0.notify("1", change: "b", thread: "2")
      $0.notifyEnd("1", change: "b", thread: "2")
      $0.did(change: "a", thread: "1")
      $0.notify("1", change: "a", thread: "1")
      $0.notifyEnd("1", change: "a", thread: "1")
      $0.will(change: "c", thread: "1")
      $0.did(change: "c", thread: "1")
      $0.exit()
    }
    #expect(findings(log) == ["KVO024", "KVO032"])
  }

  @Test("the report lists them in short")
  func text() {
    #expect(
      Self.forgotten.report() == #"""
        WARNING: KVOSafety: observation still live at the end of its scope (KVO021 \#
        leaked-registration)
          Screen#21 still observed "title" of Page#11 at the end of "open page", on thread 1 \#
        (main)
            (no stack, event 4)
          Registered at, on thread 1 (main)
          > #0 Screen.init(account:)   Screen.swift:12
          It leads to
            Screen#23 was notified of "title" of Page#13 after its deallocation had begun, on \#
        thread 1 (main) (KVO008 delivery-to-dead, 2:5c35ad2cec, seen once)
            Screen#23 was deallocated while it observed "title" of Page#13, on thread 1 \#
        (main) (KVO007 observer-deinit-while-registered, 2:f8977a8683, seen once)
            Each of 3 runs of "open page" ended with more observations of "title" of Page by \#
        Screen than the one before: 1, 2, 3 (KVO022 registration-growth, 2:bbee9b102a, seen once)
          Fix: end it where the scope ends: `token.invalidate()`, or \#
        `page.removeObserver(self, forKeyPath: "title")`; if it is meant to live, say so with \#
        `expectedToLive: "why"`
          Signature: 2:324658c517 · seen 3 times · events 4, 8, 12 · error, leak

        """#
    )
  }

  @Test("changes of other threads that seem to overlap with one that never ends follow from that")
  func neverEnding() {
    let log = SampleLog {
      $0.beginScope("s")
      $0.will(change: "c", scope: "s")
      $0.will(change: "d", thread: "2")
      $0.did(change: "d", thread: "2")
      $0.endScope("s")
      $0.exit()
    }
    #expect(findings(log) == ["KVO012[KVO024]"])
    let ended = log.inserting(before: 4) { $0.did(change: "c", scope: "s") }
    #expect(findings(ended) == ["KVO024"])
  }

  @Test("a change that really overlaps with one of another thread stands beside halves that cross")
  func crossingHalves() {
    let log = SampleLog {
      $0.will(change: "c")
      $0.will(change: "d", thread: "2")
      $0.did(change: "d", thread: "2")
      $0.will(change: "e")
      $0.did(change: "c")
      $0.did(change: "e")
      $0.exit()
    }
    #expect(findings(log) == ["KVO024", "KVO012"])
  }
}
