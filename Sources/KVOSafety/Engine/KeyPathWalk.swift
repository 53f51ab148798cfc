internal import KVORecorder
internal import KVOTrace

/// Follows a key path by names through live objects.
///
/// Reads properties, and so runs user code: never called with a lock held.
enum KeyPathWalk {
  /// Why a path cannot be observed.
  struct Obstacle: Error, Hashable {
    var reason: RefusalReason
    /// The part of the path that is at fault.
    var part: String
  }

  /// Checks each part of `parts` as far as there are objects, from `subject` on, and that no part is empty.
  static func check(
    _ parts: [String],
    from subject: any KeyValueObservable
  ) throws(Obstacle) {
    var current: any KeyValueObservable = subject
    for (index, part) in parts.enumerated() {
      guard let key = type(of: current).observableKeys.key(named: part) else {
        throw Obstacle(reason: .unknownKey, part: part)
      }
      guard index < parts.count - 1 else { return }
      switch next(after: key, of: current) {
      case .object(let object): current = object
      case .nothing:
        if parts.contains("") { throw Obstacle(reason: .unknownKey, part: "") }
        return
      case .value(let obstacle), .obstacle(let obstacle): throw obstacle
      }
    }
  }

  /// What a part of a path leads to.
  enum Step {
    case object(any KeyValueObservable)
    /// The value is nil: the path ends early until something is assigned.
    case nothing
    /// A struct, an enum or a string: its parts change only with the whole.
    ///
    /// No observer is told of a part, for which the obstacle stands; what depends on one depends on the whole.
    case value(Obstacle)
    case obstacle(Obstacle)
  }

  /// What the rest of a path behind `key` is to be looked for in.
  static func next(after key: ResolvedKey, of object: AnyObject) -> Step {
    guard let value = key.read(object).flattened else { return .nothing }
    if let next = value as? any KeyValueObservable { return .object(next) }
    let isCollection = value is any Sequence && !(value is any StringProtocol)
    let obstacle = Obstacle(
      reason: isCollection ? .throughCollection : .notObservable,
      part: key.newest.name
    )
    return isCollection || type(of: value) is AnyClass ? .obstacle(obstacle) : .value(obstacle)
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
