// A screen observes two keys and handles only one of them. With Foundation, a change of the other
// raises an NSInternalInconsistencyException.
import BankModel
import KVOSafety

final class Screen: KeyValueObserver {
  func observe(_ account: Account) {
    account.addObserver(self, forKeyPath: "balance")
    account.addObserver(self, forKeyPath: "owner")
  }

  func stopObserving(_ account: Account) {
    account.removeObserver(self, forKeyPath: "balance")
    account.removeObserver(self, forKeyPath: "owner")
  }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    keyPath == "balance" ? .handled : .unhandled
  }
}

let account = Account()
let screen = Screen()
screen.observe(account)
account.balance = 10
account.owner = Person(name: "Ada")
screen.stopObserving(account)
