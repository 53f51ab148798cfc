import KVOSafety

final class Account: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("balance", \Account.balance))

  var balance = 0 {
    willSet { willChangeValue(for: \.balance) }
    didSet { didChangeValue(for: \.balance) }
  }
}

final class Screen: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}

/// Adds, changes and removes: everything in order.
func behave() {
  let account = Account()
  let screen = Screen()
  account.addObserver(screen, forKeyPath: "balance")
  account.balance = 1
  account.removeObserver(screen, forKeyPath: "balance")
}

/// Removes twice.
func removeTwice() {
  let account = Account()
  let screen = Screen()
  account.addObserver(screen, forKeyPath: "balance")
  account.removeObserver(screen, forKeyPath: "balance")
  account.removeObserver(screen, forKeyPath: "balance")
}
