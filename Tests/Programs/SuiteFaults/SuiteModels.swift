import KVOSafety
import Synchronization

final class Account: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("balance", \Account.balance))

  var balance = 0 {
    willSet { willChangeValue(for: \.balance) }
    didSet { didChangeValue(for: \.balance) }
  }
}

final class Screen: KeyValueObserver {
  /// Kept while it is observed.
  var account: Account?
  var token: ObservationToken?
  var handler: (() -> Void)?
  var count = 0

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}

/// Objects that live as long as the process.
// Sendable: the kept objects are not read.
struct Kept: @unchecked Sendable {
  private let objects: [AnyObject]
  private static let all = Mutex<[Kept]>([])

  static func add(_ objects: AnyObject...) {
    let kept = Kept(objects: objects)
    all.withLock { $0.append(kept) }
  }
}
