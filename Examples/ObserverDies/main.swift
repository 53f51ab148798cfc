// A screen is deallocated without removing its observation; then the account changes. With older
// runtimes the change calls into freed memory.
import BankModel
import KVOSafety

final class Screen: KeyValueObserver {
  init(account: Account) {
    account.addObserver(self, forKeyPath: "balance")
  }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}

func visit(_ account: Account) {
  _ = Screen(account: account)
}

let account = Account()
visit(account)
account.balance = 10
print("the balance is \(account.balance)")
