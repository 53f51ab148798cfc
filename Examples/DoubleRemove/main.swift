// Two methods both remove the observer. With Foundation, the second removal raises an
// NSRangeException.
import BankModel
import KVOSafety

final class Screen: KeyValueObserver {
  private let account: Account

  init(account: Account) {
    self.account = account
    account.addObserver(self, forKeyPath: "balance", options: [.new])
  }

  func viewDidDisappear() {
    account.removeObserver(self, forKeyPath: "balance")
  }

  deinit {
    account.removeObserver(self, forKeyPath: "balance")
  }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    print("\(keyPath) is now \(change.newValue ?? "nothing")")
    return .handled
  }
}

func visit(_ account: Account) {
  let screen = Screen(account: account)
  account.balance += 10
  screen.viewDidDisappear()
}

visit(Account())
