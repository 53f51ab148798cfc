// An account is deallocated while a screen still observes it. Before iOS 11 this raised an exception;
// since then it leaks the observation.
import BankModel
import KVOSafety

final class Screen: KeyValueObserver {
  private var account: Account?

  init(account: Account) {
    self.account = account
    account.addObserver(self, forKeyPath: "balance")
  }

  func closeAccount() {
    account = nil
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

func openScreen() -> Screen {
  Screen(account: Account())
}

let screen = openScreen()
screen.closeAccount()
