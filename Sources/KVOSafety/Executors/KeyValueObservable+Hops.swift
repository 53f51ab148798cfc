internal import KVORecorder
internal import KVOTrace

extension KeyValueObservable {
  /// Observes a property, and calls the handler on an actor, wherever changes are made.
  ///
  /// ```swift
  /// token = account.observe(\.balance, options: .new, on: ledger) { ledger, hopped in … }
  /// ```
  ///
  /// The statement that makes a change does not wait: it returns when the change has been enqueued. The handler is
  /// therefore late, as its argument shows: ``HoppedChange``. Changes come in the order in which the observation was
  /// notified of them, one at a time. After the token is invalidated on the actor itself, the handler is not called
  /// again; if it is invalidated elsewhere, one call may still be running.
  ///
  /// - Parameters:
  ///   - keyPath: a property in ``KeyValueObservable/observableKeys``, or a path of such properties.
  ///   - options: what the change should carry, and when it should come.
  ///   - actor: where the handler runs. Kept alive while the observation is.
  ///   - buffering: what happens to changes that the actor has not come to yet.
  ///   - expectedToLive: why the observation is meant to outlive the test scope it is made in, if so.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - handler: called for each change, on the actor.
  /// - Returns: the token. The observation ends with it, so keep it.
  public func observe<Value: Sendable, Executor: Actor>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions = [],
    on actor: Executor,
    buffering: HopBuffering = .all,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler: @escaping @Sendable (_ actor: isolated Executor, HoppedChange<Value>) -> Void
  ) -> ObservationToken {
    hop(
      keyPath,
      options: options,
      to: actor,
      buffering: buffering,
      expectedToLive: expectedToLive,
      site: CallSite(fileID: fileID, line: line, function: function)
    ) { mailbox, isActive in
      Task {
        await actor.drain(mailbox, while: isActive, into: handler)
      }
    }
  }

  /// Observes a property, and calls the handler on the main actor, wherever changes are made.
  ///
  /// Works as ``observe(_:options:on:buffering:expectedToLive:fileID:line:function:handler:)``.
  public func observeOnMainActor<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions = [],
    buffering: HopBuffering = .all,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler: @escaping @MainActor (HoppedChange<Value>) -> Void
  ) -> ObservationToken {
    hop(
      keyPath,
      options: options,
      to: MainActor.shared,
      buffering: buffering,
      expectedToLive: expectedToLive,
      site: CallSite(fileID: fileID, line: line, function: function)
    ) { mailbox, isActive in
      Task { @MainActor in
        while let hopped = mailbox.take() {
          if isActive() { handler(hopped) }
        }
      }
    }
  }

  private func hop<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions,
    to actor: any Actor,
    buffering: HopBuffering,
    expectedToLive: String?,
    site: CallSite,
    send: @escaping (HopMailbox<Value>, _ isActive: @escaping @Sendable () -> Bool) -> Void
  ) -> ObservationToken {
    let mailbox = HopMailbox<Value>(buffering)
    let registration = HoppedRegistration()
    let (key, name) = KeyPathNames.key(at: keyPath, of: type(of: self))
    let expected = ExpectedExecutor.of(actor, .hopsItself)
    var request = ObservationRequest(
      subject: self,
      keyPath: name,
      key: key,
      options: options,
      form: .token,
      site: site,
      expected: expected,
      expectedToLive: expectedToLive,
      token: ObservationToken.nextReference(),
      valueType: Value.self,
      deliver: { _, _, change in
        let mustSend = mailbox.put { ObservedChange(change) }
        if mustSend { send(mailbox) { registration.isActive } }
        return nil
      }
    )
    request.didAdd = { id, storage in registration.become(id, in: storage) }
    return ObservationToken(request.add())
  }
}

extension Actor {
  /// Hands everything in `mailbox` to `handler`, on the actor.
  fileprivate func drain<Value>(
    _ mailbox: HopMailbox<Value>,
    while isActive: @Sendable () -> Bool,
    into handler: @Sendable (isolated Self, HoppedChange<Value>) -> Void
  ) {
    while let hopped = mailbox.take() {
      if isActive() { handler(self, hopped) }
    }
  }
}

/// The registration whose changes are in transit, known once it is in the table.
private final class HoppedRegistration: Sendable {
  private struct Entry {
    var id: RegistrationID
    weak var storage: SubjectStorage?
  }

  // State: `entry`, under its own lock; set once, before the first change is put in.
  private let entry = GuardedState<Entry?>(nil)

  func become(_ id: RegistrationID, in storage: SubjectStorage) {
    entry.withLock { $0 = Entry(id: id, storage: storage) }
  }

  /// Whether the registration still exists; changes after its end are dropped.
  var isActive: Bool {
    guard let entry = entry.withLock({ $0 }) else { return false }
    return entry.storage?.contains(entry.id) ?? false
  }
}
