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
/// A class that is isolated to an actor conforms in isolation (`@MainActor KeyValueObservable`);
/// its objects can then be part of a deep key path on that actor.
///
/// Mirrors manual notification of `NSKeyValueObserving`:
/// <https://developer.apple.com/documentation/foundation/nskeyvalueobserving>.
public protocol KeyValueObservable: AnyObject {
  /// The registrations on this object; a stored `let`.
  ///
  /// The library learns of the object's deallocation by the registrar's deinit, so the registrar
  /// must be stored in the object itself.
  var observationRegistrar: ObservationRegistrar { get }

  /// The keys that can be observed, by name.
  ///
  /// Make it a `static let`. A class that is subclassed makes it a `class var` over a `static let`;
  /// the subclass overrides it with `ObservableKeyTable(inheriting: super.observableKeys, …)`. A
  /// generic class uses ``ObservableKeyTable/shared(by:declaredBy:_:)``.
  static var observableKeys: ObservableKeyTable { get }

  /// The key paths that affect the value of `key`, in addition to those that its declaration names.
  ///
  /// For dependencies that are known only at run time. A class that is subclassed declares it as a `class func`; an
  /// override adds to what `super` returns. It is called once for each key, when the table of keys is created, on the
  /// class whose key paths the table lists, and must not access ``observableKeys``. None by default.
  ///
  /// Mirrors `keyPathsForValuesAffectingValue(forKey:)` of `NSObject`.
  static func keyPathsForValuesAffecting(_ key: String) -> Set<String>

  /// Whether the setter of `key` notifies; true by default.
  ///
  /// If it is false, the setters and in-place changes of ``KeyValueObservable()`` and of ``ObservationRegistrar`` send
  /// no notifications for the key; the class calls ``willChangeValue(for:fileID:line:function:)`` and
  /// ``didChangeValue(for:fileID:line:function:)``. It is called as ``keyPathsForValuesAffecting(_:)`` is.
  /// `@KeyValue(.manual)` declares the same at compile time.
  ///
  /// Mirrors `automaticallyNotifiesObservers(forKey:)` of `NSObject`.
  static func automaticallyNotifies(_ key: String) -> Bool
}

extension KeyValueObservable {
  /// None beyond what the declarations of the keys name.
  public static func keyPathsForValuesAffecting(_ key: String) -> Set<String> { [] }

  /// Every setter notifies.
  public static func automaticallyNotifies(_ key: String) -> Bool { true }
}
