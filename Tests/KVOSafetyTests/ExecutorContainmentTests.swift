import Dispatch
import KVORecorder
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

/// An executor of a queue, which the runtime does not know.
private class QueueExecutor: SerialExecutor, @unchecked Sendable {
  // Sendable: immutable.
  let queue = DispatchQueue(label: "executor")
  let key = DispatchSpecificKey<Bool>()

  init() { queue.setSpecific(key: key, value: true) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// As the default implementation: not known.
  func isIsolatingCurrentContext() -> Bool? { nil }
}

private final class KnowingExecutor: QueueExecutor, @unchecked Sendable {
  // Sendable: as its superclass.
  override func isIsolatingCurrentContext() -> Bool? {
    DispatchQueue.getSpecific(key: key) == true
  }
}

/// An actor of such an executor, which observes.
private actor Clerk {
  private let executor: QueueExecutor
  private(set) var heard: [Int] = []
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: QueueExecutor) { self.executor = executor }

  func follow(_ shared: Shared) -> ObservationToken {
    shared.account.observe(\.balance, options: .new) { _, change in
      self.heard.append(change.newValue ?? -1)
    }
  }
}

/// An account that is observed on the main actor and changed from elsewhere.
private final class Shared: @unchecked Sendable {
  // Sendable: tests change it from one thread at a time.
  let account = Account()
}

/// An observer that must be notified on the main actor only.
@MainActor
private final class Screen {
  private(set) var heard: [Int] = []

  func follow(_ account: Account, options: ObservingOptions = .new) -> ObservationToken {
    account.observe(\.balance, options: options) { _, change in
      MainActor.assertIsolated()
      self.heard.append(change.newValue ?? -1)
    }
  }
}

/// Ends the process if it is notified of a change elsewhere.
@MainActor
private final class PortedScreen: @preconcurrency KeyValueObserver {
  private(set) var heard: [String] = []

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    heard.append(line(keyPath, change))
    return .handled
  }
}

@Suite("Notifications on another executor than expected")
struct ExecutorContainmentTests {
  /// Observes on the main actor, changes on another thread, and returns what was written.
  @MainActor
  private static func changeElsewhere() async -> [Int] {
    let shared = Shared()
    let screen = Screen()
    let token = screen.follow(shared.account)
    onThread { shared.account.balance = 1 }
    // Whatever was handed to the main actor comes before this.
    await Task { @MainActor in }.value
    token.invalidate()
    return screen.heard
  }

  @Test("the handler is called on its actor, and the change and the registration are reported")
  @MainActor
  func hops() async {
    let shared = Shared()
    let screen = Screen()
    var tokens: [ObservationToken] = []
    let found = verdicts(about: shared.account) {
      tokens = [screen.follow(shared.account)]
      onThread { shared.account.balance = 1 }
    }
    #expect(screen.heard.isEmpty, "the main actor is busy with this test")
    while screen.heard.isEmpty { await Task.yield() }
    #expect(screen.heard == [1])
    #expect(found.map(\.code) == [.offExecutorDelivery])
    #expect(found.first?.evidence.map(\.role) == [.failed, .registered])
    #expect(found.first?.evidence.allSatisfy { $0.stack != .none } == true)
    for token in tokens { token.invalidate() }
  }

  @Test(
    "a handler that is called late may end its observation, and is not called again",
    arguments: [false, true]
  )
  @MainActor
  func endsLate(isAwaited: Bool) {
    let shared = Shared()
    var heard: [Int] = []
    var token: ObservationToken?
    let found = verdicts(about: shared.account) {
      token = shared.account.observe(\.balance, options: .new) { _, change in
        heard.append(change.newValue ?? -1)
        if isAwaited { token?.invalidateAndWait() } else { token?.invalidate() }
      }
      onThread { shared.account.balance = 1 }
      shared.account.balance = 2
    }
    #expect(heard == [1])
    #expect(found.map(\.code) == [.offExecutorDelivery])
  }

  @Test("a change on the actor comes after those that were handed over before it")
  @MainActor
  func order() {
    let shared = Shared()
    let screen = Screen()
    let token = screen.follow(shared.account)
    for balance in 1...3 { onThread { shared.account.balance = balance } }
    shared.account.balance = 4
    #expect(screen.heard == [1, 2, 3, 4])
    token.invalidate()
  }

  @Test("old and new value come as they were when the change was made")
  @MainActor
  func values() async {
    let shared = Shared()
    shared.account.owner = Person("Ada")
    var heard: [String] = []
    let typed = shared.account.observe(\.owner?.name, options: [.old, .new, .prior]) { _, change in
      heard.append(line("typed", change))
    }
    let named = shared.account.observe(keyPath: "balance", options: [.old, .new]) { _, change in
      heard.append(line("named", change))
    }
    onThread {
      shared.account.owner?.name = "Grace"
      shared.account.owner = nil
      shared.account.balance = 7
    }
    while heard.count < 5 { await Task.yield() }
    #expect(
      heard == [
        "typed setting prior from Optional(\"Ada\")",
        "typed setting from Optional(\"Ada\") to Optional(\"Grace\")",
        "typed setting prior from Optional(\"Grace\")",
        "typed setting from Optional(\"Grace\") to nil", "named setting from 0 to 7",
      ]
    )
    typed.invalidate()
    named.invalidate()
  }

  @Test("an observer that was removed or deallocated before its actor ran is not called")
  @MainActor
  func removed() async {
    let shared = Shared()
    let screen = Screen()
    let token = screen.follow(shared.account)
    var owner: Listener? = Listener()
    var ownerCalls = 0
    ObservationController.of(owner ?? Listener()).observe(shared.account, \.balance) { _, _, _ in
      ownerCalls += 1
    }
    onThread { shared.account.balance = 1 }
    token.invalidate()
    owner = nil
    _ = owner
    await Task { @MainActor in }.value
    #expect(screen.heard.isEmpty)
    #expect(ownerCalls == 0)
  }

  @Test("nonisolated code is called by the changing thread, and nothing is reported")
  func unisolated() {
    let account = Account()
    var heard: [Int] = []
    let found = verdicts(about: account) {
      let token = account.observe(\.balance, options: .new) { heard.append($1.newValue ?? -1) }
      nonisolated(unsafe) let shared = account
      onThread { shared.balance = 1 }
      #expect(heard == [1])
      token.invalidate()
    }
    #expect(found.isEmpty)
  }

  @Test("an observer that may not be called elsewhere does not end the process")
  func ported() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { @MainActor in
      let shared = Shared()
      let screen = PortedScreen()
      shared.account.addObserver(screen, forKeyPath: "balance", options: .new)
      onThread { shared.account.balance = 1 }
      while screen.heard.isEmpty { await Task.yield() }
      shared.account.removeObserver(screen, forKeyPath: "balance")
      precondition(screen.heard == ["balance setting to 1"])
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("notification on another executor than expected (KVO023"))
    #expect(text.contains("Registered at"))
  }

  @Test("the policy can leave the notification out")
  func skips() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      KVO.policy.offExecutorDelivery = .skip
      let heard = await ExecutorContainmentTests.changeElsewhere()
      precondition(heard.isEmpty)
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("(KVO023"))
  }

  @Test("the policy can end the process there")
  func traps() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      KVO.policy[.offExecutorDelivery] = .trap
      _ = await ExecutorContainmentTests.changeElsewhere()
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("the policy for KVO023 is to trap; the report is above"))
  }

  /// Observes on an actor of `executor`, changes on its queue and on a thread, and returns what is reported of each.
  private func changes(on executor: QueueExecutor) async -> (queue: [RuleCode], thread: [RuleCode])
  {
    let shared = Shared()
    let clerk = Clerk(executor)
    let token = await clerk.follow(shared)
    let ofQueue = verdicts(about: shared.account) {
      executor.queue.sync { shared.account.balance = 1 }
    }
    let ofThread = verdicts(about: shared.account) { onThread { shared.account.balance = 2 } }
    while await clerk.heard.count < 2 { await Task.yield() }
    token.invalidate()
    #expect(await clerk.heard == [1, 2])
    return (ofQueue.map(\.code), ofThread.map(\.code))
  }

  @Test("an executor that does not know what runs on it makes no finding")
  func unknownExecutor() async {
    let found = await changes(on: QueueExecutor())
    #expect(found.queue == [])
    #expect(found.thread == [])
  }

  @Test("an executor that knows is asked")
  func knownExecutor() async {
    let found = await changes(on: KnowingExecutor())
    #expect(found.queue == [])
    #expect(found.thread == [.offExecutorDelivery])
  }
}
