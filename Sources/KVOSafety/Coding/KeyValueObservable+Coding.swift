// Key-value coding: values by the names of their keys. Only the keys in the class's table can be read and written.
extension KeyValueObservable {
  /// The value of a key.
  ///
  /// A value of an optional type is returned unwrapped. Runs the property's getter, so call it only where the getter
  /// may be called.
  ///
  /// Mirrors `value(forKey:)` of `NSObject`, over ``KeyValueObservable/observableKeys``.
  ///
  /// - Throws: ``KeyValueCodingError`` with the code `undefinedKey` if the class has no such key.
  public func value(forKey key: String) throws(KeyValueCodingError) -> Any? {
    guard let found = type(of: self).observableKeys.key(named: key) else { throw undefined(key) }
    return found.read(self).flattened
  }

  /// The value of a key path such as `"owner.name"`; nil if an object along the path is nil.
  ///
  /// Mirrors `value(forKeyPath:)` of `NSObject`. Collection operators such as `@count`, and paths through
  /// collections, are not supported.
  ///
  /// - Throws: ``KeyValueCodingError`` with the code `undefinedKey` if a class along the path lacks its key, or
  ///   `notObservable` if a value along it is not an object with keys.
  /// - Complexity: O(parts).
  public func value(forKeyPath keyPath: String) throws(KeyValueCodingError) -> Any? {
    let (path, last) = CodingPath.split(keyPath)
    guard let object = try CodingPath.object(at: path, from: self) else { return nil }
    return try object.value(forKey: last)
  }

  /// Sets the value of a key through the property's setter.
  ///
  /// Observers are notified as by an assignment in code: once, by the setter. A property that does not send
  /// notifications itself does not do so here either.
  ///
  /// A number is converted if the property's type represents the same number: 3 may be set on a `Double`,
  /// 3.5 may not be set on an `Int`. (Foundation truncates it.)
  ///
  /// Mirrors `setValue(_:forKey:)` of `NSObject`. Any thread that may set the property.
  ///
  /// - Throws: ``KeyValueCodingError`` with the code `undefinedKey`, `readOnly`, `nilForScalar` or
  ///   `wrongType`. Nothing has changed then, and no observer is notified.
  public func setValue(_ value: Any?, forKey key: String) throws(KeyValueCodingError) {
    guard let found = type(of: self).observableKeys.key(named: key) else { throw undefined(key) }
    try KeyWriter(found.newest, of: self).write(value.flattened)
  }

  /// Sets the value at the end of a key path such as `"owner.name"`.
  ///
  /// Does nothing if an object along the path is nil, as in Foundation.
  ///
  /// Mirrors `setValue(_:forKeyPath:)` of `NSObject`.
  ///
  /// - Throws: as ``setValue(_:forKey:)`` and ``value(forKeyPath:)`` do.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) throws(KeyValueCodingError) {
    let (path, last) = CodingPath.split(keyPath)
    guard let object = try CodingPath.object(at: path, from: self) else { return }
    try object.setValue(value, forKey: last)
  }

  fileprivate func undefined(_ key: String) -> KeyValueCodingError {
    let names = type(of: self).observableKeys.names.sorted().joined(separator: ", ")
    return KeyValueCodingError(
      .undefinedKey,
      key,
      of: self,
      "the class has no such key; its keys are \(names)"
    )
  }
}

/// Follows key paths by name for key-value coding.
private enum CodingPath {
  /// All parts except the last, and the last one.
  static func split(_ keyPath: String) -> (path: [String], last: String) {
    var parts = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let last = parts.removeLast()
    return (parts, last)
  }

  /// The object at the end of `path`; nil if an object along the path is nil.
  static func object(
    at path: [String],
    from root: any KeyValueObservable
  ) throws(KeyValueCodingError) -> (any KeyValueObservable)? {
    var object = root
    for part in path {
      guard let value = try object.value(forKey: part) else { return nil }
      guard let next = value as? any KeyValueObservable else {
        throw KeyValueCodingError(
          .notObservable,
          part,
          of: object,
          "its value, of type \(type(of: value)), has no keys for the rest of the path"
        )
      }
      object = next
    }
    return object
  }
}
