internal import KVORecorder
internal import KVOTrace

/// The name of a typed key path: `owner.name` for `\.owner?.name`.
///
/// Each part is looked up by its identity in the table of the class that it starts from. A part that belongs to two
/// keys, or to none, has no name.
enum KeyPathNames {
  /// The name of a key path in reports and logs: `owner.name`, or a text that names no key if a part of it has no name.
  ///
  /// Such a part is a property that its class does not list, a member of a struct, or a protocol requirement of an
  /// existential: the key path has only the index of the requirement, whose name is not in the program.
  static func name(of keyPath: AnyKeyPath, in type: any KeyValueObservable.Type) -> String {
    let (names, end) = follow(keyPath, from: type)
    guard let end else { return names.joined(separator: ".") }
    // Not the key path's description, which is an address for a computed property, and differs in each run.
    return UnnamedKeyPath(
      names: names,
      type: "\(end)",
      hasOnlyInheritedKeys: hasOnlyInheritedKeys(end)
    ).text
  }

  /// Whether the table of a class lists what that of its superclass does, and nothing else.
  private static func hasOnlyInheritedKeys(_ type: Any.Type) -> Bool {
    guard let own = type as? any KeyValueObservable.Type, let subclass = type as? AnyClass,
      let superclass = _getSuperclass(subclass) as? any KeyValueObservable.Type
    else { return false }
    return own.observableKeys.listsSame(as: superclass.observableKeys)
  }

  /// The names of the parts up to the first that has none, and the type that this one belongs to.
  ///
  /// - Complexity: O(parts).
  private static func follow(
    _ keyPath: AnyKeyPath,
    from type: any KeyValueObservable.Type
  ) -> (names: [String], end: Any.Type?) {
    guard let parts = KeyPathParts.of(keyPath), !parts.isEmpty else { return ([], type) }
    var names: [String] = []
    var current: Any.Type = type
    for part in parts {
      guard
        let key = observableClass(of: current)?.observableKeys.key(identifiedBy: part.identity)
      else { return (names, unwrapped(current)) }
      names.append(key.newest.name)
      current = part.valueType
    }
    return (names, nil)
  }

  /// The class whose table has the keys of objects of `type`, with optionals unwrapped.
  ///
  /// The objects of an existential type, such as `any Account & Named`, have those of its superclass.
  private static func observableClass(of type: Any.Type) -> (any KeyValueObservable.Type)? {
    let type = unwrapped(type)
    let known = type as? any KeyValueObservable.Type
    return known ?? ExistentialType.superclass(of: type) as? any KeyValueObservable.Type
  }

  /// The type with all optionals unwrapped.
  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type).map { unwrapped($0.wrappedType) } ?? type
  }
}

/// The runtime's metadata of an existential type.
private enum ExistentialType {
  private static let kind: UInt = 0x303
  private static let hasSuperclass: UInt32 = 0x4000_0000

  /// `Account` for `any Account & Named`, or nil for a type without a class constraint.
  static func superclass(of type: Any.Type) -> Any.Type? {
    // Metadata is immutable and never freed. Its kind is the first word; an existential's flags and
    // number of protocols follow, then the superclass, if it has one (the runtime's `Metadata.h`).
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let word = MemoryLayout<UInt>.size
    guard metadata.load(as: UInt.self) == kind,
      metadata.load(fromByteOffset: word, as: UInt32.self) & hasSuperclass != 0
    else { return nil }
    return metadata.load(fromByteOffset: word + 8, as: Any.Type.self)
  }
}
