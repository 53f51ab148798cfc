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
  /// the subclass overrides it with `ObservableKeyTable(inheriting: super.observableKeys, …)`.
  static var observableKeys: ObservableKeyTable { get }
}

/// One key of a class: its name and how to read it.
public struct ObservableKey {
  let name: String
  let keyPath: AnyKeyPath
  let read: (AnyObject) -> Any?

  /// A key called `name` that is read through `keyPath`.
  ///
  /// The name is what observers by name, logs and reports use; it must have no dot.
  public init<Root: AnyObject, Value>(_ name: String, _ keyPath: KeyPath<Root, Value>) {
    precondition(
      !name.isEmpty && !name.contains("."),
      "the key \"\(name)\" of \(Root.self) must have a name without dots"
    )
    self.name = name
    self.keyPath = keyPath
    read = { object in (object as? Root)?[keyPath: keyPath] }
  }
}
