internal import KVORecorder
internal import KVOTrace

extension KeyValueObservable {
  /// Observes a property until the token that is returned is invalidated or dies.
  ///
  /// ```swift
  /// token = account.observe(\.balance, options: [.old, .new]) { account, change in … }
  /// ```
  ///
  /// The handler runs on the thread that makes the change, before the changing statement is done,
  /// with no lock held. It may observe, invalidate and change anything, this observation too. It gets
  /// the observed object, so that it need not capture it.
  ///
  /// Mirrors `observe(_:options:changeHandler:)` of `NSObject`.
  ///
  /// - Parameters:
  ///   - keyPath: a property in ``KeyValueObservable/observableKeys``; another is refused and
  ///     reported (KVO029), and the token is then inactive from the start.
  ///   - options: what the change should carry, and when it should come.
  ///   - expectedToLive: why the observation is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor of the caller. It is recorded as the one that changes are expected on;
  ///     the handler does not hop to it.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - handler: called for each change.
  /// - Returns: the token. The observation ends with it, so keep it.
  /// - Complexity: O(1), and one stack capture.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions = [],
    expectedToLive: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler: @escaping (_ object: Self, _ change: ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    observe(
      keyPath,
      options: options,
      executor: executorName(of: isolation),
      expectedToLive: expectedToLive,
      site: CallSite(fileID: fileID, line: line, function: function),
      handler: handler
    )
  }

  /// Observes a property that several threads change.
  ///
  /// As ``observe(_:options:expectedToLive:isolation:fileID:line:function:handler:)``, with a handler
  /// that the compiler has checked for running on any thread.
  public func observeOnAnyThread<Value>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions = [],
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler: @escaping @Sendable (_ object: Self, _ change: ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    observe(
      keyPath,
      options: options,
      executor: nil,
      expectedToLive: expectedToLive,
      site: CallSite(fileID: fileID, line: line, function: function),
      handler: handler
    )
  }

  /// Observes a key path that is given by name, such as `"owner.name"`.
  ///
  /// When an object on the path is replaced the observation moves to the new one. A part that a class
  /// does not have is refused and reported (KVO029).
  public func observe(
    keyPath: String,
    options: ObservingOptions = [],
    expectedToLive: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler: @escaping (_ object: Self, _ change: ObservedChange<Any>) -> Void
  ) -> ObservationToken {
    let request = ObservationRequest(
      subject: self,
      keyPath: keyPath,
      options: options,
      form: .token,
      site: CallSite(fileID: fileID, line: line, function: function),
      executor: executorName(of: isolation),
      expectedToLive: expectedToLive,
      token: ObservationToken.nextReference(),
      deliver: { subject, _, change in
        guard let subject = subject as? Self else { return nil }
        handler(subject, ObservedChange(change))
        return nil
      }
    )
    return ObservationToken(request.add())
  }

  private func observe<Value>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions,
    executor: String?,
    expectedToLive: String?,
    site: CallSite,
    handler: @escaping (Self, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    let key = Self.observableKeys.key(at: keyPath)
    let request = ObservationRequest(
      subject: self,
      keyPath: key.map { Recorder.shared.text(of: $0.id) } ?? "\(keyPath)",
      options: options,
      form: .token,
      site: site,
      executor: executor,
      expectedToLive: expectedToLive,
      token: ObservationToken.nextReference(),
      read: key?.read,
      deliver: { subject, _, change in
        guard let subject = subject as? Self else { return nil }
        handler(subject, ObservedChange(change))
        return nil
      }
    )
    return ObservationToken(request.add())
  }
}

/// What logs call the actor: its type.
func executorName(of isolation: (any Actor)?) -> String? {
  isolation.map { _typeName(type(of: $0), qualified: false) }
}

extension ObservationToken {
  convenience init(_ added: (id: RegistrationID, storage: SubjectStorage)?) {
    self.init(id: added?.id, storage: added?.storage)
  }

  /// A number and a class name for a token that is about to be made.
  static func nextReference() -> ObjectRef {
    ObjectRef(
      id: ObjectID(ObjectTable.shared.nextNumber()),
      className: Recorder.shared.id(of: "ObservationToken"),
      kind: .token
    )
  }
}

extension ObservedChange {
  /// The change with values of the observed type; a value of another type comes as nil.
  init(_ change: Observation.Change) {
    self.init(
      kind: change.kind,
      oldValue: change.old.flatMap { $0 as? Value },
      newValue: change.new.flatMap { $0 as? Value },
      isPrior: change.isPrior
    )
  }
}
