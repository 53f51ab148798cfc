internal import KVORecorder
internal import KVOTrace

/// Follows a key path, given by names, through live objects.
///
/// Reads properties, which runs user code: never call it with a lock held.
enum KeyPathWalk {
  /// Why a path cannot be observed.
  struct Obstacle: Error, Hashable {
    var reason: RefusalReason
    /// The part of the path that is at fault.
    var part: String
  }

  /// Checks each part of `path` starting at `subject`, as far as there are objects, and checks that no part is empty.
  static func check(
    _ path: ObservedPath,
    from subject: any KeyValueObservable
  ) throws(Obstacle) {
    var current = subject
    let last = path.parts.count - 1
    for index in 0...last {
      guard let key = path.key(index, in: type(of: current).observableKeys) else {
        throw Obstacle(reason: .unknownKey, part: path.parts[index])
      }
      guard index < last else { return }
      switch next(after: key, of: current) {
      case .object(let object): current = object
      case .nothing:
        if path.parts.contains("") { throw Obstacle(reason: .unknownKey, part: "") }
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
    /// A struct, an enum or a string: its parts change only together with it.
    ///
    /// No observer is notified of a part, which is why there is an obstacle; a key that depends on
    /// a part depends on the whole.
    case value(Obstacle)
    case obstacle(Obstacle)
  }

  /// The object or value in which the rest of a path after `key` is looked up.
  static func next(after key: ResolvedKey, of object: AnyObject) -> Step {
    if let next = key.newest.step.next(key.newest, of: object) {
      return next.map(Step.object) ?? .nothing
    }
    guard let value = key.read(object).flattened else { return .nothing }
    if let next = value as? any KeyValueObservable { return .object(next) }
    let isCollection = value is any Sequence && !(value is any StringProtocol)
    let obstacle = Obstacle(
      reason: isCollection ? .throughCollection : .notObservable,
      part: key.newest.name
    )
    return isCollection || type(of: value) is AnyClass ? .obstacle(obstacle) : .value(obstacle)
  }

  /// The value at the end of the path; nil if an object on it is nil or lacks the key.
  static func value(of keys: [StringID], from subject: AnyObject) -> Any? {
    guard let subject = subject as? any KeyValueObservable,
      let (key, object) = end(of: keys, from: subject, in: type(of: subject).observableKeys)
    else { return nil }
    return key.read(object).flattened
  }

  /// The last key of the path, and the object that has it, from a subject with the keys of `table` on; nil if an
  /// object on the path is nil or lacks its key.
  static func end(
    of keys: [StringID],
    from subject: AnyObject,
    in table: ObservableKeyTable
  ) -> (key: ResolvedKey, object: AnyObject)? {
    guard var key = table.key(keys[0]) else { return nil }
    var object = subject
    for index in 1..<keys.count {
      let next =
        key.newest.step.next(key.newest, of: object)
        ?? (key.read(object).flattened as? any KeyValueObservable)
      guard let next, let found = type(of: next).observableKeys.key(keys[index]) else { return nil }
      key = found
      object = next
    }
    return (key, object)
  }
}
