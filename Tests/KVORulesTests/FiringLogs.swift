import KVORules
import KVOTrace
import Testing

/// One firing log for each rule that this version judges, and its silent twins: the same log with
/// one event changed.
struct FiringLog: Sendable, CustomTestStringConvertible {
  var code: RuleCode
  var log: SampleLog
  /// What the log gives: the code and the failed event.
  var outcome: [String]
  var twins: [(name: String, log: SampleLog)]

  var testDescription: String { "\(code.rawValue) \(code.slug)" }

  static let all =
    removals + registrations + lifetimes + changes + scopes + deliveries + promises + values
    + threads + graphs + native + consumers

  // MARK: - Removals

  private static let twice = SampleLog {
    $0.register()
    $0.registerEnd()
    $0.remove("1")
    $0.remove(stack: ["Screen.deinit (Screen.swift:41)"])
    $0.exit()
  }

  private static let never = SampleLog {
    $0.register(by: "Screen#4")
    $0.remove()
    $0.remove("1", by: "Screen#4")
    $0.exit()
  }

  private static let otherContext = SampleLog {
    $0.register(context: "a")
    $0.remove(context: "b")
    $0.remove("1", context: "a")
    $0.exit()
  }

  private static let ambiguous = SampleLog {
    $0.register("1", context: "a")
    $0.register("2", context: "b")
    $0.remove("2")
    $0.remove("1", context: "a")
    $0.exit()
  }

  private static let removals = [
    FiringLog(
      code: .doubleRemove,
      log: twice,
      outcome: ["KVO001@4"],
      twins: [
        (
          "registered again in between",
          twice.inserting(before: 4) { $0.register("2") }
            .twin { $0.events[4] = $0.events[4].removing("2", in: &$0.names) }
        ),
        ("removed once", twice.without(4)),
        (
          "cancelled twice",
          SampleLog {
            $0.register(form: .token)
            $0.cancel(by: .user)
            $0.cancel(by: .user)
            $0.exit()
          }
        ),
      ]
    ),
    FiringLog(
      code: .removeUnregistered,
      log: never,
      outcome: ["KVO002@2"],
      twins: [
        (
          "registered before",
          never.replacing(1) { $0.register() }.without(3)
            .twin { $0.events[1] = $0.events[1].removing("1", in: &$0.names) }
        ),
        ("no removal", never.without(2)),
      ]
    ),
    FiringLog(
      code: .removeWrongContext,
      log: otherContext,
      outcome: ["KVO003@2"],
      twins: [
        ("no wrong removal", otherContext.without(2)),
        (
          "the right context", otherContext.replacing(2) { $0.remove("1", context: "a") }.without(3)
        ),
      ]
    ),
    FiringLog(
      code: .ambiguousRemove,
      log: ambiguous,
      outcome: ["KVO004@3"],
      twins: [
        ("with a context", ambiguous.replacing(3) { $0.remove("2", context: "b") }),
        (
          "another key path",
          ambiguous.replacing(2) { $0.register("2", "Account#12", "name") }
            .replacing(3) { $0.remove("2", "Account#12", by: "Screen#3", "name") }
        ),
      ]
    ),
  ]

  // MARK: - Registrations

  private static let duplicate = SampleLog {
    $0.register("1")
    $0.register("2")
    $0.remove("2")
    $0.remove("1")
    $0.exit()
  }

  private static let inInitial = SampleLog {
    $0.register(options: [.initial])
    $0.notify("1", .initial)
    $0.remove("1")
    $0.notifyEnd("1", .initial)
    $0.registerEnd()
    $0.exit()
  }

  private static let itself = SampleLog {
    $0.register("1", "Account#12", by: "Account#12")
    $0.remove("1", "Account#12", by: "Account#12")
    $0.exit()
  }

  private static let refusedPath = SampleLog {
    $0.refuse(.unknownKey, part: "balanse")
    $0.exit()
  }

  private static let droppedToken = SampleLog {
    $0.beginScope("s")
    $0.register(by: nil, form: .token, scope: "s")
    $0.registerEnd()
    $0.cancel(by: .token, scope: "s")
    $0.endScope("s")
    $0.exit()
  }

  private static let registrations = [
    FiringLog(
      code: .duplicateRegistration,
      log: duplicate,
      outcome: ["KVO005@2"],
      twins: [
        (
          "another context",
          duplicate.replacing(2) { $0.register("2", context: "b") }
            .replacing(3) { $0.remove("2", context: "b") }
        ),
        (
          "another observer",
          duplicate.replacing(2) { $0.register("2", by: "Screen#4") }
            .replacing(3) { $0.remove("2", by: "Screen#4") }
        ),
        (
          "removed in between",
          SampleLog {
            $0.register("1")
            $0.remove("1")
            $0.register("2")
            $0.remove("2")
          }
        ),
        (
          "there before the log began",
          SampleLog {
            $0.register("1")
            let same = $0.registration("2", "Account#12", by: "Screen#3", "balance")
            $0.add(.live(same))
            $0.remove("2")
            $0.remove("1")
          }
        ),
        (
          "two tokens of one observer",
          SampleLog {
            $0.register("1", form: .token)
            $0.register("2", form: .token)
            $0.cancel("1", by: .user)
            $0.cancel("2", by: .user)
          }
        ),
        (
          "two tokens of closures",
          SampleLog {
            $0.register("1", by: nil, form: .token)
            $0.register("2", by: nil, form: .token)
            $0.cancel("1", by: .user)
            $0.cancel("2", by: .user)
          }
        ),
      ]
    ),
    FiringLog(
      code: .removeDuringInitial,
      log: inInitial,
      outcome: ["KVO010@3"],
      twins: [
        ("removed afterwards", inInitial.without(3).inserting(before: 5) { $0.remove("1") }),
        ("on threads that are not said", inInitial.twin { $0.forgetThreads() }),
        (
          "a token",
          SampleLog {
            $0.register(options: [.initial], form: .token)
            $0.notify("1", .initial)
            $0.cancel(by: .user)
            $0.notifyEnd("1", .initial)
            $0.registerEnd()
          }
        ),
        ("removed on another thread", inInitial.replacing(3) { $0.remove("1", thread: "2") }),
        (
          "removed after the callback, before the addition returned",
          inInitial.without(3).inserting(before: 4) { $0.remove("1") }
        ),
      ]
    ),
    FiringLog(
      code: .selfObservation,
      log: itself,
      outcome: ["KVO020@1"],
      twins: [
        (
          "by a stream",
          itself.replacing(1) { $0.register("1", "Account#12", by: "Account#12", form: .stream) }
            .replacing(2) { $0.cancel(by: .user) }
        ),
        (
          "by another",
          itself.replacing(1) { $0.register("1", "Account#12", by: "Account#13") }
            .replacing(2) { $0.remove("1", "Account#12", by: "Account#13") }
        ),
      ]
    ),
    FiringLog(
      code: .uncompliantPath,
      log: refusedPath,
      outcome: ["KVO029@1"],
      twins: [("carried out", refusedPath.replacing(1) { $0.register() })]
    ),
    FiringLog(
      code: .tokenDropped,
      log: droppedToken,
      outcome: ["KVO031@4"],
      twins: [
        ("invalidated", droppedToken.replacing(4) { $0.cancel(by: .user, scope: "s") }),
        (
          "with the initial value",
          droppedToken.replacing(2) {
            $0.register(by: nil, options: [.initial], form: .token, scope: "s")
          }
        ),
        ("notified before", droppedToken.inserting(before: 4) { $0.notify() }),
        ("kept by another scope", droppedToken.replacing(4) { $0.cancel(by: .token, scope: "t") }),
        (
          "kept by another thread, outside",
          droppedToken.replacing(4) { $0.cancel(by: .token, thread: "2") }
        ),
        (
          "without scopes, after something else",
          SampleLog {
            $0.register(by: nil, form: .token)
            $0.will("Account#12", "name")
            $0.did("Account#12", "name")
            $0.cancel(by: .token)
          }
        ),
      ]
    ),
  ]
}

extension Event {
  /// The same removal, with what it matched.
  fileprivate func removing(_ id: String, in names: inout TraceNames) -> Event {
    guard case .remove(var removal) = body else { return self }
    removal.registration = names.identifier(id)
    var copy = self
    copy.body = .remove(removal)
    return copy
  }
}
