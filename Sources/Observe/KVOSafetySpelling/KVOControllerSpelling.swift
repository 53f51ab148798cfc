public import KVOSafety

// A trailing closure has no label, and fits the closures of KVOSafety itself as well: `@_disfavoredOverload`
// keeps such a call from being ambiguous.

/// KVOController's name of ``KVOSafety/ObservationController``.
public typealias FBKVOController<Owner: AnyObject> = ObservationController<Owner>

extension ObservationController {
  /// KVOController's spelling of `init(owner:retainsObserved:)`.
  public convenience init(observer: Owner, retainObserved: Bool = true) {
    self.init(owner: observer, retainsObserved: retainObserved)
  }

  /// KVOController's spelling of the observation of a key path by name, whose closure it calls `block`.
  @_disfavoredOverload
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPath: String,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    block: @escaping (_ observer: Owner, _ object: Subject, _ change: ObservedChange<Any>) -> Void
  ) {
    observe(
      object,
      keyPath: keyPath,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: block
    )
  }

  /// KVOController's spelling of the observation of several key paths by name.
  @_disfavoredOverload
  public func observe<Subject: KeyValueObservable>(
    _ object: Subject?,
    keyPaths: [String],
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    block:
      @escaping (
        _ observer: Owner, _ object: Subject, _ keyPath: String, _ change: ObservedChange<Any>
      ) -> Void
  ) {
    observe(
      object,
      keyPaths: keyPaths,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: block
    )
  }
}

/// KVOController's properties of every object: two controllers, created on first use.
///
/// A ported class declares `extension Screen: KVOControlled {}`.
public protocol KVOControlled: AnyObject {}

extension KVOControlled {
  /// The controller that keeps its observed objects alive.
  ///
  /// Setting another releases the previous one, and ends its observations if nothing else retains it.
  public var kvoController: ObservationController<Self> {
    get { .of(self) }
    set { ObservationController.set(newValue, of: self) }
  }

  /// The controller that does not keep its observed objects alive.
  ///
  /// Can be set as ``kvoController`` can.
  public var kvoControllerNonRetaining: ObservationController<Self> {
    get { .of(self, retainsObserved: false) }
    set { ObservationController.set(newValue, of: self, retainsObserved: false) }
  }
}
