extension ObservationController where Owner: KeyValueObserver {
  /// Observes a key path of `object`, and calls the owner's
  /// ``KeyValueObserver/observeValue(forKeyPath:of:change:context:)``.
  ///
  /// For code that is being ported. Mirrors `observe:keyPath:options:context:`.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPath: String,
    options: ObservingOptions = [],
    context: ObservationContext?,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    observe(
      object,
      keyPaths: [keyPath],
      options: options,
      context: context,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function
    )
  }

  /// Observes key paths of `object`, and calls the owner's
  /// ``KeyValueObserver/observeValue(forKeyPath:of:change:context:)``.
  ///
  /// For code that is being ported. What the owner does not handle is reported (KVO017). Mirrors
  /// `observe:keyPaths:options:context:`.
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPaths: [String],
    options: ObservingOptions = [],
    context: ObservationContext?,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    guard let object else { return }
    let site = CallSite(fileID: fileID, line: line, function: function)
    if keyPaths.isEmpty {
      refuseEmptyList(of: object, options: options, context: context, site: site)
    }
    for keyPath in keyPaths {
      add(
        object,
        keyPath: keyPath,
        options: options,
        context: context,
        expected: ExpectedExecutor.of(isolation),
        site: site
      ) { subject, owner, change in
        guard let owner = owner as? Owner, let subject = subject as? Subject else { return nil }
        let handling = owner.observeValue(
          forKeyPath: keyPath,
          of: subject,
          change: ObservedChange(change),
          context: context
        )
        return handling == .handled
      }
    }
  }
}
