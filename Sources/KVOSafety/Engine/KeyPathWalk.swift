internal import KVORecorder
internal import KVOTrace

/// Follows a key path by names through live objects.
///
/// Reads properties, and so runs user code: never called with a lock held.
enum KeyPathWalk {
  /// Why a path cannot be observed.
  struct Obstacle: Error {
    var reason: RefusalReason
    /// The part of the path that is at fault.
    var part: String
  }

  /// Checks each part of `parts` as far as there are objects, from `subject` on.
  static func check(_ parts: [String], from subject: any KeyValueObservable) throws(Obstacle) {
    var current: any KeyValueObservable = subject
    for (index, part) in parts.enumerated() {
      guard let key = type(of: current).observableKeys.key(named: part) else {
        throw Obstacle(reason: .unknownKey, part: part)
      }
      guard index < parts.count - 1, let value = key.read(current).flattened else { return }
      guard let next = value as? any KeyValueObservable else {
        let isCollection = value is any Collection
        throw Obstacle(reason: isCollection ? .throughCollection : .notObservable, part: part)
      }
      current = next
    }
  }

  /// The objects that the keys behind the first lie in, nil where the path ends early.
  static func intermediates(
    of keys: [StringID],
    from subject: AnyObject
  ) -> [(any KeyValueObservable)?] {
    var current = subject as? any KeyValueObservable
    return keys.dropLast().map { key in
      current = current.flatMap { read(key, of: $0) as? any KeyValueObservable }
      return current
    }
  }

  /// The value at the end of the path; nil where an object on it is nil or lacks the key.
  static func value(of keys: [StringID], from subject: AnyObject) -> Any? {
    var current: Any? = subject
    for key in keys {
      guard let object = current as? any KeyValueObservable else { return nil }
      current = read(key, of: object)
    }
    return current
  }

  private static func read(_ key: StringID, of object: any KeyValueObservable) -> Any? {
    type(of: object).observableKeys.key(key)?.read(object).flattened
  }
}

extension Optional where Wrapped == Any {
  /// The value without the optionals that it is wrapped in: nil where the innermost is nil.
  var flattened: Any? {
    guard let self else { return nil }
    guard let optional = self as? any OptionalValue else { return self }
    return optional.flattenedValue
  }
}

private protocol OptionalValue {
  var flattenedValue: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var flattenedValue: Any? {
    guard case .some(let value) = self else { return nil }
    return Optional<Any>.some(value).flattened
  }
}
