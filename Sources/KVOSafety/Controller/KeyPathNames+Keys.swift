extension KeyPathNames {
  /// The key of `type` that a key path denotes, if it is a single one, and its name in any case.
  static func key(
    at keyPath: AnyKeyPath,
    of type: any KeyValueObservable.Type
  ) -> (key: ResolvedKey?, name: String) {
    let names = ThreadChanges.namesOfThisThread
    guard let key = names.key(at: keyPath, of: type)?.takeUnretainedValue() else {
      return (nil, names.path(at: keyPath, of: type).text)
    }
    return (key, key.newest.name)
  }
}
