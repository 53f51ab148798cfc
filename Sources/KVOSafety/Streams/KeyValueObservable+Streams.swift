internal import KVORecorder
internal import KVOTrace

extension KeyValueObservable {
  /// The values of a property, from the present one on.
  ///
  /// ```swift
  /// for await name in account.values(for: \.owner?.name, boundTo: self) { … }
  /// ```
  ///
  /// A path goes on through the objects that take the place of others; its value is nil where it ends
  /// early, also when an object on the way dies that it refers to weakly. A weak reference at its end
  /// becomes nil when its object dies, and the stream says so; no setter runs for that, so other forms
  /// are not told. An equal value comes as well. A collection comes whole, also when only some of its
  /// elements change. What cannot be observed is reported (KVO029), and the stream ends at once.
  ///
  /// Mirrors `RACObserve` and `rac_valuesForKeyPath:observer:`.
  ///
  /// - Parameters:
  ///   - keyPath: a property in ``KeyValueObservable/observableKeys``, or a path of such properties.
  ///   - observer: an object whose death ends the stream. Not kept alive.
  ///   - buffering: what is kept of values that nobody has taken yet.
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

  /// The values of a key path by name, from the present one on.
  ///
  /// As ``values(for:boundTo:buffering:expectedToLive:fileID:line:function:)``. A value that
  /// is of another type than `type` is nil.
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

  /// The changes of a property, with what `options` ask for.
  ///
  /// As ``values(for:boundTo:buffering:expectedToLive:fileID:line:function:)``, but a change of some elements
  /// of a collection comes with those. The first comes at once where `options` have
  /// ``ObservingOptions/initial``. Mirrors
  /// `rac_valuesAndChangesForKeyPath:options:observer:`.
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
