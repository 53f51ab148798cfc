import BankModel
import Glibc
import KVORecorder
import KVOSafety

/// Observes as a correct program does, with a finding or a call in between, and ends in one of many ways.
enum FlightProbe {
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

  /// Does each of `steps` in turn; each but the last prints a line at once.
  static func run(_ steps: [String]) {
    // Before the recorder's, which passes the signal on to it.
    if steps.contains("survive") { signal(SIGTRAP) { _ in } }
    // Observed before the log rotates, and to the end.
    let account = Account()
    let kept = account.observe(\.balance) { _, _ in }
    for step in steps {
      perform(step, account)
      print(step)
      fflush(nil)
    }
    kept.invalidate()
  }

  private static func perform(_ step: String, _ account: Account) {
    switch step {
    case "few": work(rounds: 20, account)
    // Two megabytes of events, or more.
    case "many": work(rounds: 12_000, account)
    case "finding":
      let listener = Listener()
      account.addObserver(listener, forKeyPath: "balance")
      account.removeObserver(listener, forKeyPath: "balance")
      account.removeObserver(listener, forKeyPath: "balance")
    case "faults":
      // On as many objects, so that a sample has some of them.
      for _ in 0..<60 {
        let other = Account()
        let listener = Listener()
        other.addObserver(listener, forKeyPath: "balance")
        other.balance = 1
        other.removeObserver(listener, forKeyPath: "balance")
        other.removeObserver(listener, forKeyPath: "balance")
        other.addObserver(listener, forKeyPath: "owner")
      }
    case "names":
      // Three megabytes.
      for number in 0..<30_000 {
        _ = Recorder.shared.id(of: "a name of some fifty bytes, the number \(1_000_000 + number)")
      }
    case "some": work(rounds: 2_000, account)
    case "call": print(KVO.keepRecording(reason: "asked by a test") ?? "nothing")
    case "keep": KVO.keepRecording(reason: "asked by a test")
    case "state": print(KVO.isRecording)
    case "stop": KVO.stopRecording()
    case "survive": raise(SIGTRAP)
    case "exit": exit(7)
    case "leave": _exit(7)
    case "abort": abort()
    case "kill": raise(SIGKILL)
    case "terminate": raise(SIGTERM)
    default: fatalError("what is \"\(step)\"?")
    }
  }

  private static func work(rounds: Int, _ account: Account) {
    for round in 0..<rounds {
      let other = Account()
      let listener = Listener()
      let token = other.observe(\.balance) { _, _ in }
      other.addObserver(listener, forKeyPath: "balance")
      other.balance = Double(round)
      account.balance = Double(round)
      other.removeObserver(listener, forKeyPath: "balance")
      token.invalidate()
    }
  }
}
