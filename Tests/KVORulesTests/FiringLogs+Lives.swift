import KVORules
import KVOTrace

// The firing logs of deallocations, changes and scopes.
extension FiringLog {
  // MARK: - Lifetimes

  private static let subjectFirst = SampleLog {
    $0.register()
    $0.registerEnd()
    $0.beginDeinit("Account#12", stack: ["Bank.close() (Bank.swift:8)"])
    $0.endDeinit("Account#12")
    $0.exit()
  }

  private static let observerFirst = SampleLog {
    $0.register()
    $0.registerEnd()
    $0.endDeinit("Screen#3", stack: ["Screen.deinit (Screen.swift:41)"])
    $0.exit()
  }

  private static let toDead = SampleLog {
    $0.register(form: .controller)
    $0.registerEnd()
    $0.beginDeinit("Screen#3", stack: ["Screen.deinit (Screen.swift:41)"])
    $0.notify()
    $0.notifyEnd()
    $0.cancel(by: .owner)
    $0.endDeinit("Screen#3")
    $0.exit()
  }

  static let lifetimes = [
    FiringLog(
      code: .observedDeinitWhileObserved,
      log: subjectFirst,
      outcome: ["KVO006@4"],
      twins: [
        ("a stream, which ends with it", subjectFirst.replacing(1) { $0.register(form: .stream) }),
        ("removed before", subjectFirst.inserting(before: 3) { $0.remove("1") }),
        ("removed while it dies", subjectFirst.inserting(before: 4) { $0.remove("1") }),
        ("another object dies", subjectFirst.replacing(4) { $0.endDeinit("Account#13") }),
        ("cancelled before", subjectFirst.inserting(before: 3) { $0.cancel(by: .user) }),
      ]
    ),
    FiringLog(
      code: .observerDeinitWhileRegistered,
      log: observerFirst,
      outcome: ["KVO007@3"],
      twins: [
        ("removed before", observerFirst.inserting(before: 3) { $0.remove("1") }),
        ("the token form", observerFirst.replacing(1) { $0.register(form: .token) }),
        ("the controller form", observerFirst.replacing(1) { $0.register(form: .controller) }),
        ("the stream form", observerFirst.replacing(1) { $0.register(form: .stream) }),
      ]
    ),
    FiringLog(
      code: .deliveryToDead,
      log: toDead,
      outcome: ["KVO008@4"],
      twins: [
        ("another object dies", toDead.replacing(3) { $0.beginDeinit("Screen#4") }),
        ("no delivery", toDead.without(4).without(4)),
      ]
    ),
  ]

  // MARK: - Changes

  private static let unopened = SampleLog {
    $0.will()
    $0.did()
    $0.did()
    $0.exit()
  }

  private static let unclosed = SampleLog {
    $0.beginScope("s")
    $0.will(scope: "s")
    $0.endScope("s")
    $0.exit()
  }

  private static let crossed = SampleLog {
    $0.will("Account#12", "balance")
    $0.will("Account#12", "name")
    $0.did("Account#12", "balance")
    $0.did("Account#12", "name")
    $0.exit()
  }

  private static let unhandled = SampleLog {
    $0.register()
    $0.will(change: "c")
    $0.did(change: "c")
    $0.notify(change: "c", stack: ["Screen.observe(_:) (Screen.swift:50)"])
    $0.notifyEnd(change: "c", handled: false, stack: ["Screen.observe(_:) (Screen.swift:52)"])
    $0.remove("1")
    $0.exit()
  }

  private static let missed = SampleLog {
    $0.register("1")
    $0.register("2", by: "Screen#4")
    $0.will(change: "c")
    $0.did(change: "c")
    $0.notify("1", change: "c")
    $0.notifyEnd("1", change: "c")
    $0.remove("1")
    $0.remove("2", by: "Screen#4")
    $0.exit()
  }

  static let changes = [
    FiringLog(
      code: .unbalancedChange,
      log: unopened,
      outcome: ["KVO012@3"],
      twins: [
        ("begun", unopened.inserting(before: 3) { $0.will() }),
        ("once", unopened.without(3)),
      ]
    ),
    FiringLog(
      code: .unbalancedChange,
      log: unclosed,
      outcome: ["KVO012@2"],
      twins: [
        ("closed", unclosed.inserting(before: 3) { $0.did() })
      ]
    ),
    FiringLog(
      code: .unbalancedChange,
      log: crossed,
      outcome: ["KVO012@3"],
      twins: [
        (
          "nested",
          crossed.replacing(3) { $0.did("Account#12", "name") }
            .replacing(4) { $0.did("Account#12", "balance") }
        ),
        (
          "on two threads",
          crossed.replacing(2) { $0.will("Account#12", "name", thread: "2") }
            .replacing(4) { $0.did("Account#12", "name", thread: "2") }
        ),
      ]
    ),
    FiringLog(
      code: .unhandledNotification,
      log: unhandled,
      outcome: ["KVO017@5"],
      twins: [
        ("handled", unhandled.replacing(5) { $0.notifyEnd(change: "c", handled: true) }),
        ("not said", unhandled.replacing(5) { $0.notifyEnd(change: "c") }),
      ]
    ),
    FiringLog(
      code: .missedDelivery,
      log: missed,
      outcome: ["KVO032@4"],
      twins: [
        ("told", missed.inserting(before: 7) { $0.notify("2", change: "c") }),
        (
          "notified before the writer says that the change ended",
          missed.inserting(before: 4) { $0.notify("2", change: "c") }
            .inserting(before: 5) { $0.notifyEnd("2", change: "c") }
        ),
        (
          "notified so by a writer that does not number changes",
          missed.replacing(3) { $0.will() }.replacing(4) { $0.did() }
            .inserting(before: 4) { $0.notify("2") }.inserting(before: 5) { $0.notifyEnd("2") }
        ),
        (
          "notified so on another thread",
          missed.inserting(before: 4) { $0.notify("2", change: "c", thread: "2") }
            .inserting(before: 5) { $0.notifyEnd("2", change: "c", thread: "2") }
        ),
        (
          "another key",
          missed.replacing(2) { $0.register("2", by: "Screen#4", "name") }
            .replacing(8) { $0.remove("2", by: "Screen#4", "name") }
        ),
        (
          "a deep path",
          missed.replacing(2) { $0.register("2", by: "Screen#4", "balance.cents") }
            .replacing(8) { $0.remove("2", by: "Screen#4", "balance.cents") }
        ),
        (
          "removed in between, by the first callback",
          missed.without(8).inserting(before: 6) { $0.remove("2", by: "Screen#4") }
        ),
        (
          "removed in between, on another thread",
          missed.without(8).inserting(before: 5) {
            $0.remove("2", by: "Screen#4", thread: "2")
          }
        ),
        (
          "cleaned up in between",
          missed.without(8).inserting(before: 7) {
            $0.endDeinit("Screen#4")
          }.replacing(2) { $0.register("2", by: "Screen#4", form: .controller) }
        ),
        (
          "registered during the change, and notified of the value after it",
          missed.without(2).inserting(before: 3) {
            $0.register("2", by: "Screen#4")
          }.inserting(before: 5) { $0.notify("2", .initial, thread: "2") }
        ),
        ("killed in the middle", missed.twin { $0.events.removeSubrange(6...) }),
        (
          "notified on another thread",
          missed.inserting(before: 7) { $0.notify("2", change: "c", thread: "2") }
        ),
      ]
    ),
  ]

  // MARK: - Scopes

  private static let leaked = SampleLog {
    $0.beginScope("s", name: "testBalance")
    $0.register(scope: "s")
    $0.registerEnd()
    $0.endScope("s")
    $0.exit()
  }

  static let scopes = [
    FiringLog(
      code: .leakedRegistration,
      log: leaked,
      outcome: ["KVO021@4"],
      twins: [
        ("removed", leaked.inserting(before: 4) { $0.remove("1") }),
        (
          "meant to live",
          leaked.replacing(2) { $0.register(expectedToLive: "app-wide", scope: "s") }
        ),
        ("made outside, on another thread", leaked.replacing(2) { $0.register(thread: "2") }),
        (
          "made outside, on a thread that is not said",
          leaked.replacing(2) { $0.register(thread: nil) }
        ),
        ("made outside", leaked.replacing(2) { $0.register() }.twin { $0.saysScopes() }),
        ("made in a parallel scope", leaked.replacing(2) { $0.register(scope: "t") }),
        ("never ended", leaked.without(4)),
      ]
    )
  ]
}
