package import KVOSafety

/// The model that the example programs observe.
package final class Account: KeyValueObservable {
  package let observationRegistrar = ObservationRegistrar()
  package static let observableKeys = ObservableKeyTable(
    ObservableKey("balance", \Account.balance),
    ObservableKey("owner", \Account.owner)
  )

  /// The balance of the account.
  package var balance = 0.0 {
    willSet { willChangeValue(for: \.balance) }
    didSet { didChangeValue(for: \.balance) }
  }

  /// The owner of the account.
  package var owner: Person? {
    willSet { willChangeValue(for: \.owner) }
    didSet { didChangeValue(for: \.owner) }
  }

  /// An empty account.
  package init(owner: Person? = nil) { self.owner = owner }
}

/// A person who owns an account.
package final class Person: KeyValueObservable {
  package let observationRegistrar = ObservationRegistrar()
  package static let observableKeys = ObservableKeyTable(ObservableKey("name", \Person.name))

  /// The name of the person.
  package var name: String {
    willSet { willChangeValue(for: \.name) }
    didSet { didChangeValue(for: \.name) }
  }

  /// A person with the name `name`.
  package init(name: String) { self.name = name }
}
