internal import KVORecorder
internal import KVOTrace

/// Holds an object's observations of others, and ends them with the object.
///
/// ```swift
/// lazy var observations = ObservationController(owner: self)
/// observations.observe(account, \.balance) { screen, account, change in … }
/// ```
///
/// The owner stores the controller, or leaves that to ``of(_:retainsObserved:)``; when the owner is
/// deallocated the controller is too, and with it every observation. The handler is given the
/// owner, so that it need not capture it.
///
/// Two observations of one key path are two: both are called, and one call of `unobserve` ends both.
/// A handler may end any observation, its own too, also inside the initial notification. Any thread may use
/// the controller. Mirrors `FBKVOController`.
public final class ObservationController<Owner: AnyObject>: Sendable {
  private let reference: InlineWeakReference
  let retainsObserved: Bool
  let identity: ControllerIdentity
  // State: `entries`, under its own lock. Nothing is ended or released while it is held.
  let entries = GuardedState(ControlledObservations())

  /// A controller that observes for `owner`.
  ///
  /// - Parameters:
  ///   - owner: passed to the handlers; its deallocation ends all observations. Not kept alive.
  ///   - retainsObserved: whether observed objects are kept alive while they are observed, as `FBKVOController` does by
  ///     default. The owner itself is never retained, so that it can observe itself. Say false to observe another
  ///     object that holds the owner: they would keep each other alive. An object that is not kept alive must outlive
  ///     its observation; otherwise that is reported (KVO006).
  public init(owner: Owner, retainsObserved: Bool = true) {
    reference = InlineWeakReference(owner)
    self.retainsObserved = retainsObserved
    identity = ControllerIdentity()
  }

  deinit { entries.withLock { $0.removeAll() }.forEach { end($0, by: .owner) } }

  /// The owner, for which the controller observes; nil once it has begun to be deallocated.
  ///
  /// Mirrors the property of this name of `FBKVOController`. Any thread.
  public var observer: Owner? { owner }

  var owner: Owner? { reference.object.map { unsafeDowncast($0, to: Owner.self) } }

  /// Observes a property of `object` for the owner.
  ///
  /// - Parameters:
  ///   - object: the object to observe; if it is nil, nothing happens.
  ///   - keyPath: a property in its ``KeyValueObservable/observableKeys``.
  ///   - options: what the change should carry, and when it should come.
  ///   - isolation: the actor of the caller, which callbacks are expected on; see
  ///     ``ObservationPolicy/OffExecutorDelivery``.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - handler: called for each change, on the thread that makes it.
  @inlinable
  public func observe<Subject: KeyValueObservable, Value>(
    _ object: Subject?,
    _ keyPath: KeyPath<Subject, Value>,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler: @escaping (_ owner: Owner, _ object: Subject, ObservedChange<Value>) -> Void
  ) {
    guard let object else { return }
    add(
      object,
      keyPath,
      options: options,
      isolation: isolation,
      site: CallSite(fileID: fileID, line: line, function: function),
      handler: handler
    )
  }

  /// Observes a key path of `object` by name, such as `"owner.name"`.
  ///
  /// Works as with a typed key path. One that is empty or names no key is refused and reported (KVO029).
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPath: String,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler: @escaping (_ owner: Owner, _ object: Subject, ObservedChange<Any>) -> Void
  ) {
    guard let object else { return }
    add(
      object,
      keyPath: keyPath,
      options: options,
      expected: ExpectedExecutor.of(isolation),
      site: CallSite(fileID: fileID, line: line, function: function),
      handler: handler
    )
  }

  /// Ends the observations of a property of `object`.
  ///
  /// Does nothing if there is none.
  public func unobserve<Subject: KeyValueObservable, Value>(
    _ object: Subject?,
    _ keyPath: KeyPath<Subject, Value>
  ) {
    guard let object else { return }
    unobserve(object, keyPath: KeyPathNames.key(at: keyPath, of: type(of: object)).name)
  }

  /// Ends the observations of a key path of `object`.
  ///
  /// Does nothing if there is none.
  public func unobserve(_ object: (some KeyValueObservable)?, keyPath: String) {
    guard let subject = object?.knownStorage?.record.ref.id else { return }
    entries.withLock { $0.remove(of: subject) { $0.keyPath == keyPath } }
      .forEach { end($0, by: .user) }
  }

  /// Ends all observations of `object`.
  public func unobserve(_ object: (some KeyValueObservable)?) {
    guard let subject = object?.knownStorage?.record.ref.id else { return }
    entries.withLock { $0.remove(of: subject) { _ in true } }.forEach { end($0, by: .user) }
  }

  /// Ends all observations.
  public func unobserveAll() {
    entries.withLock { $0.removeAll() }.forEach { end($0, by: .user) }
  }

  /// Adds an observation of a property.
  ///
  /// Inlined, so that the callback knows the types: it would otherwise look them up at each change.
  @inlinable
  func add<Subject: KeyValueObservable, Value>(
    _ object: Subject,
    _ keyPath: KeyPath<Subject, Value>,
    options: ObservingOptions,
    isolation: (any Actor)?,
    site: CallSite,
    handler: @escaping (Owner, Subject, ObservedChange<Value>) -> Void
  ) {
    add(
      object,
      at: keyPath,
      of: Value.self,
      options: options,
      isolation: isolation,
      site: site,
      deliver: Self.callback(calling: handler)
    )
  }

  /// A callback that calls `handler` with the owner and the object that were added: a cast would cost more than the
  /// notification.
  @inlinable
  static func callback<Subject: KeyValueObservable, Value>(
    calling handler: @escaping (Owner, Subject, ObservedChange<Value>) -> Void
  ) -> Observation.Callback {
    { subject, owner, change in
      guard let owner else { return nil }
      handler(
        unsafeDowncast(owner, to: Owner.self),
        unsafeDowncast(subject, to: Subject.self),
        ObservedChange(change)
      )
      return nil
    }
  }

  /// Adds an observation of a property whose values are of `valueType`.
  @usableFromInline
  func add(
    _ object: some KeyValueObservable,
    at keyPath: AnyKeyPath,
    of valueType: Any.Type,
    options: ObservingOptions,
    isolation: (any Actor)?,
    site: CallSite,
    deliver: @escaping Observation.Callback
  ) {
    let (key, name) = KeyPathNames.key(at: keyPath, of: type(of: object))
    add(
      object,
      keyPath: name,
      options: options,
      context: nil,
      expected: ExpectedExecutor.of(isolation),
      site: site,
      key: key,
      valueType: valueType,
      deliver: deliver
    )
  }

  /// Adds an observation of a key path by name.
  func add<Subject: KeyValueObservable>(
    _ object: Subject,
    keyPath: String,
    options: ObservingOptions,
    context: ObservationContext? = nil,
    expected: ExpectedExecutor?,
    site: CallSite,
    handler: @escaping (Owner, Subject, ObservedChange<Any>) -> Void
  ) {
    add(
      object,
      keyPath: keyPath,
      options: options,
      context: context,
      expected: expected,
      site: site,
      deliver: Self.callback(calling: handler)
    )
  }

  /// Adds an observation.
  func add(
    _ object: some KeyValueObservable,
    keyPath: String,
    options: ObservingOptions,
    context: ObservationContext?,
    expected: ExpectedExecutor?,
    site: CallSite,
    key: ResolvedKey? = nil,
    valueType: Any.Type? = nil,
    deliver: @escaping Observation.Callback
  ) {
    // Without an owner there is no observer.
    guard let owner else { return }
    let isKept = retainsObserved && object !== owner
    let registry = ObjectTable.shared.record(of: identity).ref
    if isKept { recordHold(of: object, by: registry) }
    var request = ObservationRequest(
      subject: object,
      keyPath: keyPath,
      key: key,
      options: options,
      form: .controller,
      observer: owner,
      context: context,
      site: site,
      expected: expected,
      token: registry,
      valueType: valueType,
      // An attached controller is deallocated after its owner.
      endsWithObject: object === owner,
      deliver: deliver
    )
    // Stored before the initial notification, which may already end it.
    request.didAdd = { [self] id, storage in
      let kept = isKept ? object : nil
      let entry = ControlledObservation(id: id, storage: storage, keyPath: keyPath, object: kept)
      let dropped = entries.withLock { $0.add(entry, of: storage.record.ref.id) }
      withExtendedLifetime(dropped) {}
    }
    _ = request.add()
  }

  private func recordHold(of object: some KeyValueObservable, by registry: ObjectRef) {
    guard Recorder.shared.isRecording else { return }
    let reference = Reference(
      from: registry,
      to: object.storage.record.ref,
      label: Recorder.shared.id(of: "observed object")
    )
    Recorder.shared.record(.hold(reference))
  }

  private func end(_ ended: ControlledObservation, by cause: CancelCause) {
    ended.storage.cancel(ended.id, by: cause)
  }
}

/// The object that represents a controller in logs; a class without parameters, so that all controllers have the same
/// name there.
final class ControllerIdentity: Sendable {
  /// Its class is not hooked: the record would stay until the address is used again.
  deinit {
    if let record = ObjectTable.shared.knownRecord(of: self) { ObjectTable.shared.forget(record) }
  }
}
