extension KeyValueObservable {
  /// The key of the class that `keyPath` denotes.
  ///
  /// A key path of a superclass differs from that of the same property of this class. If this class's table does not
  /// list it, the table of the class that it belongs to does; and one of this class denotes the inherited property that
  /// it has as its only part.
  static func observableKey(at keyPath: AnyKeyPath) -> ResolvedKey? {
    let table = observableKeys
    if let key = table.key(at: keyPath) { return key }
    if let root = Swift.type(of: keyPath).rootType as? any KeyValueObservable.Type,
      let inherited = root.observableKeys.key(at: keyPath)
    {
      return table.key(named: inherited.newest.name)
    }
    // `\.owner!` has the same part as `\.owner`, and another value.
    guard let identity = KeyPathParts.identity(of: keyPath),
      let inherited = table.key(identifiedBy: identity),
      Swift.type(of: inherited.newest.keyPath).valueType == Swift.type(of: keyPath).valueType
    else { return nil }
    return inherited
  }
}
