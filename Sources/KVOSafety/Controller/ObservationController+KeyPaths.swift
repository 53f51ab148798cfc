extension ObservationController {
  /// Observes several key paths of `object` by name; the handler is passed the one that changed.
  ///
  /// Each is a separate observation. A key path that cannot be observed is refused and reported (KVO029); the others
  /// are observed all the same. An empty list is reported too, in every form that takes a list: `FBKVOController`
  /// raises for it.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPaths: [String],
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler:
      @escaping (
        _ owner: Owner, _ object: Subject, _ keyPath: String, ObservedChange<Any>
      ) -> Void
  ) {
    guard let object else { return }
    let site = CallSite(fileID: fileID, line: line, function: function)
    if keyPaths.isEmpty { refuseEmptyList(of: object, options: options, site: site) }
    for keyPath in keyPaths {
      add(
        object,
        keyPath: keyPath,
        options: options,
        expected: ExpectedExecutor.of(isolation),
        site: site,
        handler: { handler($0, $1, keyPath, $2) }
      )
    }
  }

  /// Reports that a call was given no key path at all.
  func refuseEmptyList(
    of object: some KeyValueObservable,
    options: ObservingOptions,
    context: ObservationContext? = nil,
    site: CallSite
  ) {
    // No key has an empty name.
    add(
      object,
      keyPath: "",
      options: options,
      context: context,
      expected: nil,
      site: site,
      deliver: { _, _, _ in nil }
    )
  }

  /// Observes several properties of `object`; the handler is passed the one that changed.
  ///
  /// ```swift
  /// observations.observe(account, [\.balance, \.owner]) { screen, account, keyPath, change in
  ///   if keyPath == \Account.balance { … }
  /// }
  /// ```
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    _ keyPaths: [PartialKeyPath<Subject>],
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler:
      @escaping (
        _ owner: Owner, _ object: Subject, _ keyPath: PartialKeyPath<Subject>, ObservedChange<Any>
      ) -> Void
  ) {
    guard let object else { return }
    let site = CallSite(fileID: fileID, line: line, function: function)
    if keyPaths.isEmpty { refuseEmptyList(of: object, options: options, site: site) }
    for keyPath in keyPaths {
      add(
        object,
        keyPath: KeyPathNames.key(at: keyPath, of: type(of: object)).name,
        options: options,
        expected: ExpectedExecutor.of(isolation),
        site: site,
        handler: { handler($0, $1, keyPath, $2) }
      )
    }
  }

  /// Observes several properties of `object`, and calls a method of the owner for each change.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    _ keyPaths: [PartialKeyPath<Subject>],
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> () -> Void
  ) {
    guard let object else { return }
    observe(
      object,
      keyPaths,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: { owner, _, _, _ in action(owner)() }
    )
  }

  /// Observes several properties of `object`, and calls a method of the owner that takes the key path
  /// and the change.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    _ keyPaths: [PartialKeyPath<Subject>],
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> (PartialKeyPath<Subject>, ObservedChange<Any>) -> Void
  ) {
    guard let object else { return }
    observe(
      object,
      keyPaths,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: { owner, _, keyPath, change in action(owner)(keyPath, change) }
    )
  }
}
