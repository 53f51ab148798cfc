/// One step of a key path: from a key to the object that is its value.
final class KeyStep: Sendable {
  /// How the static type of the value, or the type that it is an optional of, conforms.
  ///
  /// Nil if that is not an observable class, or if only a cast on its actor finds the conformance. The value is then cast,
  /// which costs more than the rest of the step.
  private let target: TypeMetadata.Conformance?

  init(to valueType: Any.Type) {
    let optional = valueType as? any OptionalType.Type
    guard let target = (optional?.wrappedType ?? valueType) as? any KeyValueObservable.Type,
      !TypeMetadata.isIsolated(target)
    else {
      self.target = nil
      return
    }
    self.target = TypeMetadata.conformance(of: target)
  }

  /// The object that is the value of `key` in `object`, or nil if the value is nil; the outer nil if the static type of
  /// the value does not say that it is observable.
  ///
  /// Runs a getter of the program: no lock may be held.
  @inline(__always)
  func next(_ key: KeyDeclared, of object: AnyObject) -> (any KeyValueObservable)?? {
    guard let target else { return .none }
    return .some(key.reference(object).map(target.object))
  }
}
