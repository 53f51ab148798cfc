internal import KVORecorder
internal import KVOTrace

extension KeyValueObservable {
  /// Adds an observer for a key path, as Foundation's method of this name does.
  ///
  /// The observer is not kept alive. It must be removed as often as it was added; if it is
  /// deallocated before that, the library removes it and reports it (KVO007). Adding it twice
  /// delivers twice, and is reported (KVO005). A key path that is nil, empty, or unknown to a class
  /// on it is refused and reported (KVO029).
  ///
  /// Mirrors `addObserver(_:forKeyPath:options:context:)` of `NSObject`. Any thread; no lock is held
  /// while an initial notification runs.
  ///
  /// - Parameters:
  ///   - observer: the object to call.
  ///   - keyPath: keys of ``KeyValueObservable/observableKeys``, joined by dots.
  ///   - options: what the change should carry, and when it should come.
  ///   - context: handed to the observer, and distinguished from others when it is removed.
  ///   - expectedToLive: why the observation is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor of the caller, which callbacks are expected on; see
  ///     ``ObservationPolicy/OffExecutorDelivery``.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  public func addObserver(
    _ observer: any KeyValueObserver,
    forKeyPath keyPath: String?,
    options: ObservingOptions = [],
    context: ObservationContext? = nil,
    expectedToLive: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    let request = ObservationRequest(
      subject: self,
      keyPath: keyPath,
      options: options,
      form: .classic,
      observer: observer,
      context: context,
      site: CallSite(fileID: fileID, line: line, function: function),
      expected: ExpectedExecutor.of(isolation),
      expectedToLive: expectedToLive,
      deliver: callback(calling: observer, keyPath ?? "", context)
    )
    _ = request.add()
  }

  /// A callback that calls `observer`, which it receives as an argument.
  private func callback<Observer: KeyValueObserver>(
    calling observer: Observer,
    _ keyPath: String,
    _ context: ObservationContext?
  ) -> Observation.Callback {
    guard !TypeMetadata.isIsolated(observer as any KeyValueObserver), !TypeMetadata.isIsolated(self)
    else {
      // The casts find an isolated conformance only on its actor.
      return { subject, observer, change in
        guard let observer = observer as? any KeyValueObserver,
          let subject = subject as? any KeyValueObservable
        else { return nil }
        let handling = observer.observeValue(
          forKeyPath: keyPath,
          of: subject,
          change: ObservedChange(change),
          context: context
        )
        return handling == .handled
      }
    }
    return { subject, observer, change in
      guard let observer else { return nil }
      let handling = unsafeDowncast(observer, to: Observer.self).observeValue(
        forKeyPath: keyPath,
        of: unsafeDowncast(subject, to: Self.self),
        change: ObservedChange(change),
        context: context
      )
      return handling == .handled
    }
  }

  /// Removes an observer that was added under `context`; nil is the context of those added without.
  ///
  /// A removal that matches nothing is ignored and reported: KVO001 if the observer was removed before, KVO003 if it
  /// was added under another context, else KVO002.
  ///
  /// Mirrors `removeObserver(_:forKeyPath:context:)` of `NSObject`.
  public func removeObserver(
    _ observer: any KeyValueObserver,
    forKeyPath keyPath: String?,
    context: ObservationContext?,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    remove(
      observer,
      keyPath: keyPath,
      context: context.map { $0.traceContext } ?? .null,
      site: CallSite(fileID: fileID, line: line, function: function)
    )
  }

  /// Removes an observer, whatever context it was added under: the newest of its registrations.
  ///
  /// If there are several with different contexts it is reported that the wrong one may have been
  /// removed (KVO004).
  ///
  /// Mirrors `removeObserver(_:forKeyPath:)` of `NSObject`.
  public func removeObserver(
    _ observer: any KeyValueObserver,
    forKeyPath keyPath: String?,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    remove(
      observer,
      keyPath: keyPath,
      context: .unspecified,
      site: CallSite(fileID: fileID, line: line, function: function)
    )
  }

  private func remove(_ observer: AnyObject, keyPath: String?, context: Context, site: CallSite) {
    let storage = self.storage
    // Watched, so that the record of one that was never added goes with it.
    let record = ObjectTable.shared.watchedRecord(of: observer)
    let names = ThreadChanges.namesOfThisThread
    let site = names.names(of: site).id
    guard let keyPath, !keyPath.isEmpty else {
      let registration = Registration(
        id: nil,
        subject: storage.record.ref,
        observer: record.ref,
        keyPath: .none,
        context: context,
        site: site
      )
      return storage.refuse(
        registration,
        reason: keyPath == nil ? .nilKeyPath : .emptyKeyPath,
        part: ""
      )
    }
    let removal = Removal(
      subject: storage.record.ref,
      observer: record.ref,
      keyPath: names.id(of: keyPath),
      context: context,
      site: site
    )
    if DuplicateCoalescing.shared.absorbs(removal, from: storage) { return }
    storage.remove(removal)
  }
}
