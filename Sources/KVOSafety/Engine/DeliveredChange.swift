/// A change on its way to one observer: values by their address, so that none is copied into a box
/// where setter and handler agree on the type.
///
/// Good for the time of one call.
@usableFromInline
struct DeliveredChange {
  @usableFromInline let kind: ObservedChangeKind
  @usableFromInline let isPrior: Bool
  /// Whether the values are `Any?`, rather than of the type that the observation asked for.
  @usableFromInline let isBoxed: Bool
  /// Whether no setter ran: an object was deallocated that the path refers to weakly.
  let isOfDeath: Bool
  /// Nil where the value was not asked for.
  @usableFromInline let old: UnsafeRawPointer?
  @usableFromInline let new: UnsafeRawPointer?
  /// Nil but for a change of some elements of a collection.
  @usableFromInline let elements: ChangedElements?

  init(
    kind: ObservedChangeKind,
    isPrior: Bool,
    isBoxed: Bool,
    isOfDeath: Bool = false,
    old: UnsafeRawPointer?,
    new: UnsafeRawPointer?,
    elements: ChangedElements? = nil
  ) {
    self.kind = kind
    self.isPrior = isPrior
    self.isBoxed = isBoxed
    self.isOfDeath = isOfDeath
    self.old = old
    self.new = new
    self.elements = elements
  }

  /// The value at `address`, or nil where none was asked for, or it is of another type.
  @inlinable
  @inline(__always)
  func value<Value>(at address: UnsafeRawPointer?, as type: Value.Type) -> Value? {
    guard let address else { return nil }
    guard isBoxed else { return address.assumingMemoryBound(to: Value.self).pointee }
    let boxed = address.assumingMemoryBound(to: Any?.self).pointee
    if let boxed { return boxed as? Value }
    // Nil is a value of an optional type; a handler of anything is told of it by nil, not by an `Any`
    // with nil in it.
    return Value.self == Any.self ? nil : boxed as? Value
  }
}

extension ObservedChange {
  /// The change with values of the observed type; a value of another type comes as nil.
  @inlinable
  @inline(__always)
  init(_ change: DeliveredChange) {
    self.init(
      kind: change.kind,
      oldValue: change.value(at: change.old, as: Value.self),
      newValue: change.value(at: change.new, as: Value.self),
      isPrior: change.isPrior,
      elements: change.elements
    )
  }
}

/// The value of a key as a setter has it: its type, and where it is before the change and after.
struct SetterValues {
  let type: Any.Type
  let old: UnsafeRawPointer
  /// Nil before the change is made.
  let new: UnsafeRawPointer?

  /// The value at `address` in a box, without optionals around where `isFlat`.
  func box(_ address: UnsafeRawPointer?, isFlat: Bool) -> Any? {
    guard let address else { return nil }
    func box<Value>(_: Value.Type) -> Any? {
      address.assumingMemoryBound(to: Value.self).pointee
    }
    let value: Any? = _openExistential(type, do: box)
    return isFlat ? value.flattened : value
  }
}
