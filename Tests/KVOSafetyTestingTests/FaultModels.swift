import KVOSafety

/// One fault of each live rule, each in a function of its own.
enum Faults {
  static func all() {
    removeTwice()
    removeUnregistered()
    removeUnderWrongContext()
    removeOneOfTwo()
    registerTwice()
    registerAtTwoPlaces()
    letObservedGo()
    letObserverGo()
    removeInsideInitial()
    cancelInsideInitial()
    endWhatDidNotBegin()
    endInTheWrongOrder()
    answerNothing()
    keepTheOwner()
    observeItself()
    changeInsideItself()
    askForUnknownKey()
    changeUnderLock()
  }

  private static let first = ObservationContext("first")
  private static let second = ObservationContext("second")

  private static func removeUnregistered() {
    Account().removeObserver(Screen(), forKeyPath: "balance")
  }

  private static func removeUnderWrongContext() {
    let (account, screen) = (Account(), Screen())
    account.addObserver(screen, forKeyPath: "balance", context: first)
    account.removeObserver(screen, forKeyPath: "balance", context: second)
    account.removeObserver(screen, forKeyPath: "balance", context: first)
  }

  private static func removeOneOfTwo() {
    let (account, screen) = (Account(), Screen())
    account.addObserver(screen, forKeyPath: "balance", context: first)
    account.addObserver(screen, forKeyPath: "balance", context: second)
    account.removeObserver(screen, forKeyPath: "balance")
    account.removeObserver(screen, forKeyPath: "balance", context: first)
  }

  private static func registerTwice() {
    let (account, screen) = (Account(), Screen())
    for _ in 1...2 { account.addObserver(screen, forKeyPath: "balance") }
    for _ in 1...2 { account.removeObserver(screen, forKeyPath: "balance") }
  }

  private static func registerAtTwoPlaces() {
    let (account, screen) = (Account(), Screen())
    account.addObserver(screen, forKeyPath: "balance")
    account.addObserver(screen, forKeyPath: "balance")
    for _ in 1...2 { account.removeObserver(screen, forKeyPath: "balance") }
  }

  private static func letObservedGo() {
    let screen = Screen()
    observeNew(screen)
    withExtendedLifetime(screen) {}
  }

  private static func observeNew(_ screen: Screen) {
    Account().addObserver(screen, forKeyPath: "balance")
  }

  private static func letObserverGo() {
    let account = Account()
    account.addObserver(Screen(), forKeyPath: "balance")
    account.balance = 1
  }

  private static func removeInsideInitial() {
    let (account, remover) = (Account(), Remover())
    account.addObserver(remover, forKeyPath: "balance", options: [.initial])
  }

  private static func cancelInsideInitial() {
    let account = Account()
    let owner = Owner()
    owner.observations.observe(account, \.balance, options: [.initial]) { owner, account, _ in
      owner.observations.unobserve(account)
    }
  }

  private static func endWhatDidNotBegin() {
    let (account, screen) = (Account(), Screen())
    account.addObserver(screen, forKeyPath: "balance")
    account.didChangeValue(for: \.balance)
    account.removeObserver(screen, forKeyPath: "balance")
  }

  private static func endInTheWrongOrder() {
    let (ledger, screen) = (Ledger(), Screen())
    ledger.addObserver(screen, forKeyPath: "credit")
    ledger.willChangeValue(for: \.credit)
    ledger.willChangeValue(for: \.debit)
    ledger.didChangeValue(for: \.credit)
    ledger.didChangeValue(for: \.debit)
    ledger.removeObserver(screen, forKeyPath: "credit")
  }

  private static func answerNothing() {
    let (account, deaf) = (Account(), Deaf())
    account.addObserver(deaf, forKeyPath: "balance")
    account.balance = 1
    account.removeObserver(deaf, forKeyPath: "balance")
  }

  private static func keepTheOwner() {
    let account = Account()
    let keeper = Keeper()
    keeper.account = account
    keeper.token = account.observe(\.balance) { _, _ in keeper.count += 1 }
    KVO.findRetainCycles(from: keeper)
  }

  private static func observeItself() {
    let narcissus = Narcissus()
    narcissus.addObserver(narcissus, forKeyPath: "image")
    narcissus.removeObserver(narcissus, forKeyPath: "image")
  }

  private static func changeInsideItself() {
    let (account, counter) = (Account(), Counter())
    account.addObserver(counter, forKeyPath: "balance")
    account.balance = 1
    account.removeObserver(counter, forKeyPath: "balance")
  }

  private static func changeUnderLock() {
    let (account, screen) = (Account(), Screen())
    account.addObserver(screen, forKeyPath: "balance")
    NotedMutex(0, name: "cache").withLock {
      $0 = 1; account.balance = 1
    }
    account.removeObserver(screen, forKeyPath: "balance")
  }

  private static func askForUnknownKey() {
    Account().addObserver(Screen(), forKeyPath: "nosuch")
  }
}

private final class Remover: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    object.removeObserver(self, forKeyPath: keyPath)
    return .handled
  }
}

private final class Owner {
  lazy var observations = ObservationController(owner: self)
}

private final class Keeper {
  var account: Account?
  var token: ObservationToken?
  var count = 0
}

private final class Deaf: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .unhandled
  }
}

private final class Counter: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    if let account = object as? Account, account.balance < 12 { account.balance += 1 }
    return .handled
  }
}

private final class Ledger: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("credit", \Ledger.credit),
    ObservableKey("debit", \Ledger.debit)
  )
  var credit = 0
  var debit = 0
}

private final class Narcissus: KeyValueObservable, KeyValueObserver {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("image", \Narcissus.image))
  var image = 0

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}
