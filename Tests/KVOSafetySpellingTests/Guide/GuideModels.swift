#if Macros
import KVOSafety
import KVOSafetySpelling

// The classes of the guide's tables. `GuideTests` holds the text of each row against these files.

@KeyValueObservable
final class Person {
  @KeyValue(.whenDifferent) var name = ""
  weak var friend: Person?
}

@KeyValueObservable final class Account {
  var balance = 0.0
  @KeyValue(.manual) var limit = 0.0 {
    willSet { willChangeValue(for: \.limit) }
    didSet { didChangeValue(for: \.limit) }
  }
  var owner: Person?
  var tags: [String] = []
  var rates: [String: Double]?
  @KeyValue(affectedBy: "balance", "owner.name") var summary: String {
    "\(owner?.name ?? "nobody") \(balance)"
  }
  @KeyValue(.ignored) var cache: [String: Double] = [:]
  var cents: Int {
    get { Int(balance * 100) }
    set {
      willChangeValue(forKey: "cents")
      balance = Double(newValue) / 100
      didChangeValue(forKey: "cents")
    }
  }
}

/// A class without the macro.
final class Plain: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("count", \Plain.count))
  var count = 0 {
    willSet { willChangeValue(for: \.count) }
    didSet { didChangeValue(for: \.count) }
  }
}

@KeyValueObservable
final class Team {
  var members: [Person] = []
}

/// Says at run time what a declaration cannot.
@KeyValueObservable
final class Gauge {
  var value = 0.0
  var limit = 1.0
  var isOver: Bool { value > limit }

  static func keyPathsForValuesAffecting(_ key: String) -> Set<String> {
    key == "isOver" ? ["value", "limit"] : []
  }
  static func automaticallyNotifies(_ key: String) -> Bool { key != "limit" }
}

@MainActor
final class Meter {
  var value = 0.0
}

/// An observer in each of the forms that need `self`.
final class Screen: KVOControlled {
  static let ownContext = ObservationContext("screen")
  let account: Account
  var token: ObservationToken?
  lazy var observations = ObservationController(owner: self)
  var heard: [String] = []
  let log = Log()

  final class Log {
    var lines: [String] = []
  }

  init(account: Account) { self.account = account }

  func balanceChanged() { heard.append("changed") }
  func nameChanged(_ change: ObservedChange<Any>, of account: Account) { heard.append("name") }
}

extension Screen: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    guard context == Self.ownContext else { return .unhandled }
    heard.append("\(keyPath) \(change.newValue ?? "nil")")
    return .handled
  }
}

@MainActor
final class MainScreen {
  let account: Account
  private(set) var heard: [String] = []

  init(account: Account) {
    self.account = account
    account.addObserver(self, forKeyPath: "balance", options: [.new])
  }

  isolated deinit { account.removeObserver(self, forKeyPath: "balance") }
}

extension MainScreen: @MainActor KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    heard.append("\(keyPath) \(change.newValue ?? "nil")")
    return .handled
  }
}
#endif
