import BankModel
import KVOSafety
import Synchronization

/// Loops and a continuation that wait when the process exits, and others that have ended by then.
///
/// A test knows the lines of the calls.
enum LeftLoops {
  // unsafe: written on one thread, before it is read.
  private nonisolated(unsafe) static var kept: [Any] = []
  // relaxed: nothing is published with it.
  private static let isReported = Atomic<Bool>(false)

  static func leave() async {
    KVO.policy.setAll(
      .call { violation in
        print(violation.report)
        isReported.store(true, ordering: .relaxed)
      }
    )
    let account = Account()
    let (prices, supply) = AsyncStream<Int>.recorded(as: "prices")
    for row in 0..<3 {
      Task(name: "row \(row)", priority: row == 0 ? .high : .low) { for await _ in prices {} }
    }
    let (events, sender) = AsyncStream.makeStream(of: Int.self)
    let noted = events.noted(as: "events")
    Task.detached { for await _ in noted {} }
    let balances = account.values(for: \.balance)
    Task.detached(priority: .background) { for await _ in balances {} }
    Task.detached(name: "login") {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        // Released without being resumed.
        _ = continuation.recorded(as: "reply")
      }
    }
    await end()
    let expected = ["Account.balance": 1, "events": 1, "prices": 3, "reply": 1]
    func counts() -> [String: Int] {
      Dictionary(uniqueKeysWithValues: KVO.parked().map { ($0.awaited, $0.count) })
    }
    // The continuation waits before it is released, and is reported after that.
    while counts() != expected || !isReported.load(ordering: .relaxed) { await Task.yield() }
    kept = [account, supply, sender]
  }

  /// A loop that has ended, and one that was cancelled.
  private static func end() async {
    let (events, sender) = AsyncStream.makeStream(of: Int.self)
    let finished = Task { for await _ in events.noted(as: "finished") {} }
    let account = Account()
    let cancelled = Task { for await _ in account.values(for: \.owner?.name) {} }
    sender.finish()
    cancelled.cancel()
    await finished.value
    await cancelled.value
  }
}
