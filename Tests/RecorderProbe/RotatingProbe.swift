import BankModel
import Glibc
import KVOSafety
import ProbeC

/// Observes as a correct program does, on many threads and in children, under a limit that has the log rotate.
enum RotatingProbe {
  /// The number of times that each thread observes and ends.
  private static let roundCount = 4_000

  static func run(path: String, limit: Int, threadCount: Int, forkCount: UInt64) throws {
    try KVO.startRecording(to: path, byteLimit: limit)
    // What the runtime looks up once, under a lock that another thread may hold at a fork, each child knows.
    recordSteps(forkCount + 1)
    let threads = (0..<threadCount).map { index in ProbeThread { work(index) } }
    for number in 1..<(1 + forkCount) {
      let child = probe_fork()
      if child == 0 {
        // The objects of the other threads are as they left them: it uses none.
        recordSteps(number)
        _exit(0)
      }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      guard status == 0 else { fatalError("a child ended with \(status)") }
    }
    for thread in threads { thread.join() }
    KVO.stopRecording()
  }

  private static func recordSteps(_ number: UInt64) {
    for step in 1...20 as ClosedRange<UInt64> {
      RecordedSequence.register(number * 1_000_000 + step)
      RecordedSequence.remove(number * 1_000_000 + step)
    }
  }

  private final class Listener: KeyValueObserver {
    func observeValue(
      forKeyPath keyPath: String,
      of object: any KeyValueObservable,
      change: ObservedChange<Any>,
      context: ObservationContext?
    ) -> NotificationHandling {
      .handled
    }
  }

  private static func work(_ index: Int) {
    // Observed before the log rotates, and after.
    let account = Account()
    let kept = account.observe(\.balance) { _, _ in }
    for round in 0..<roundCount {
      let other = Account()
      let listener = Listener()
      let token = other.observe(\.balance) { _, _ in }
      other.addObserver(listener, forKeyPath: "balance")
      other.balance = Double(round)
      account.balance = Double(index)
      other.removeObserver(listener, forKeyPath: "balance")
      token.invalidate()
    }
    kept.invalidate()
  }
}
