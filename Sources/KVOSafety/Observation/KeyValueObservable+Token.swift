internal import KVORecorder
internal import KVOTrace

extension KeyValueObservable {
  /// Observes a property until the token that is returned is invalidated or deallocated.
  ///
  /// ```swift
  /// token = account.observe(\.balance, options: [.old, .new]) { account, change in … }
  /// token = account.observe(\.owner?.name, options: [.new]) { account, change in … }
  /// ```
  ///
  /// The handler runs on the thread that makes the change, before the changing statement is done,
  /// with no lock held. It may observe, invalidate and change anything, this observation too. It gets
  /// the observed object, so that it need not capture it. When an object on a path is replaced the
  /// observation moves to the new one; the value of a path that ends early is nil, and no change is
  /// sent when an object on it is deallocated.
  ///
  /// Mirrors `observe(_:options:changeHandler:)` of `NSObject`.
  ///
  /// - Parameters:
  ///   - keyPath: a property in ``KeyValueObservable/observableKeys``, or a path of such properties from object to
  ///     object. Any other key path is refused and reported (KVO029); the token is then inactive from the start. A path
  ///     is also refused if a part is only a protocol requirement, such as `\.friend?.name` with
  ///     `friend: (any Named)?`: Swift reveals neither the name of such a part nor which property of a class it is.
  ///     Observe it by name, as `"friend.name"`.
  ///   - options: what the change should carry, and when it should come.
  ///   - expectedToLive: why the observation is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor of the caller, which the handler is called on. A change that is not made on it is
  ///     reported (KVO023) and delivered there late, or as ``ObservationPolicy/OffExecutorDelivery`` says; nil for a
  ///     handler that may run anywhere.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - handler: called for each change.
  /// - Returns: the token. The observation ends with it, so keep it.
  /// - Complexity: O(1), and one stack capture; for a path O(keys of the classes on it).
  @inlinable
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
    token(
      at: keyPath,
      of: Value.self,
      held: observationRegistrar.heldStorage,
      options: options,
      expectedToLive: expectedToLive,
      isolation: isolation,
      site: CallSite(fileID: fileID, line: line, function: function)
    ) { subject, _, change in
      handler(unsafeDowncast(subject, to: Self.self), ObservedChange(change))
      return nil
    }
  }

  /// Observes a property that several threads change.
  ///
  /// Works as ``observe(_:options:expectedToLive:isolation:fileID:line:function:handler:)``, with a handler that the
  /// compiler has checked for running on any thread.
  ///
  /// A change that races the call is delivered or is in the initial value. Each thread delivers its own change:
  /// notifications of two threads, the initial one among them, may come in either order, so read the property if you
  /// need the latest value.
  @inlinable
  public func observeOnAnyThread<Value>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions = [],
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    handler: @escaping @Sendable (_ object: Self, _ change: ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    token(
      at: keyPath,
      of: Value.self,
      held: observationRegistrar.heldStorage,
      options: options,
      expectedToLive: expectedToLive,
      isolation: nil,
      site: CallSite(fileID: fileID, line: line, function: function)
    ) { subject, _, change in
      handler(unsafeDowncast(subject, to: Self.self), ObservedChange(change))
      return nil
    }
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
      expected: ExpectedExecutor.of(isolation),
      expectedToLive: expectedToLive,
      token: ObservationToken.nextReference(),
      deliver: { subject, _, change in
        handler(unsafeDowncast(subject, to: Self.self), ObservedChange(change))
        return nil
      }
    )
    return ObservationToken(request.add())
  }

  /// Makes a token for a handler that takes values of one type, whatever type that is.
  ///
  /// `held` is the storage of the object's registrar: the caller, which knows the class, finds it faster.
  /// `endsWithObject`: whether the observation is meant to end with the object.
  @usableFromInline
  func token(
    at keyPath: AnyKeyPath,
    of valueType: Any.Type,
    held: Unmanaged<SubjectStorage>?,
    options: ObservingOptions,
    expectedToLive: String?,
    endsWithObject: Bool = false,
    isolation: (any Actor)?,
    site: CallSite,
    deliver: @escaping Observation.Callback
  ) -> ObservationToken {
    let names = ThreadChanges.namesOfThisThread
    let key = names.key(at: keyPath, of: type(of: self))
    if let key, let held {
      let token = held._withUnsafeGuaranteedRef { storage in
        key._withUnsafeGuaranteedRef { key in
          storage.token(
            of: key,
            options: options,
            site: names.names(of: site).id,
            expected: .of(isolation),
            expectedToLive: expectedToLive,
            endsWithObject: endsWithObject,
            valueType: valueType,
            deliver: deliver
          )
        }
      }
      if let token { return token }
      let other = held.takeUnretainedValue().token(
        of: key.takeUnretainedValue(),
        on: self,
        options: options,
        site: names.names(of: site).id,
        expected: .of(isolation),
        expectedToLive: expectedToLive,
        endsWithObject: endsWithObject,
        valueType: valueType,
        deliver: deliver
      )
      if let other { return other }
    }
    let path = key == nil ? names.path(at: keyPath, of: type(of: self)) : nil
    let request = ObservationRequest(
      subject: self,
      keyPath: path?.text,
      path: path,
      key: key?.takeUnretainedValue(),
      options: options,
      form: .token,
      site: site,
      expected: ExpectedExecutor.of(isolation),
      expectedToLive: expectedToLive,
      token: ObservationToken.nextReference(),
      valueType: valueType,
      endsWithObject: endsWithObject,
      deliver: deliver
    )
    return ObservationToken(request.add())
  }
}

extension SubjectStorage {
  /// Adds an observation for a token if it only has to be put into the table: `ObservationRequest` without the checks
  /// that are not needed in this case.
  ///
  /// Nil if there is more to do: the key is affected by others, an initial notification is wanted,
  /// or the object's deallocation is not watched yet.
  fileprivate func token(
    of key: ResolvedKey,
    options: ObservingOptions,
    site: StringID,
    expected: ExpectedExecutor?,
    expectedToLive: String?,
    endsWithObject: Bool,
    valueType: Any.Type,
    deliver: @escaping Observation.Callback
  ) -> ObservationToken? {
    guard key.isAlone, !options.contains(.initial), record.isWatched else { return nil }
    let (observation, registration, id) = observation(
      of: key,
      affecting: nil,
      options: options,
      site: site,
      expected: expected,
      expectedToLive: expectedToLive,
      endsWithObject: endsWithObject,
      valueType: valueType,
      deliver: deliver
    )
    let stack = Recorder.shared.captureStack()
    let cell = add(observation, registration, stack, isFinished: true)
    return ObservationToken(id, in: cell, on: self)
  }

  /// The same if an initial notification is wanted, or other keys of `subject` affect the key.
  ///
  /// Nil if there is more to do: the keys that affect it are affected themselves or are of other objects, or the log has
  /// to have their declarations.
  @inline(never)
  fileprivate func token(
    of key: ResolvedKey,
    on subject: AnyObject,
    options: ObservingOptions,
    site: StringID,
    expected: ExpectedExecutor?,
    expectedToLive: String?,
    endsWithObject: Bool,
    valueType: Any.Type,
    deliver: @escaping Observation.Callback
  ) -> ObservationToken? {
    let affecting = key.isAlone || Recorder.shared.isRecording ? nil : keys.affecting(key)
    guard key.isAlone || affecting != nil, record.isWatched else { return nil }
    let (observation, registration, id) = observation(
      of: key,
      affecting: affecting,
      options: options,
      site: site,
      expected: expected,
      expectedToLive: expectedToLive,
      endsWithObject: endsWithObject,
      valueType: valueType,
      deliver: deliver
    )
    // Another thread may end it as soon as it is added.
    let kept = observation.takeUnretainedValue()
    let isFinished = !options.contains(.initial)
    let stack = Recorder.shared.captureStack()
    let cell = add(observation, registration, stack, isFinished: isFinished)
    if !isFinished {
      kept.notifyOfReading(subject, .initial, of: nil)
      finishAdding(kept)
    }
    return ObservationToken(id, in: cell, on: self)
  }

  @inline(__always)
  private func observation(
    of key: ResolvedKey,
    affecting: [StringID]?,
    options: ObservingOptions,
    site: StringID,
    expected: ExpectedExecutor?,
    expectedToLive: String?,
    endsWithObject: Bool,
    valueType: Any.Type,
    deliver: @escaping Observation.Callback
  ) -> (Unmanaged<Observation>, Registration, RegistrationID) {
    let table = ObjectTable.shared
    let number = table.nextNumbers(count: 2)
    let id = RegistrationID(number + 1)
    let registration = Registration(
      id: id,
      subject: record.ref,
      observer: nil,
      keyPath: key.id,
      context: .null,
      options: Registration.Options(options),
      form: .token,
      token: table.token(number),
      site: site,
      executor: expected?.name ?? .none,
      expectedToLive: expectedToLive.map { Recorder.id(of: $0) } ?? .none
    )
    let observation = Unmanaged.passRetained(
      Observation(
        registration: registration,
        key: key.id,
        single: key,
        observer: nil,
        root: self,
        valueType: valueType,
        endsWithObject: endsWithObject,
        affecting: affecting,
        expected: expected,
        deliver: deliver
      )
    )
    return (observation, registration, id)
  }
}

extension ObservationToken {
  /// A number and a class name for a token that is about to be created.
  static func nextReference() -> ObjectRef {
    let table = ObjectTable.shared
    return table.token(table.nextNumber())
  }
}
