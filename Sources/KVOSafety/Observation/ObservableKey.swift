internal import KVORecorder
internal import KVOTrace

/// One key of a class: its name, how to read it, and the keys that affect its value.
///
/// Keep one that is used in setters in a `static let`: creating one interns its name, which costs more than a change.
/// Immutable; any thread may use it.
public struct ObservableKey: Sendable {
  let declaration: KeyDeclared

  /// A key called `name` that is read through `keyPath`.
  ///
  /// - Parameters:
  ///   - name: its name for observers by name, logs and reports; it must not contain a dot.
  ///   - keyPath: the property, as a literal: it is evaluated more than once. One that is declared in a superclass is
  ///     given as the superclass's.
  ///   - affectedBy: an array of key paths by name, from the same object on, whose changes change this value as well:
  ///     `["first", "last"]`, `["owner.name"]`. They are added to the superclass's declaration of the key. A part of a
  ///     struct, an enum or a string changes with the whole: `"point.x"` counts as `"point"`. A path through a
  ///     collection, or with a part that no class has, is refused and reported when the key is observed (KVO029); the
  ///     others count all the same.
  ///   - isManual: whether the class sends the notifications of this key itself, with
  ///     ``KeyValueObservable/willChangeValue(for:fileID:line:function:)``, and its setter sends none. Logs record it;
  ///     the library sends the requested notifications either way.
  ///   - isWeak: whether the property is `weak`. Not for `unowned`, which may not be read when its object is
  ///     deallocated. Logs record it for the objects on a path.
  ///   - hasOwnGetter: whether the property overrides one, with its own getter: the superclass's stored value is then
  ///     not its value, and observers receive what the getter returns.
  ///   - onlyWhenDifferent: whether the setter notifies of a value only if it is not equal to the previous one. An
  ///     override with observers then does the same.
  @inlinable
  public init<Root: AnyObject, Value>(
    _ name: String,
    _ keyPath: @autoclosure @escaping () -> KeyPath<Root, Value>,
    affectedBy: [String] = [],
    isManual: Bool = false,
    isWeak: Bool = false,
    hasOwnGetter: Bool = false,
    onlyWhenDifferent: Bool = false
  ) {
    self.init(
      name,
      readThrough: keyPath,
      affectedBy: affectedBy,
      isManual: isManual,
      isWeak: isWeak,
      hasOwnGetter: hasOwnGetter,
      onlyWhenDifferent: onlyWhenDifferent,
      modify: nil
    )
  }

  /// A key called `name` that is read through `keyPath`, whose property can be set.
  ///
  /// The compiler chooses it for such a property. Changes of some elements of a collection then need no search for its
  /// accessors at run time.
  @inlinable
  public init<Root: AnyObject, Value>(
    _ name: String,
    _ keyPath: @autoclosure @escaping () -> ReferenceWritableKeyPath<Root, Value>,
    affectedBy: [String] = [],
    isManual: Bool = false,
    isWeak: Bool = false,
    hasOwnGetter: Bool = false,
    onlyWhenDifferent: Bool = false
  ) {
    let modify: (Root, (UnsafeMutableRawPointer) -> Void) -> Void
    if Self.isUnoptimized {
      let keyPath = keyPath()
      modify = { root, body in
        withUnsafeMutablePointer(to: &root[keyPath: keyPath]) { body(UnsafeMutableRawPointer($0)) }
      }
    } else {
      modify = { root, body in
        withUnsafeMutablePointer(to: &root[keyPath: keyPath()]) {
          body(UnsafeMutableRawPointer($0))
        }
      }
    }
    self.init(
      name,
      readThrough: keyPath,
      affectedBy: affectedBy,
      isManual: isManual,
      isWeak: isWeak,
      hasOwnGetter: hasOwnGetter,
      onlyWhenDifferent: onlyWhenDifferent,
      modify: { object, body in
        guard object is Root else { return false }
        modify(unsafeDowncast(object, to: Root.self), body)
        return true
      }
    )
  }

  /// Whether this is compiled without optimization.
  ///
  /// The optimizer makes a direct access of a literal that the access has for itself. Without it, a literal of a generic
  /// class would be a new key path for each access.
  @inlinable
  static var isUnoptimized: Bool {
    @inline(__always) get {
      var isUnoptimized = false
      assert(
        {
          isUnoptimized = true; return true
        }()
      )
      return isUnoptimized
    }
  }

  @inlinable
  @inline(__always)
  init<Root: AnyObject, Value>(
    _ name: String,
    readThrough keyPath: @escaping () -> KeyPath<Root, Value>,
    affectedBy: [String],
    isManual: Bool,
    isWeak: Bool,
    hasOwnGetter: Bool,
    onlyWhenDifferent: Bool,
    modify: ((AnyObject, (UnsafeMutableRawPointer) -> Void) -> Bool)?
  ) {
    precondition(
      !name.isEmpty && !name.contains("."),
      "the key \"\(name)\" of \(Root.self) must have a name without dots"
    )
    let read: (Root) -> Value
    if Self.isUnoptimized {
      let keyPath = keyPath()
      read = { $0[keyPath: keyPath] }
    } else {
      read = { $0[keyPath: keyPath()] }
    }
    // Here, so that the closures know the types in the program: the runtime would otherwise look the types up at each
    // read.
    self.init(
      name,
      keyPath(),
      of: Value.self,
      affectedBy: affectedBy,
      isManual: isManual,
      isWeak: isWeak,
      hasOwnGetter: hasOwnGetter,
      onlyWhenDifferent: onlyWhenDifferent,
      read: { object in (object as? Root).map { read($0) } },
      visit: { object, body in
        guard object is Root else { return false }
        let value = read(unsafeDowncast(object, to: Root.self))
        withUnsafePointer(to: value) { body($0.knownAddress) }
        return true
      },
      reference: { object in
        guard object is Root else { return nil }
        return unsafeBitCast(read(unsafeDowncast(object, to: Root.self)), to: AnyObject?.self)
      },
      modify: modify
    )
  }

  /// A key with a checked name.
  @usableFromInline
  init(
    _ name: String,
    _ keyPath: AnyKeyPath,
    of valueType: Any.Type,
    affectedBy: [String],
    isManual: Bool,
    isWeak: Bool,
    hasOwnGetter: Bool,
    onlyWhenDifferent: Bool,
    read: @escaping (AnyObject) -> Any?,
    visit: @escaping (AnyObject, (UnsafeRawPointer) -> Void) -> Bool,
    reference: @escaping (AnyObject) -> AnyObject?,
    modify: ((AnyObject, (UnsafeMutableRawPointer) -> Void) -> Bool)?
  ) {
    declaration = KeyDeclared(
      name: name,
      keyPath: keyPath,
      valueType: valueType,
      affectedBy: affectedBy,
      isManual: isManual,
      isWeak: isWeak,
      hasOwnGetter: hasOwnGetter,
      isOnlyWhenDifferent: onlyWhenDifferent,
      read: read,
      visit: visit,
      reference: reference,
      modify: modify
    )
  }

  /// What the compiler chooses for a property whose type is noncopyable, for the sake of its message.
  @available(
    *,
    unavailable,
    message:
      "a property whose type is noncopyable cannot be observed: mark it '@KeyValue(.ignored)'"
  )
  @_disfavoredOverload
  public init<Root: AnyObject>(
    _ name: String,
    _ keyPath: PartialKeyPath<Root>,
    affectedBy: [String] = [],
    isManual: Bool = false,
    isWeak: Bool = false,
    hasOwnGetter: Bool = false,
    onlyWhenDifferent: Bool = false
  ) {
    fatalError("unavailable")
  }

  /// The name of the key.
  public var name: String { declaration.name }
}

/// The declaration of a key.
final class KeyDeclared: @unchecked Sendable {
  // Sendable: immutable after init. Key paths are immutable objects, and a key is read only by a
  // caller that may read the object itself.
  let name: String
  /// The name as events have it: what distinguishes keys.
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
  /// An optional value is returned as it is, wrapped once more.
  let read: (AnyObject) -> Any?
  /// Calls the closure with the address of the value, which is of ``valueType``; returns false for an object of
  /// another class.
  let visit: (AnyObject, (UnsafeRawPointer) -> Void) -> Bool
  /// The value, if its type is a class or an optional of one; nil for an object of another class.
  ///
  /// Not to be called for a value of another type.
  let reference: (AnyObject) -> AnyObject?
  /// Calls the closure with the address of the value, which it may change, and stores it; returns false for an object of
  /// another class.
  ///
  /// Nil for a property that cannot be set.
  let modify: ((AnyObject, (UnsafeMutableRawPointer) -> Void) -> Bool)?
  private let madeStep = LazyReference<KeyStep>()

  /// Whether a key path denotes the property that this reads.
  ///
  /// False for some that do, in generic code.
  func reads(_ other: AnyKeyPath) -> Bool {
    if other == keyPath { return true }
    guard let part = KeyPathParts.single(of: other), let own = KeyPathParts.single(of: keyPath),
      part.identity == own.identity
    else { return false }
    // Subscripts share an identity, whatever their arguments are; a property has arguments in generic code alone.
    return !(part.hasArguments && own.hasArguments)
  }

  /// The step of a key path after this key; created on first use, as few keys lead to another object.
  var step: KeyStep { madeStep.object { KeyStep(to: valueType) } }

  init(
    name: String,
    keyPath: AnyKeyPath,
    valueType: Any.Type,
    affectedBy: [String],
    isManual: Bool,
    isWeak: Bool,
    hasOwnGetter: Bool,
    isOnlyWhenDifferent: Bool,
    read: @escaping (AnyObject) -> Any?,
    visit: @escaping (AnyObject, (UnsafeRawPointer) -> Void) -> Bool,
    reference: @escaping (AnyObject) -> AnyObject?,
    modify: ((AnyObject, (UnsafeMutableRawPointer) -> Void) -> Bool)?
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
    self.visit = visit
    self.reference = reference
    self.modify = modify
  }
}
