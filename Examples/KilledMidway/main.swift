// Runs until it is killed, after a fault: the events recorded by then must be in the log.
import BankModel
import Glibc
import KVOSafety

final class Worker: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}

func work(on account: Account) {
  let worker = Worker()
  account.addObserver(worker, forKeyPath: "balance")
  account.removeObserver(worker, forKeyPath: "balance")
  account.removeObserver(worker, forKeyPath: "balance")
}

let account = Account()
work(on: account)
let watcher = Worker()
account.addObserver(watcher, forKeyPath: "balance")
// If no other process kills it, a timer does.
alarm(120)
// Written without the standard library's buffer, because another process waits for it.
_ = write(STDOUT_FILENO, "working\n", 8)
while true { account.balance += 1 }
