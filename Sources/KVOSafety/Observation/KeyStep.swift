/// One step of a key path: from a key to the object that is its value.
final class KeyStep: Sendable {
  /// The object that is the value of an object's key, or nil if the value is nil.
  ///
  /// The closure itself is nil if the property's type is not statically an observable object; then the value is cast.
  /// The cast costs more than the rest of the step.
  // Sendable: captures a key path, which is immutable, and types.
  nonisolated(unsafe) let object: ((AnyObject) -> (any KeyValueObservable)?)?

  private init(_ object: ((AnyObject) -> (any KeyValueObservable)?)?) { self.object = object }

  convenience init<Root: AnyObject, Value>(_ keyPath: KeyPath<Root, Value>) {
    let optional = Value.self as? any OptionalType.Type
    // An isolated conformance is found only by a cast on its actor.
    guard let target = (optional?.wrappedType ?? Value.self) as? any KeyValueObservable.Type,
      !TypeMetadata.isIsolated(target)
    else {
      self.init(nil)
      return
    }
    self.init(Self.reader(of: target, through: keyPath, isOptional: optional != nil))
  }

  private static func reader<Root: AnyObject, Target: KeyValueObservable>(
    of target: Target.Type,
    through keyPath: PartialKeyPath<Root>,
    isOptional: Bool
  ) -> ((AnyObject) -> (any KeyValueObservable)?)? {
    if isOptional {
      guard let keyPath = keyPath as? KeyPath<Root, Target?> else { return nil }
      return { ($0 as? Root)?[keyPath: keyPath] }
    }
    guard let keyPath = keyPath as? KeyPath<Root, Target> else { return nil }
    return { ($0 as? Root)?[keyPath: keyPath] }
  }
}
