import BankModel
import KVOSafety
import Synchronization

/// Starts logs while four threads make and end registrations of one object.
enum BusyProbe {
  /// Each log covers what its threads do until they have ended all of theirs.
  static func run(folder: String, logCount: Int) throws {
    for number in 0..<logCount {
      let workers = Workers()
      let threads = (0..<4).map { count in ProbeThread { workers.work(keeping: count) } }
      while workers.roundCount.load(ordering: .relaxed) < 1000 {}
      try KVO.startRecording(to: "\(folder)/\(number)")
      workers.mayEnd.store(true, ordering: .relaxed)
      for thread in threads { thread.join() }
      KVO.stopRecording()
    }
  }

  private final class Workers: Sendable {
    // Not sendable: only observed here, which any thread may do.
    nonisolated(unsafe) private let account = Account()
    let roundCount = Atomic<Int>(0)
    let mayEnd = Atomic<Bool>(false)

    func work(keeping count: Int) {
      var tokens: [ObservationToken] = []
      while !mayEnd.load(ordering: .relaxed) {
        tokens.append(account.observe(\.balance) { _, _ in })
        if tokens.count > count { tokens.removeFirst().invalidate() }
        roundCount.add(1, ordering: .relaxed)
      }
      for token in tokens { token.invalidate() }
    }
  }
}
