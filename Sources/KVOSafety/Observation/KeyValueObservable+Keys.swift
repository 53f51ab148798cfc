extension KeyValueObservable {
  /// The key of the class that `keyPath` denotes.
  ///
  /// A key path of a superclass differs from that of the same property of this class. If this class's table does not
  /// list it, the table of the class that it belongs to does.
  static func observableKey(at keyPath: AnyKeyPath) -> ResolvedKey? {
    if let key = observableKeys.key(at: keyPath) { return key }
    guard let root = Swift.type(of: keyPath).rootType as? any KeyValueObservable.Type,
      let inherited = root.observableKeys.key(at: keyPath)
    else { return nil }
    return observableKeys.key(named: inherited.newest.name)
  }
}
