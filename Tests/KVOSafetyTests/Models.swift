import Foundation
import KVOSafety

/// A model that every test of the library observes.
class Account: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  private static let keys = ObservableKeyTable(
    ObservableKey("balance", \Account.balance),
    ObservableKey("owner", \Account.owner),
    ObservableKey("tags", \Account.tags),
    ObservableKey("note", \Account.note)
  )
  class var observableKeys: ObservableKeyTable { keys }

  var balance = 0 {
    willSet { willChangeValue(for: \.balance) }
    didSet { didChangeValue(for: \.balance) }
  }
  var owner: Person? {
    willSet { willChangeValue(for: \.owner) }
    didSet { didChangeValue(for: \.owner) }
  }
  var tags: [String] = [] {
    willSet { willChangeValue(for: \.tags) }
    didSet { didChangeValue(for: \.tags) }
  }
  /// A key without notifications.
  var note = ""
  /// A property that is not a key.
  var secret = 0

  init(owner: Person? = nil) { self.owner = owner }
}

final class SavingsAccount: Account {
  private static let keys = ObservableKeyTable(
    inheriting: Account.observableKeys,
    ObservableKey("rate", \SavingsAccount.rate),
    ObservableKey("balance", \SavingsAccount.balance)
  )
  override class var observableKeys: ObservableKeyTable { keys }

  var rate = 1 {
    willSet { willChangeValue(for: \.rate) }
    didSet { didChangeValue(for: \.rate) }
  }
}

final class Person: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("name", \Person.name),
    ObservableKey("friend", \Person.friend),
    ObservableKey("pet", \Person.pet)
  )

  var name: String {
    willSet { willChangeValue(for: \.name) }
    didSet { didChangeValue(for: \.name) }
  }
  var friend: Person? {
    willSet { willChangeValue(for: \.friend) }
    didSet { didChangeValue(for: \.friend) }
  }
  /// An object that cannot be observed.
  var pet: Pet? {
    willSet { willChangeValue(for: \.pet) }
    didSet { didChangeValue(for: \.pet) }
  }

  init(_ name: String) { self.name = name }
}

final class Pet {}

/// An observer in the classic form that records its notifications, on any thread.
class Listener: KeyValueObserver {
  private let lock = NSLock()
  private var lines: [String] = []
  private var answer = NotificationHandling.handled
  private var reaction: ((any KeyValueObservable) -> Void)?

  var heard: [String] {
    get { lock.withLock { lines } }
    set { lock.withLock { lines = newValue } }
  }
  var handling: NotificationHandling {
    get { lock.withLock { answer } }
    set { lock.withLock { answer = newValue } }
  }
  var onNotification: ((any KeyValueObservable) -> Void)? {
    get { lock.withLock { reaction } }
    set { lock.withLock { reaction = newValue } }
  }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    let line = line(keyPath, change)
    lock.withLock { lines.append(line) }
    onNotification?(object)
    return handling
  }
}

/// A notification in one line: `balance setting 1 → 2`, with `prior` if it is one.
func line<Value>(_ keyPath: String, _ change: ObservedChange<Value>) -> String {
  var parts = [keyPath, "\(change.kind)"]
  if change.isPrior { parts.append("prior") }
  if let old = change.oldValue { parts.append("from \(old)") }
  if let new = change.newValue { parts.append("to \(new)") }
  return parts.joined(separator: " ")
}
