import BankModel
import Glibc
import KVOSafety
import Synchronization

/// Starts logs while four threads make and end registrations of one object.
enum BusyProbe {
  /// Each log covers the work of its threads until they have ended their registrations and the object is deallocated.
  static func run(folder: String, logCount: Int) throws {
    for number in 0..<logCount {
      try record(to: "\(folder)/\(number)")
      KVO.stopRecording()
    }
  }

  private static func record(to path: String) throws {
    let workers = Workers()
    let threads = (0..<4).map { count in ProbeThread { workers.work(keeping: count) } }
    while workers.busyCount.load(ordering: .relaxed) < threads.count { sched_yield() }
    try KVO.startRecording(to: path)
    workers.mayEnd.store(true, ordering: .relaxed)
    for thread in threads { thread.join() }
  }

  private final class Workers: Sendable {
    // Not sendable: only observed here, which any thread may do.
    nonisolated(unsafe) private let account = Account()
    let busyCount = Atomic<Int>(0)
    let mayEnd = Atomic<Bool>(false)

    func work(keeping count: Int) {
      var tokens: [ObservationToken] = []
      var roundCount = 0
      while !mayEnd.load(ordering: .relaxed) {
        tokens.append(account.observe(\.balance) { _, _ in })
        if tokens.count > count { tokens.removeFirst().invalidate() }
        roundCount += 1
        if roundCount == 100 { busyCount.add(1, ordering: .relaxed) }
      }
      for token in tokens { token.invalidate() }
    }
  }
}
