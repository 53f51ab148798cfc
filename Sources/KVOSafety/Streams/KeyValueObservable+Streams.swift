internal import KVORecorder
internal import KVOTrace

extension KeyValueObservable {
  /// The values of a property, starting with the current one.
  ///
  /// ```swift
  /// for await name in account.values(for: \.owner?.name, boundTo: self) { … }
  /// ```
  ///
  /// If an object on a path is replaced, the path continues through the new one; its value is nil if it ends early,
  /// also when a weakly referenced object on it is deallocated. A weak reference at its end becomes nil when its object
  /// is deallocated, and the stream reports that; no setter runs for that, so other forms are not notified. Equal
  /// values are reported too. A collection is reported as a whole, even if only some of its elements change. A path
  /// that cannot be observed is reported (KVO029), and the stream ends at once.
  ///
  /// Mirrors `RACObserve` and `rac_valuesForKeyPath:observer:`.
  ///
  /// - Parameters:
  ///   - keyPath: a property in ``KeyValueObservable/observableKeys``, or a path of such properties.
  ///   - observer: an object whose deallocation ends the stream. Not kept alive.
  ///   - buffering: which values are kept until they are taken.
  ///   - expectedToLive: why the observation is meant to outlive the test scope it is made in, if so.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  /// - Returns: the stream, which observes from now on.
  public func values<Value: Sendable>(
    for keyPath: KeyPath<Self, Value>,
    boundTo observer: (any AnyObject)? = nil,
    buffering: StreamBuffering = .unbounded,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> ObservedValues<Value> {
    var request = streamRequest(
      at: keyPath,
      options: [.initial, .new],
      observer: observer,
      valueType: Value.self,
      expectedToLive: expectedToLive,
      site: CallSite(fileID: fileID, line: line, function: function)
    )
    request.wantsWhole = true
    return request.addStream(buffering: buffering) { (change: ObservedChange<Value>) in
      change.newValue
    }
  }

  /// The values of a key path by name, starting with the current one.
  ///
  /// Works as ``values(for:boundTo:buffering:expectedToLive:fileID:line:function:)``. A value of another type than
  /// `type` becomes nil.
  public func values<Value: Sendable>(
    forKeyPath keyPath: String,
    as type: Value.Type,
    boundTo observer: (any AnyObject)? = nil,
    buffering: StreamBuffering = .unbounded,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> ObservedValues<Value?> {
    let request = ObservationRequest(
      subject: self,
      keyPath: keyPath,
      options: [.initial, .new],
      form: .stream,
      observer: observer,
      site: CallSite(fileID: fileID, line: line, function: function),
      expectedToLive: expectedToLive,
      wantsWhole: true,
      deliver: { _, _, _ in nil }
    )
    return request.addStream(buffering: buffering) { (change: ObservedChange<Any>) -> Value?? in
      .some(change.newValue.flatMap { $0 as? Value })
    }
  }

  /// The changes of a property, with the requested `options`.
  ///
  /// Works as ``values(for:boundTo:buffering:expectedToLive:fileID:line:function:)``, but a change of some elements of
  /// a collection is reported with those. The first is sent at once if `options` have ``ObservingOptions/initial``.
  /// Mirrors `rac_valuesAndChangesForKeyPath:options:observer:`.
  public func changes<Value: Sendable>(
    of keyPath: KeyPath<Self, Value>,
    options: ObservingOptions = [.initial, .old, .new],
    boundTo observer: (any AnyObject)? = nil,
    buffering: StreamBuffering = .unbounded,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> ObservedValues<ObservedChange<Value>> {
    let request = streamRequest(
      at: keyPath,
      options: options,
      observer: observer,
      valueType: Value.self,
      expectedToLive: expectedToLive,
      site: CallSite(fileID: fileID, line: line, function: function)
    )
    return request.addStream(buffering: buffering) { (change: ObservedChange<Value>) in change }
  }

  func streamRequest(
    at keyPath: AnyKeyPath,
    options: ObservingOptions,
    observer: AnyObject?,
    valueType: Any.Type,
    expectedToLive: String?,
    site: CallSite
  ) -> ObservationRequest {
    let (key, name) = KeyPathNames.key(at: keyPath, of: type(of: self))
    return ObservationRequest(
      subject: self,
      keyPath: name,
      key: key,
      options: options,
      form: .stream,
      observer: observer,
      site: site,
      expectedToLive: expectedToLive,
      valueType: valueType,
      deliver: { _, _, _ in nil }
    )
  }
}
