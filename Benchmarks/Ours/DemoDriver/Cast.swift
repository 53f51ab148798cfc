import BankModel
import KVOSafety

/// Removes its observer twice, as `Examples/Demo` does.
private final class BalanceScreen: KeyValueObserver {
  private let account: Account

  init(account: Account) {
    self.account = account
    account.addObserver(self, forKeyPath: "balance", options: [.new])
  }

  func viewDidDisappear() { account.removeObserver(self, forKeyPath: "balance") }

  deinit { account.removeObserver(self, forKeyPath: "balance") }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}

/// Observes, and never stops.
private final class Follower: KeyValueObserver {
  func follow(_ account: Account, keyPath: String, options: ObservingOptions) {
    account.addObserver(self, forKeyPath: keyPath, options: options)
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

/// The scenes of the demo, each with its fault.
enum Scenes {
  /// An observer is removed twice.
  static func showBalance(of account: Account) {
    let screen = BalanceScreen(account: account)
    account.balance += 100
    screen.viewDidDisappear()
  }

  /// An observer is deallocated while it is registered.
  static func audit(_ account: Account) {
    Follower().follow(account, keyPath: "balance", options: [.old, .new])
    account.balance -= 30
  }

  /// A key path has an unknown key.
  static func greetOwner(of account: Account) {
    Follower().follow(account, keyPath: "owner.fullName", options: [.initial])
  }

  /// An observed object is deallocated.
  static func openAndClose() -> ObservationToken {
    let account = Account(owner: Person(name: "Grace"))
    return account.observe(\.balance) { _, _ in }
  }
}
