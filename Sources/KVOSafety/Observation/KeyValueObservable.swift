/// A class whose properties can be observed by key.
///
/// A class conforms by hand with a registrar, a table of its keys, and a notification around every
/// change:
///
/// ```swift
/// final class Account: KeyValueObservable {
///   let observationRegistrar = ObservationRegistrar()
///   static let observableKeys = ObservableKeyTable(
///     ObservableKey("balance", \Account.balance),
///     ObservableKey("owner", \Account.owner)
///   )
///
///   var balance = 0.0 {
///     willSet { willChangeValue(for: \.balance) }
///     didSet { didChangeValue(for: \.balance) }
///   }
///   var owner: Person? {
///     willSet { willChangeValue(for: \.owner) }
///     didSet { didChangeValue(for: \.owner) }
///   }
/// }
/// ```
///
/// A class that is isolated to an actor conforms in isolation (`@MainActor KeyValueObservable`); its
/// objects can then be part of a deep key path where that actor runs.
///
/// Mirrors manual notification of `NSKeyValueObserving`:
/// <https://developer.apple.com/documentation/foundation/nskeyvalueobserving>.
public protocol KeyValueObservable: AnyObject {
  /// The registrations on this object; a stored `let`.
  ///
  /// Its end is how the layer learns that the object dies, so it must be stored in the object itself.
  var observationRegistrar: ObservationRegistrar { get }

  /// The keys that can be observed, by name.
  ///
  /// Make it a `static let`. A class that is subclassed makes it a `class var` over a `static let`;
  /// the subclass overrides it with `ObservableKeyTable(inheriting: super.observableKeys, …)`. A
  /// generic class uses ``ObservableKeyTable/shared(by:declaredBy:_:)``.
  static var observableKeys: ObservableKeyTable { get }
}
