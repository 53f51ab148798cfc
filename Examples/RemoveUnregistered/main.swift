// A screen removes an observation that it registers on only one of its code paths, and removes
// another one with the wrong context. With Foundation, both raise an NSRangeException.
import BankModel
import KVOSafety

final class Screen: KeyValueObserver {
  private static let balanceContext = ObservationContext("Screen.balance")
  private static let ownerContext = ObservationContext("Screen.owner")
  private let account: Account

  init(account: Account, showsOwner: Bool) {
    self.account = account
    account.addObserver(self, forKeyPath: "balance", context: Self.balanceContext)
    if showsOwner {
      account.addObserver(self, forKeyPath: "owner", context: Self.ownerContext)
    }
  }

  func close() {
    account.removeObserver(self, forKeyPath: "owner", context: Self.ownerContext)
    account.removeObserver(self, forKeyPath: "balance", context: Self.ownerContext)
    account.removeObserver(self, forKeyPath: "balance", context: Self.balanceContext)
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

let account = Account()
let screen = Screen(account: account, showsOwner: false)
screen.close()
