/// Reads type properties from the runtime's metadata where a cast would cost too much.
///
/// Metadata is immutable and never freed; its layout is that of the runtime's `Metadata.h`.
enum TypeMetadata {
  /// Whether `type` is an optional: all optionals, and they alone, have one kind, the first word of the metadata.
  @inline(__always)
  static func isOptional(_ type: Any.Type) -> Bool { kind(of: type) == kind(of: Int?.self) }

  @inline(__always)
  private static func kind(of type: Any.Type) -> UInt {
    unsafeBitCast(type, to: UnsafeRawPointer.self).load(as: UInt.self)
  }

  // `as any` prevents opening the existential, which would pass only the reference.

  /// Whether the class of `object` has an actor-isolated conformance, which only a cast on that actor finds.
  static func isIsolated(_ object: any KeyValueObservable) -> Bool {
    isIsolated(unsafeBitCast(object as any KeyValueObservable, to: Existential.self))
  }

  static func isIsolated(_ observer: any KeyValueObserver) -> Bool {
    isIsolated(unsafeBitCast(observer as any KeyValueObserver, to: Existential.self))
  }

  static func isIsolated(_ type: any KeyValueObservable.Type) -> Bool {
    isIsolated(unsafeBitCast(type as any KeyValueObservable.Type, to: Existential.self))
  }

  /// The existential of a class or of its type: a reference, and how the class conforms.
  private typealias Existential = (reference: UnsafeRawPointer, table: UnsafeRawPointer)

  /// How a class conforms to `KeyValueObservable`.
  struct Conformance: Sendable {
    // Sendable: the runtime never changes or frees a table.
    nonisolated(unsafe) fileprivate let table: UnsafeRawPointer

    /// The object, whose class must be the one that conforms, or a subclass.
    @inline(__always)
    func object(_ reference: AnyObject) -> any KeyValueObservable {
      unsafeBitCast((reference, table) as Conforming, to: (any KeyValueObservable).self)
    }

    private typealias Conforming = (reference: AnyObject, table: UnsafeRawPointer)
  }

  static func conformance(of type: any KeyValueObservable.Type) -> Conformance {
    Conformance(
      table: unsafeBitCast(type as any KeyValueObservable.Type, to: Existential.self).table
    )
  }

  private static let flagsOffset = 12
  private static let hasGlobalActorIsolation: UInt32 = 1 << 19

  /// A table begins with the address of the conformance's description: three relative references, then the flags.
  private static func isIsolated(_ existential: Existential) -> Bool {
    let description = existential.table.load(as: UnsafeRawPointer.self)
    let flags = description.load(fromByteOffset: flagsOffset, as: UInt32.self)
    return flags & hasGlobalActorIsolation != 0
  }
}
