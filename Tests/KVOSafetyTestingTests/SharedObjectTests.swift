import Dispatch
import KVOSafety
import Synchronization
import Testing

@testable import KVOSafetyTesting

/// The codes of a failure of an asynchronous scope around `body`, or none.
private func codes(
  isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Void
) async rethrows -> [String] {
  var text = ""
  try await AuditedScope.run(
    name: "a scope",
    expectations: ScopeExpectations(allowsNoObservations: true),
    report: { text = $0.text },
    body
  )
  return text.matches(of: #/\((KVO\d{3}) /#).map { String($0.output.1) }
}

/// A screen whose deinit runs on the main actor, whichever thread releases it.
@MainActor
private final class MainScreen {
  private let token: ObservationToken
  init(_ account: Account) { token = account.observe(\.balance) { _, _ in } }
  isolated deinit { token.invalidate() }
}

@Suite("An audited scope of objects that other scopes use")
struct SharedObjectTests {
  @Test("misses no delivery to an observation that a scope beside it has ended")
  func endedBeside() async {
    // Used by one task at a time.
    nonisolated(unsafe) let shared = Account()
    let screen = Screen()
    let token = shared.observe(\.balance) { _, _ in }
    shared.addObserver(screen, forKeyPath: "balance", isolation: nil)
    let found = await codes {
      let own = shared.observe(\.balance) { _, _ in }
      await AuditedScope.$current.withValue(nil) {
        _ = await codes {
          token.invalidate()
          shared.removeObserver(screen, forKeyPath: "balance")
        }
      }
      shared.balance = 1
      // Neither a second addition nor one from another line.
      shared.addObserver(screen, forKeyPath: "balance", isolation: nil)
      shared.balance = 2
      shared.removeObserver(screen, forKeyPath: "balance")
      own.invalidate()
    }
    #expect(found == [])
  }

  @Test("does not take an observation for left that a scope inside of it has ended")
  func endedInside() async {
    let found = await codes {
      var account: Account? = Account()
      account?.observe(\.balance) { _, _ in }.bindToObject()
      let screen = Screen()
      let other = Account()
      other.addObserver(screen, forKeyPath: "balance")
      let inner = await codes {
        account = nil
        other.removeObserver(screen, forKeyPath: "balance")
      }
      #expect(inner == [])
      #expect(account == nil)
      other.addObserver(screen, forKeyPath: "balance")
      other.balance = 1
      other.removeObserver(screen, forKeyPath: "balance")
    }
    #expect(found == [])
  }

  @Test("does not take a token for dropped at once that a scope inside of it has notified")
  func notifiedInside() async {
    let found = await codes {
      let account = Account()
      let token = account.observe(\.balance) { _, _ in }
      let inner = await codes { account.balance = 1 }
      #expect(inner == [])
      _ = consume token
    }
    #expect(found == [])
  }

  @Test("finds what a scope inside of it leaves of its own observations")
  func leftInside() async {
    let account = Account()
    var token: ObservationToken?
    let found = await codes {
      token = account.observe(\.balance) { _, _ in }
      let inner = await codes { account.balance = 1 }
      #expect(inner == [])
    }
    #expect(found == ["KVO021"])
    token?.invalidate()
  }

  @Test("waits for the deinit on its actor of an object that another thread has released")
  func isolatedDeinit() async {
    for _ in 0..<50 {
      nonisolated(unsafe) let account = Account()
      let found = await codes {
        var screen: MainScreen? = await MainScreen(account)
        _ = screen
        screen = nil
      }
      #expect(found == [])
    }
  }

  @Test("does not wait for an actor that is blocked once its test is cancelled")
  func blockedActor() async {
    let keeper = Keeper()
    let test = Task {
      await codes {
        await keeper.observe()
        keeper.hold()
      }
    }
    while !keeper.isHeld { await Task.yield() }
    test.cancel()
    #expect(await test.value == ["KVO021"])
    keeper.release()
    await keeper.invalidate()
  }

  @Test("knows that an earlier observation was notified of two changes on a thread without a scope")
  func changedOutside() async {
    let account = Account()
    let earlier = account.observe(\.balance) { _, _ in }
    let found = await codes {
      let token = account.observe(\.balance) { _, _ in }
      nonisolated(unsafe) let shared = account
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          shared.balance = 1
          shared.balance = 2
          continuation.resume()
        }
      }
      token.invalidate()
    }
    #expect(found == [])
    earlier.invalidate()
  }
}

/// An actor whose jobs wait while it is held.
private actor Keeper {
  private let executor = HeldExecutor()
  private let account = Account()
  private var token: ObservationToken?
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated var isHeld: Bool { executor.isHeld }

  func observe() { token = account.observe(\.balance) { _, _ in } }
  func invalidate() { token?.invalidate() }
  nonisolated func hold() { executor.hold() }
  nonisolated func release() { executor.release() }
}

private final class HeldExecutor: SerialExecutor, Sendable {
  // `queue` synchronizes itself; `held`, under its own lock.
  private let queue = DispatchQueue(label: "held")
  private let held = Mutex(false)

  var isHeld: Bool { held.withLock { $0 } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func hold() {
    queue.suspend()
    held.withLock { $0 = true }
  }

  func release() { queue.resume() }
}
