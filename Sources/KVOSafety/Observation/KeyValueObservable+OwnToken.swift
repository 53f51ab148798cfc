internal import KVORecorder
internal import KVOTrace

// Handlers that get the token of their own observation, so that they can end it, also inside the initial notification,
// when the registering call has not returned yet.
extension KeyValueObservable {
  /// Observes a property, and gives the handler the token of the observation.
  ///
  /// ```swift
  /// token = account.observe(\.balance, options: [.initial, .new]) { account, change, token in
  ///   if account.balance > 100 { token.invalidate() }
  /// }
  /// ```
  ///
  /// Otherwise works as ``observe(_:options:expectedToLive:isolation:fileID:line:function:handler:)``. The handler is
  /// given the token that is returned. It must not capture that token strongly; inside a call it may use it in any way.
  ///
  /// Mirrors the block of `PMKVObserver`.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions = [],
    expectedToLive: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handlerWithToken handler:
      @escaping (
        _ object: Self, _ change: ObservedChange<Value>, _ token: ObservationToken
      ) -> Void
  ) -> ObservationToken {
    let (key, name) = KeyPathNames.key(at: keyPath, of: type(of: self))
    return ObservationToken(
      ObservationRequest(
        subject: self,
        keyPath: name,
        key: key,
        options: options,
        form: .token,
        site: CallSite(fileID: fileID, line: line, function: function),
        expected: ExpectedExecutor.of(isolation),
        expectedToLive: expectedToLive,
        token: ObservationToken.nextReference(),
        valueType: Value.self,
        deliver: { _, _, _ in nil }
      )
    ) { subject, change, token in
      handler(unsafeDowncast(subject, to: Self.self), ObservedChange(change), token)
    }
  }

  /// Observes a key path that is given by name, and gives the handler the token of the observation.
  public func observe(
    keyPath: String,
    options: ObservingOptions = [],
    expectedToLive: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handlerWithToken handler:
      @escaping (
        _ object: Self, _ change: ObservedChange<Any>, _ token: ObservationToken
      ) -> Void
  ) -> ObservationToken {
    ObservationToken(
      ObservationRequest(
        subject: self,
        keyPath: keyPath,
        options: options,
        form: .token,
        site: CallSite(fileID: fileID, line: line, function: function),
        expected: ExpectedExecutor.of(isolation),
        expectedToLive: expectedToLive,
        token: ObservationToken.nextReference(),
        deliver: { _, _, _ in nil }
      )
    ) { subject, change, token in
      handler(unsafeDowncast(subject, to: Self.self), ObservedChange(change), token)
    }
  }
}

extension ObservationToken {
  /// Adds the requested registration, with callbacks that receive the token.
  ///
  /// The token is made first: a change on another thread may be delivered before the addition returns.
  fileprivate convenience init(
    _ request: ObservationRequest,
    handler: @escaping (AnyObject, DeliveredChange, ObservationToken) -> Void
  ) {
    var request = request
    let id = RegistrationID(ObjectTable.shared.nextNumber())
    self.init(id, in: nil, on: request.subject.storage)
    let own = WeakToken(self)
    request.id = id
    request.deliver = { subject, _, change in
      // If there is no token, the observation is about to end.
      if let token = own.token { handler(subject, change, token) }
      return nil
    }
    found(request.add()?.cell)
  }
}

/// The observation's callback holds it; the token itself would keep the observation alive forever.
private final class WeakToken: Sendable {
  // Set once, in init; the runtime makes loading it atomic with the token's deallocation.
  weak let token: ObservationToken?
  init(_ token: ObservationToken) { self.token = token }
}
