// Works until it is killed, with a fault behind it: what was recorded by then must be there.
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
// Should nobody kill it, the clock does.
alarm(120)
// Said without the buffer of the standard library, for whoever waits for it.
_ = write(STDOUT_FILENO, "working\n", 8)
while true { account.balance += 1 }
