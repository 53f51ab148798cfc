// Every form of observing, each ended as it should be: nothing is reported.
import BankModel
import KVOSafety

final class Screen: KeyValueObserver {
  private static let context = ObservationContext("Screen")
  private let account: Account
  private var token: ObservationToken?
  private lazy var observations = ObservationController(owner: self)

  init(account: Account) {
    self.account = account
  }

  func appear() {
    account.addObserver(
      self,
      forKeyPath: "owner.name",
      options: [.initial, .new],
      context: Self.context
    )
    token = account.observe(\.balance, options: [.old, .new]) { _, change in
      print("balance: \(change.oldValue ?? 0) → \(change.newValue ?? 0)")
    }
    observations.observe(account, \.owner) { _, account, _ in
      print("owner: \(account.owner?.name ?? "nobody")")
    }
  }

  deinit {
    account.removeObserver(self, forKeyPath: "owner.name", context: Self.context)
  }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    guard context === Self.context else { return .unhandled }
    print("\(keyPath): \(change.newValue ?? "nobody")")
    return .handled
  }
}

func visit(_ account: Account) {
  let screen = Screen(account: account)
  screen.appear()
  account.balance = 10
  account.owner?.name = "Grace"
  account.owner = Person(name: "Barbara")
}

let account = Account(owner: Person(name: "Ada"))
visit(account)
account.balance = 20
