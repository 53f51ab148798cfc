internal import KVORecorder
internal import KVOTrace

/// One key of a class: its name, how to read it, and what else changes its value.
///
/// Keep one that is used in setters in a `static let`: making one names it, which costs more than a
/// change. Immutable; any thread may use it.
public struct ObservableKey: Sendable {
  let declaration: KeyDeclared

  /// A key called `name` that is read through `keyPath`.
  ///
  /// - Parameters:
  ///   - name: what observers by name, logs and reports call it; it must have no dot.
  ///   - keyPath: the property. One that is declared in a superclass is given as the superclass's.
  ///   - affectedBy: key paths by name, from the same object on, whose changes change this value as
  ///     well: `["first", "last"]`, `["owner.name"]`. They add to what a superclass says of the key.
  ///     A part of a struct, an enum or a string changes with the whole: `"point.x"` counts as `"point"`.
  ///     A path through a collection, or with a part that no class has, is refused and reported
  ///     when the key is observed (KVO029); the others count all the same.
  ///   - isManual: whether the class sends the notifications of this key itself, with
  ///     ``KeyValueObservable/willChangeValue(for:fileID:line:function:)``, and its setter none. Logs
  ///     say so; the layer sends what it is told to send either way.
  ///   - isWeak: whether the property is `weak`. Not for `unowned`, which may not be read when its
  ///     object has died. Logs say so of the objects on a path.
  ///   - hasOwnGetter: whether the property overrides one, with a getter of its own: what the superclass
  ///     stores is not its value then, and observers are told what the getter returns.
  ///   - onlyWhenDifferent: whether the setter notifies of a value only if that is not equal to the one
  ///     before. An override with observers then does the same.
  public init<Root: AnyObject, Value>(
    _ name: String,
    _ keyPath: KeyPath<Root, Value>,
    affectedBy: [String] = [],
    isManual: Bool = false,
    isWeak: Bool = false,
    hasOwnGetter: Bool = false,
    onlyWhenDifferent: Bool = false
  ) {
    precondition(
      !name.isEmpty && !name.contains("."),
      "the key \"\(name)\" of \(Root.self) must have a name without dots"
    )
    declaration = KeyDeclared(
      name: name,
      keyPath: keyPath,
      valueType: Value.self,
      affectedBy: affectedBy,
      isManual: isManual,
      isWeak: isWeak,
      hasOwnGetter: hasOwnGetter,
      isOnlyWhenDifferent: onlyWhenDifferent,
      read: { object in (object as? Root)?[keyPath: keyPath] }
    )
  }

  /// The name that the key was given.
  public var name: String { declaration.name }
}

/// What a key was declared as.
final class KeyDeclared: @unchecked Sendable {
  // Sendable: immutable after init. Key paths are immutable objects, and a key is read where the
  // caller may read the object itself.
  let name: String
  /// The name as events have it: what tells keys apart.
  let id: StringID
  let keyPath: AnyKeyPath
  let valueType: Any.Type
  let affectedBy: [String]
  let isManual: Bool
  let isWeak: Bool
  let hasOwnGetter: Bool
  let isOnlyWhenDifferent: Bool
  /// The value of the key in an object of the class, or nil for an object of another class.
  ///
  /// A value that is an optional comes as it is, wrapped once more.
  let read: (AnyObject) -> Any?

  init(
    name: String,
    keyPath: AnyKeyPath,
    valueType: Any.Type,
    affectedBy: [String],
    isManual: Bool,
    isWeak: Bool,
    hasOwnGetter: Bool,
    isOnlyWhenDifferent: Bool,
    read: @escaping (AnyObject) -> Any?
  ) {
    self.name = name
    id = Recorder.id(of: name)
    self.keyPath = keyPath
    self.valueType = valueType
    self.affectedBy = affectedBy
    self.isManual = isManual
    self.isWeak = isWeak
    self.hasOwnGetter = hasOwnGetter
    self.isOnlyWhenDifferent = isOnlyWhenDifferent
    self.read = read
  }
}
