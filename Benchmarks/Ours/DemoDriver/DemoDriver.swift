import BankModel
import BenchmarkDriver
import KVOSafety

/// Repeats the scenes of `Examples/Demo` in one process, to measure the size of its log.
///
/// `DemoDriver demo <operations> <scratch> <log>`.
@main
enum DemoDriver {
  static func main() throws {
    let run = MeasuredRun()
    guard let log = run.rest.first else { MeasuredRun.fail("no log named", status: 64) }
    try KVO.startRecording(to: log)
    run.measure {
      for _ in 0..<run.operationCount { demo() }
    }
    KVO.stopRecording()
  }

  private static func demo() {
    let account = Account(owner: Person(name: "Ada"))
    for _ in 1...3 { Scenes.showBalance(of: account) }
    Scenes.audit(account)
    Scenes.greetOwner(of: account)
    let token = Scenes.openAndClose()
    account.balance += 1
    withExtendedLifetime(token) {}
  }
}
