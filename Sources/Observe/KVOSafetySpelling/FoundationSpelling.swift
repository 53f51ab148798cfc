public import KVOSafety

// A trailing closure has no label, and fits the closures of KVOSafety itself as well: `@_disfavoredOverload`
// keeps such a call from being ambiguous.

// The names of Foundation, which has them only on Apple's systems. There they would clash with the real ones.
#if !canImport(ObjectiveC)
/// Foundation's name of ``KVOSafety/ObservationToken``.
public typealias NSKeyValueObservation = ObservationToken

/// Foundation's name of ``KVOSafety/ObservingOptions``.
public typealias NSKeyValueObservingOptions = ObservingOptions

/// Foundation's name of ``KVOSafety/ObservedChange``.
public typealias NSKeyValueObservedChange<Value> = ObservedChange<Value>

/// Foundation's name of ``KVOSafety/ObservedChangeKind``.
public typealias NSKeyValueChange = ObservedChangeKind
#endif

extension KeyValueObservable {
  /// Foundation's spelling of
  /// ``KVOSafety/KeyValueObservable/observe(_:options:expectedToLive:isolation:fileID:line:function:handler:)``,
  /// whose closure it calls `changeHandler`.
  @_disfavoredOverload
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>,
    options: ObservingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    changeHandler: @escaping (_ object: Self, _ change: ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    observe(
      keyPath,
      options: options,
      isolation: isolation,
      fileID: fileID,
      line: line,
      function: function,
      handler: changeHandler
    )
  }
}
