extension KeyPathNames {
  /// The key that a key path is to `type`, where it is a single one, and its name in any case.
  static func key(
    at keyPath: AnyKeyPath,
    of type: any KeyValueObservable.Type
  ) -> (key: ResolvedKey?, name: String) {
    guard let key = type.observableKey(at: keyPath) else {
      return (nil, name(of: keyPath, in: type))
    }
    return (key, key.newest.name)
  }
}
