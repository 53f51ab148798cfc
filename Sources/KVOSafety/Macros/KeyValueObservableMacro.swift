#if Macros
/// Makes the properties of a class observable by key.
///
/// ```swift
/// @KeyValueObservable
/// final class Account {
///   var balance = 0.0
///   var owner: Person?
///   @KeyValue(.whenDifferent) var name = ""
///   @KeyValue(.ignored) var cache: [String: Double] = [:]
///   @KeyValue(affectedBy: "balance", "owner.name") var summary: String { … }
/// }
/// ```
///
/// The class gets a registrar, a table of its keys and the conformance to ``KeyValueObservable``;
/// its stored properties notify when they are set, also to an equal value, as setters do under
/// Apple's key-value observing. A change in place, such as `account.tags.append("a")`, is one change
/// of the whole.
///
/// Properties are treated as follows:
/// - `var`: it notifies. `willSet` and `didSet` run when they run in plain Swift, between the two halves of the change:
///   `didSet { level = min(level, 10) }` does not call itself, and observers are notified once, with the corrected
///   value. Assignments in `init` and `deinit` call neither observers nor overrides. Setting a property in `init` for
///   the first time notifies no observer. One difference: after a call that throws with `inout` access to the property,
///   a `didSet` that does not use `oldValue` runs; in plain Swift it does not.
/// - an override that adds `willSet` or `didSet` notifies, whether or not the superclass does. They
///   and the superclass's setter are one change: observers are notified once, with the value after
///   the last `didSet`, also if that assigns the property again.
/// - an override with its own getter reports what that returns when the superclass's setter
///   notifies. If the superclass is not observable, the override's setter must notify; the macro
///   warns if it does not.
/// - `lazy` and wrapped ones notify too; they cannot have `willSet` or `didSet` as well.
/// - computed ones and `let` are keys that can be observed and be part of key paths. A computed one notifies when a key
///   that it is declared to depend on changes.
/// - `static` ones, those with an `async` or throwing getter, those that are `@available(*, unavailable)`, and those of
///   `Mutex`, `Atomic` and `AtomicLazyReference` are not keys. Mark constants of other types that cannot be copied
///   `@KeyValue(.ignored)`.
/// - `nonisolated(unsafe) var`, a `var` of an opaque type, and names that no key path can have, such as one with a dot,
///   are refused, unless they are ignored. Another raw identifier is a key under its name without backticks.
///
/// A subclass of an observable class is marked as well if it adds properties or overrides some. A
/// class of a global actor conforms in its isolation; an attribute whose name ends in `Actor`
/// counts as one. For another name, state the conformance: `class Screen: @Stage
/// KeyValueObservable`. A macro does not see the actor of a superclass or of a protocol: write it at the class, too. A
/// class that is `private` in another declaration states the conformance as well, or is made `fileprivate`. Actors,
/// structs, enums, classes inside functions, and classes that have a parameter pack or are `@Observable`, are refused.
///
/// The values are in private properties whose names begin with an underscore. Until the object is first observed,
/// setting costs a load and a branch more than without. A class that states `Codable` is coded under the names of its
/// properties, as without the macro.
///
/// An `init` or `deinit` that assigns a property with observers, or one that a subclass may override, is compiled from
/// a copy in which the assignment goes to storage: stacks name its lines, but `#line` in it is the line of its
/// declaration. The compiler cannot do that with a closure that has a capture list; there the macro warns of each such
/// reference, and suggests an alternative. An `init` in an extension is not seen: its assignments go through the
/// accessors.
@attached(
  member,
  conformances: KeyValueObservable,
  names: named(observationRegistrar),
  named(observableKeys),
  named(_observableKeys),
  named(CodingKeys)
)
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable)
public macro KeyValueObservable() =
  #externalMacro(module: "KVOSafetyMacros", type: "KeyValueObservableMacro")

/// Declares how one property of a ``KeyValueObservable()`` class is observed.
///
/// - Parameters:
///   - notification: when the property notifies.
///   - keyPaths: the key paths that the value depends on, starting at the same object: `"balance"`, `"owner.name"`.
///     When one of them changes, observers of the property are notified. The first part of a literal is checked by the
///     macro, all else when the property is observed: constants and `#keyPathName(\Account.balance)` will do, too. A part
///     of a struct, an enum or a string changes with the whole: `"point.x"` counts as `"point"`. (To observe one, observe
///     `\.point`: `\.point.x` is refused.) A path through a collection is refused. Mirrors
///     `keyPathsForValuesAffectingValue(forKey:)`.
@attached(peer)
public macro KeyValue(
  _ notification: KeyNotification = .automatic,
  affectedBy keyPaths: String...
) = #externalMacro(module: "KVOSafetyMacros", type: "KeyValueMacro")

/// When a property of a ``KeyValueObservable()`` class notifies.
public enum KeyNotification: Hashable, Sendable {
  /// Whenever it is set or changed in place; the default.
  case automatic
  /// When it is set to a value that is not equal to the previous one.
  ///
  /// The type must be `Equatable`. A change in place is made on a copy, to compare them.
  case whenDifferent
  /// When the class notifies explicitly, with ``KeyValueObservable/willChangeValue(for:fileID:line:function:)`` and
  /// ``KeyValueObservable/didChangeValue(for:fileID:line:function:)``.
  ///
  /// Mirrors `automaticallyNotifiesObservers(forKey:)` when it returns false.
  case manual
  /// Never; the property is not a key.
  case ignored
}

/// The name of a key path, such as `"owner.name"` for `\Account.owner?.name`, checked by the
/// compiler.
///
/// For the forms that take key paths by name. Each part must be a property; optional chaining is left
/// out of the name, and so is a class in another type or in a module: `"balance"` for `\Bank.Account.balance`. Names
/// that begin with a capital letter are types there, except for the last one. Mirrors `#keyPath` and
/// `FBKVOClassKeyPath`.
@freestanding(expression)
public macro keyPathName<Root: KeyValueObservable, Value>(
  _ keyPath: KeyPath<Root, Value>
) -> String = #externalMacro(module: "KVOSafetyMacros", type: "KeyPathNameMacro")

/// The name of a key path of `object`, checked by the compiler: `#keyPathName(account, \.owner?.name)`.
///
/// `object` is not evaluated. Mirrors `FBKVOKeyPath`.
@freestanding(expression)
public macro keyPathName<Root: KeyValueObservable, Value>(
  _ object: Root,
  _ keyPath: KeyPath<Root, Value>
) -> String = #externalMacro(module: "KVOSafetyMacros", type: "KeyPathNameMacro")
#endif
