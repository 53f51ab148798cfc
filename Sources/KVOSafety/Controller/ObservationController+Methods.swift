extension ObservationController {
  /// Observes a property of `object`, and calls a method of the owner for each change.
  ///
  /// ```swift
  /// observations.observe(account, \.balance, action: Screen.balanceChanged)
  /// ```
  ///
  /// Works as with a handler; the method takes its place. It does not capture the owner. Mirrors
  /// `observe:keyPath:options:action:` with a selector without arguments.
  @inlinable
  public func observe<Subject: KeyValueObservable, Value>(
    _ object: Subject?,
    _ keyPath: KeyPath<Subject, Value>,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> () -> Void
  ) {
    guard let object else { return }
    add(
      object,
      keyPath,
      options: options,
      isolation: isolation,
      site: CallSite(fileID: fileID, line: line, function: function),
      handler: { owner, _, _ in action(owner)() }
    )
  }

  /// Observes a property of `object`, and calls a method of the owner that takes the change.
  @inlinable
  public func observe<Subject: KeyValueObservable, Value>(
    _ object: Subject?,
    _ keyPath: KeyPath<Subject, Value>,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> (ObservedChange<Value>) -> Void
  ) {
    guard let object else { return }
    add(
      object,
      keyPath,
      options: options,
      isolation: isolation,
      site: CallSite(fileID: fileID, line: line, function: function),
      handler: { owner, _, change in action(owner)(change) }
    )
  }

  /// Observes a property of `object`, and calls a method of the owner that takes the change and the
  /// object.
  @inlinable
  public func observe<Subject: KeyValueObservable, Value>(
    _ object: Subject?,
    _ keyPath: KeyPath<Subject, Value>,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    action: @escaping (_ owner: Owner) -> (ObservedChange<Value>, Subject) -> Void
  ) {
    guard let object else { return }
    add(
      object,
      keyPath,
      options: options,
      isolation: isolation,
      site: CallSite(fileID: fileID, line: line, function: function),
      handler: { owner, subject, change in action(owner)(change, subject) }
    )
  }
}
