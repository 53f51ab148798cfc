/// An optional type, whatever it wraps.
protocol OptionalType {
  static var wrappedType: Any.Type { get }

  /// Its memory layout; nil if that is unknown.
  static var layout: OptionalLayout? { get }

  /// The value unwrapped from all optionals: nil if the innermost is nil.
  var flattenedValue: Any? { get }
}

extension Optional: OptionalType {
  static var wrappedType: Any.Type { Wrapped.self }

  static var layout: OptionalLayout? {
    OptionalLayout(of: Self.self, around: Wrapped.self)
  }

  var flattenedValue: Any? {
    guard case .some(let value) = self else { return nil }
    return Optional<Any>.some(value).flattened
  }
}

extension Optional where Wrapped == Any {
  /// The value unwrapped from all optionals: nil if the innermost is nil.
  var flattened: Any? {
    guard let self else { return nil }
    // The cast is the slow part, and most values are not optionals.
    guard TypeMetadata.isOptional(type(of: self)), let optional = self as? any OptionalType
    else { return self }
    return optional.flattenedValue
  }
}

/// The memory layout of an optional: the wrapped value, followed by a byte that is 0 if the value has no spare bit
/// pattern to represent nil (the ABI's single-payload enums).
///
/// It lets a value whose type is unknown at compile time become an optional without calling that type's functions,
/// which costs ten times as much.
struct OptionalLayout {
  let wrappedType: Any.Type
  private let byteCount: Int
  private let alignment: Int
  private let hasTag: Bool

  fileprivate init?<Whole, Wrapped>(of whole: Whole.Type, around wrapped: Wrapped.Type) {
    wrappedType = wrapped
    byteCount = MemoryLayout<Wrapped>.size
    alignment = MemoryLayout<Wrapped>.alignment
    hasTag = MemoryLayout<Whole>.size != byteCount
    guard !hasTag || MemoryLayout<Whole>.size == byteCount + 1 else { return nil }
  }

  /// Calls `body` with the address of an optional around the value at `address`; nil stays nil.
  ///
  /// The optional owns nothing: it is valid for the duration of the call, and as long as the value.
  @inline(__always)
  func wrap(_ address: UnsafeRawPointer?, _ body: (UnsafeRawPointer?) -> Void) {
    guard let address, hasTag else { return body(address) }
    withUnsafeTemporaryAllocation(byteCount: byteCount + 1, alignment: alignment) { copy in
      copy.copyMemory(from: UnsafeRawBufferPointer(start: address, count: byteCount))
      copy[byteCount] = 0
      body(UnsafeRawPointer(copy.baseAddress))
    }
  }
}
