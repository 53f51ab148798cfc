/// A change on its way to one observer: values by their address, so that none is copied into a box
/// if setter and handler agree on the type.
///
/// Valid for the duration of one call.
@usableFromInline
struct DeliveredChange {
  @usableFromInline let kind: ObservedChangeKind
  @usableFromInline let isPrior: Bool
  /// Whether the values are `Any?`, rather than of the type that the observation asked for.
  @usableFromInline let isBoxed: Bool
  /// Whether no setter ran, because an object that the path references weakly was deallocated.
  let isOfDeallocation: Bool
  /// Nil if the value was not asked for.
  @usableFromInline let old: UnsafeRawPointer?
  @usableFromInline let new: UnsafeRawPointer?
  /// Nil except for a change of some elements of a collection.
  @usableFromInline let elements: ChangedElements?

  init(
    kind: ObservedChangeKind,
    isPrior: Bool,
    isBoxed: Bool,
    isOfDeallocation: Bool = false,
    old: UnsafeRawPointer?,
    new: UnsafeRawPointer?,
    elements: ChangedElements? = nil
  ) {
    self.kind = kind
    self.isPrior = isPrior
    self.isBoxed = isBoxed
    self.isOfDeallocation = isOfDeallocation
    self.old = old
    self.new = new
    self.elements = elements
  }

  /// The value at `address`, or nil if none was requested or it has another type.
  @inlinable
  @inline(__always)
  func value<Value>(at address: UnsafeRawPointer?, as type: Value.Type) -> Value? {
    guard let address else { return nil }
    guard isBoxed else { return address.assumingMemoryBound(to: Value.self).pointee }
    let boxed = address.assumingMemoryBound(to: Any?.self).pointee
    if let boxed { return boxed as? Value }
    // Nil is a value of an optional type; a handler that takes `Any` receives nil for it, not an `Any` that contains
    // nil.
    return Value.self == Any.self ? nil : boxed as? Value
  }
}

extension ObservedChange {
  /// The change with values of the observed type; a value of another type becomes nil.
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

/// The value of a key as its setter has it: its type, and its addresses before and after the change.
struct SetterValues {
  let type: Any.Type
  let old: UnsafeRawPointer
  /// Nil before the change is made.
  let new: UnsafeRawPointer?

  /// The value at `address` in a box, unwrapped from its optionals if `isFlat`.
  func box(_ address: UnsafeRawPointer?, isFlat: Bool) -> Any? {
    guard let address else { return nil }
    func box<Value>(_: Value.Type) -> Any? {
      address.assumingMemoryBound(to: Value.self).pointee
    }
    let value: Any? = _openExistential(type, do: box)
    return isFlat ? value.flattened : value
  }

  /// Calls `body` with the addresses of boxes of the values at `old` and `new`; nil stays nil.
  ///
  /// Not for a type that is an optional.
  @inline(__always)
  func withBoxes<Result>(
    _ old: UnsafeRawPointer?,
    _ new: UnsafeRawPointer?,
    _ body: (UnsafeRawPointer?, UnsafeRawPointer?) -> Result
  ) -> Result {
    withBox(old) { old in withBox(new) { new in body(old, new) } }
  }

  @inline(__always)
  private func withBox<Result>(
    _ address: UnsafeRawPointer?,
    _ body: (UnsafeRawPointer?) -> Result
  ) -> Result {
    guard let address else { return body(nil) }
    return withUnsafePointer(to: box(address, isFlat: false)) { body(UnsafeRawPointer($0)) }
  }
}

extension UnsafePointer {
  /// The address of a value, which is never nil.
  ///
  /// The optimizer gives a value without bytes, such as one of an enumeration with a single case, no address, and nil
  /// would mean that there is no value.
  @inlinable
  @inline(__always)
  var knownAddress: UnsafeRawPointer {
    let address = UnsafeRawPointer(self)
    if MemoryLayout<Pointee>.size > 0 { return address }
    return UnsafeRawPointer(bitPattern: MemoryLayout<Pointee>.alignment) ?? address
  }
}
