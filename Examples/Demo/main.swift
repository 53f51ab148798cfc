// A small banking program with the faults that such programs have. `make demo` runs and records it,
// and prints the report of kvo-audit.
import BankModel
import KVOSafety

/// Shows an account.
///
/// Both `viewDidDisappear` and `deinit` remove the observer.
final class BalanceScreen: KeyValueObserver {
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
    .handled
  }
}

/// Logs the changes of an account, and does not stop when it is deallocated.
final class AuditTrail: KeyValueObserver {
  func follow(_ account: Account) {
    account.addObserver(self, forKeyPath: "balance", options: [.old, .new])
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

/// Greets the owner of an account, with a key that was renamed in an earlier version.
final class Greeting: KeyValueObserver {
  func greetOwner(of account: Account) {
    account.addObserver(self, forKeyPath: "owner.fullName", options: [.initial])
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

func showBalance(of account: Account) {
  let screen = BalanceScreen(account: account)
  account.balance += 100
  screen.viewDidDisappear()
}

func audit(_ account: Account) {
  let trail = AuditTrail()
  trail.follow(account)
  account.balance -= 30
}

func openAndClose() -> AuditTrail {
  let account = Account(owner: Person(name: "Grace"))
  let trail = AuditTrail()
  trail.follow(account)
  return trail
}

let account = Account(owner: Person(name: "Ada"))
for _ in 1...3 { showBalance(of: account) }
audit(account)
let greeting = Greeting()
greeting.greetOwner(of: account)
let trail = openAndClose()
account.balance += 1
print("done: the balance is \(account.balance)")
