// Key paths by name, and a method of the owner that is called for each change:
// `observe:keyPath:options:action:` and `observe:keyPaths:options:action:` of KVOController. The method does
// not capture the owner.
extension ObservationController {
  /// Observes a key path of `object` by name, and calls a method of the owner for each change.
  ///
  /// ```swift
  /// observations.observe(account, keyPath: "owner.name", action: Screen.nameChanged)
  /// ```
  ///
  /// Mirrors `observe:keyPath:options:action:` with a selector without arguments.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPath: String,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> () -> Void
  ) {
    observe(
      object,
      keyPath: keyPath,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: { owner, _, _ in action(owner)() }
    )
  }

  /// Observes a key path of `object` by name, and calls a method of the owner that takes the change.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPath: String,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> (ObservedChange<Any>) -> Void
  ) {
    observe(
      object,
      keyPath: keyPath,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: { owner, _, change in action(owner)(change) }
    )
  }

  /// Observes a key path of `object` by name, and calls a method of the owner that takes the change and
  /// the object.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPath: String,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> (ObservedChange<Any>, Subject) -> Void
  ) {
    observe(
      object,
      keyPath: keyPath,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: { owner, object, change in action(owner)(change, object) }
    )
  }

  /// Observes several key paths of `object` by name, and calls a method of the owner for each change.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPaths: [String],
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> () -> Void
  ) {
    observe(
      object,
      keyPaths: keyPaths,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: { owner, _, _, _ in action(owner)() }
    )
  }

  /// Observes several key paths of `object` by name, and calls a method of the owner that takes the key
  /// path and the change.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPaths: [String],
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> (String, ObservedChange<Any>) -> Void
  ) {
    observe(
      object,
      keyPaths: keyPaths,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: { owner, _, keyPath, change in action(owner)(keyPath, change) }
    )
  }
}
