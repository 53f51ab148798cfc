public import KVOSafety

// swift-format-ignore: AlwaysUseLowerCamelCase
/// ReactiveObjC's spelling of `values(for:boundTo:)`.
///
/// The macro of that name binds the values to the `self` of its call site too; a function needs it as an argument.
///
/// - Parameters:
///   - target: the object to observe.
///   - keyPath: a property, or a path of properties.
///   - observer: an object whose deallocation ends the values. Not kept alive.
///   - fileID: where the call is, for reports.
///   - line: where the call is, for reports.
///   - function: where the call is, for reports.
/// - Returns: the values, starting with the current one.
public func RACObserve<Target: KeyValueObservable, Value: Sendable>(
  _ target: Target,
  _ keyPath: KeyPath<Target, Value>,
  boundTo observer: AnyObject? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  function: StaticString = #function
) -> ObservedValues<Value> {
  target.values(for: keyPath, boundTo: observer, fileID: fileID, line: line, function: function)
}

extension KeyValueObservable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// ReactiveObjC's spelling of `values(forKeyPath:as:boundTo:)`: a path by name, until `observer` is deallocated.
  public func rac_values<Value: Sendable>(
    forKeyPath keyPath: String,
    as type: Value.Type,
    observer: AnyObject?,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> ObservedValues<Value?> {
    values(
      forKeyPath: keyPath,
      as: type,
      boundTo: observer,
      fileID: fileID,
      line: line,
      function: function
    )
  }
}
