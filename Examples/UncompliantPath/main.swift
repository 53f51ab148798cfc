// Key paths that were built from data: one is empty, one has an unknown key. With Foundation, the
// first raises an NSRangeException, the second an NSUnknownKeyException.
import BankModel
import KVOSafety

final class Inspector: KeyValueObserver {
  func inspect(_ account: Account, columns: [String]) {
    for column in columns {
      account.addObserver(self, forKeyPath: column)
    }
  }

  func close(_ account: Account, columns: [String]) {
    for column in columns {
      account.removeObserver(self, forKeyPath: column)
    }
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

let account = Account(owner: Person(name: "Ada"))
let inspector = Inspector()
inspector.inspect(account, columns: ["balance", "", "owner.nickname"])
account.balance = 10
inspector.close(account, columns: ["balance"])
