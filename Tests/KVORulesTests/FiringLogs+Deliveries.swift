import KVORules
import KVOTrace

// The firing logs of callbacks, and of what is owed to a registration.
extension FiringLog {
  // MARK: - Callbacks

  private static let late = SampleLog {
    $0.register()
    $0.registerEnd()
    $0.will(change: "c")
    $0.did(change: "c")
    $0.remove("1", thread: "2")
    $0.notify(change: "c")
    $0.notifyEnd(change: "c")
    $0.exit()
  }

  private static let offExecutor = SampleLog {
    $0.register(executor: "MainActor")
    $0.notify(.after, executor: "MainActor")
    $0.notifyEnd()
    $0.notify(.after, executor: "Worker", thread: "2")
    $0.notifyEnd(thread: "2")
    $0.remove("1")
    $0.exit()
  }

  private static let offThread = SampleLog {
    $0.nameThread("main")
    $0.nameThread("worker", thread: "2")
    $0.register(executor: "main")
    $0.notify(thread: "2")
    $0.notifyEnd(thread: "2")
    $0.remove("1")
    $0.exit()
  }

  private static let underLock = SampleLog {
    $0.register()
    $0.lock()
    $0.notify()
    $0.notifyEnd()
    $0.unlock()
    $0.remove("1")
    $0.exit()
  }

  private static let addedUnderLock = SampleLog {
    $0.lock()
    $0.register()
    $0.unlock()
    $0.remove("1")
    $0.exit()
  }

  private static let removedUnderLock = SampleLog {
    $0.register(form: .controller)
    $0.lock()
    $0.cancel(by: .user, stack: ["Screen.close() (Screen.swift:29)"])
    $0.unlock()
    $0.exit()
  }

  /// A callback that changes what it observes, so many times.
  static func reentrant(_ depth: Int) -> SampleLog {
    SampleLog { log in
      log.register()
      for level in 0..<depth {
        log.will(change: "\(level)")
        log.did(change: "\(level)")
        log.notify(change: "\(level)", stack: ["Screen.observe(_:) (Screen.swift:50)"])
      }
      for level in (0..<depth).reversed() { log.notifyEnd(change: "\(level)") }
      log.remove("1")
      log.exit()
    }
  }

  static let deliveries = [
    FiringLog(
      code: .deliveryAfterRemove,
      log: late,
      outcome: ["KVO009@6"],
      twins: [
        ("removed in the callback", late.without(5).inserting(before: 6) { $0.remove("1") }),
        ("not told", late.without(6).without(6)),
        (
          "claimed before",
          late.replacing(5) { $0.remove("1", thread: "2", order: 3) }
            .replacing(6) { $0.notify(change: "c", order: 2) }
            .twin { $0.events.swapAt(4, 5) }
        ),
      ]
    ),
    FiringLog(
      code: .offExecutorDelivery,
      log: offExecutor,
      outcome: ["KVO023@4"],
      twins: [
        ("as expected", offExecutor.replacing(4) { $0.notify(executor: "MainActor", thread: "2") }),
        ("not said", offExecutor.replacing(4) { $0.notify(thread: "2") }),
        ("nothing expected", offExecutor.replacing(1) { $0.register() }),
      ]
    ),
    FiringLog(
      code: .offExecutorDelivery,
      log: offThread,
      outcome: ["KVO023@4"],
      twins: [
        (
          "an executor other than a thread",
          offThread.replacing(3) { $0.register(executor: "Bank") }
        ),
        ("a thread without a name", offThread.without(2)),
        (
          "names of no thread",
          SampleLog {
            $0.nameThread("main", thread: nil)
            $0.nameThread("net", thread: nil)
            $0.register(executor: "main", thread: nil)
            $0.notify(thread: nil)
          }
        ),
        ("the same name", offThread.replacing(2) { $0.nameThread("main", thread: "2") }),
      ]
    ),
    FiringLog(
      code: .callbackUnderLock,
      log: underLock,
      outcome: ["KVO026@3"],
      twins: [
        ("unlocked before", underLock.without(5).inserting(before: 3) { $0.unlock() }),
        ("another thread's lock", underLock.replacing(2) { $0.lock(thread: "2") }),
        ("locked inside", underLock.without(2).inserting(before: 3) { $0.lock() }),
      ]
    ),
    FiringLog(
      code: .callbackUnderLock,
      log: addedUnderLock,
      outcome: ["KVO026@2"],
      twins: [
        ("another thread's lock", addedUnderLock.replacing(1) { $0.lock(thread: "2") })
      ]
    ),
    FiringLog(
      code: .callbackUnderLock,
      log: removedUnderLock,
      outcome: ["KVO026@3"],
      twins: [
        ("unlocked before", removedUnderLock.without(4).inserting(before: 3) { $0.unlock() }),
        ("cleaned up by the library", removedUnderLock.replacing(3) { $0.cancel(by: .observer) }),
      ]
    ),
    FiringLog(
      code: .reentrantChange,
      log: reentrant(9),
      outcome: ["KVO027@28"],
      twins: [
        ("eight deep", reentrant(8)),
        (
          "two callbacks that take turns",
          SampleLog { log in
            log.register("1")
            log.register("2", by: "Screen#4", "name")
            let turns = (0..<16).map { ($0, $0 % 2 == 0 ? ("1", "balance") : ("2", "name")) }
            for (level, (id, key)) in turns {
              log.will("Account#12", key, change: "\(level)")
              log.did("Account#12", key, change: "\(level)")
              log.notify(id, change: "\(level)")
            }
            for (level, (id, _)) in turns.reversed() { log.notifyEnd(id, change: "\(level)") }
            log.remove("1")
            log.remove("2", by: "Screen#4", "name")
            log.exit()
          }
        ),
        (
          "one after the other",
          SampleLog { log in
            log.register()
            for level in 0..<20 {
              log.will(change: "\(level)")
              log.did(change: "\(level)")
              log.notify(change: "\(level)")
              log.notifyEnd(change: "\(level)")
            }
            log.remove("1")
            log.exit()
          }
        ),
      ]
    ),
  ]

  // MARK: - What is owed

  private static let raced = SampleLog {
    $0.will(change: "c", thread: "2")
    $0.register()
    $0.registerEnd()
    $0.did(change: "c", thread: "2")
    $0.will("Account#12", "name", thread: "2")
    $0.did("Account#12", "name", thread: "2")
    $0.remove("1")
    $0.exit()
  }

  private static let prior = SampleLog {
    $0.register(options: [.prior])
    $0.will(change: "c")
    $0.notify(.prior, change: "c")
    $0.notifyEnd(.prior, change: "c")
    $0.did(change: "c")
    $0.will("Account#12", "name")
    $0.did("Account#12", "name")
    $0.remove("1")
    $0.exit()
  }

  static let promises = [
    FiringLog(
      code: .registrationRace,
      log: raced,
      outcome: ["KVO011@4"],
      twins: [
        ("told", raced.inserting(before: 5) { $0.notify(change: "c", thread: "2") }),
        (
          "notified before the writer says that the change ended",
          raced.inserting(before: 4) { $0.notify(change: "c", thread: "2") }
        ),
        (
          "notified so without the number of the change",
          raced.inserting(before: 4) { $0.notify(thread: "2") }
        ),
        ("notified of a later change", raced.inserting(before: 7) { $0.notify(change: "d") }),
        ("notified of the initial value", raced.inserting(before: 5) { $0.notify(.initial) }),
        (
          "registered before",
          // The first half of the change does not wait for anything; the delivery comes after both.
          raced.without(1).inserting(before: 3) { $0.will(change: "c", thread: "2") }
            .inserting(before: 5) { $0.notify(change: "c", thread: "2") }
        ),
        ("registered afterwards", raced.without(2).inserting(before: 4) { $0.register() }),
        (
          "another key",
          raced.replacing(2) { $0.register("1", "Account#12", by: "Screen#3", "rate") }
            .replacing(7) { $0.remove("1", "Account#12", by: "Screen#3", "rate") }
        ),
        ("removed during the deliveries", raced.without(7).inserting(before: 5) { $0.remove("1") }),
        ("killed", raced.without(8).without(7)),
      ]
    ),
    FiringLog(
      code: .priorWithoutAfter,
      log: prior,
      outcome: ["KVO013@5"],
      twins: [
        ("told after it", prior.inserting(before: 6) { $0.notify(.after, change: "c") }),
        ("removed meanwhile", prior.without(8).inserting(before: 5) { $0.remove("1") }),
        (
          "removed by another callback",
          prior.without(8).inserting(before: 6) {
            $0.remove("1", thread: "2")
          }
        ),
        ("killed in the middle", prior.twin { $0.events.removeSubrange(5...) }),
      ]
    ),
  ]
}

extension SampleLog {
  /// Of registration 1.
  fileprivate mutating func notify(
    _ phase: Delivery.Phase,
    change: String? = nil,
    executor: String = "",
    thread: String? = "1"
  ) {
    notify("1", phase, change: change, executor: executor, thread: thread)
  }

  fileprivate mutating func notifyEnd(_ phase: Delivery.Phase, change: String? = nil) {
    notifyEnd("1", phase, change: change)
  }
}
