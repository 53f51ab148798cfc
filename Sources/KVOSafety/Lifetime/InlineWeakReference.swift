internal import CKVOLifetime

/// A weak reference that leaves the counts of its object where they are.
///
/// The first `weak` reference moves the counts of an object into a side table, for good: each retain and release of the
/// object, also by the program, takes the runtime's slow path from then on. This is an unowned reference of the runtime
/// instead, which is counted in the object. It keeps the memory of the object until it is destroyed itself, but neither
/// the object nor what that refers to: its owner must destroy it some time after the object's deallocation.
///
/// Immutable; any thread may load the object. As with `weak`, it is nil from the moment when its deinit begins.
struct InlineWeakReference: ~Copyable, Sendable {
  /// The complement of the object's address; that of 0 refers to none.
  ///
  /// The compiler does not describe what is in a noncopyable value: to searches and in heap snapshots, the address
  /// itself would look like an owner's word, and an object that leaked would not be listed.
  private let complement: UInt

  /// A reference to `object`, which the caller keeps alive during the call; nil refers to none.
  init(_ object: AnyObject?) {
    complement = ~(object.map { ObjectTable.address(of: $0) } ?? 0)
    if let pointer { _ = swift_unownedRetain(pointer) }
  }

  deinit { if let pointer { swift_unownedRelease(pointer) } }

  /// The object, or nil if its deinit has begun.
  var object: AnyObject? {
    pointer.flatMap { swift_tryRetain($0) }
      .map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
  }

  /// Whether there is an object whose deinit has not begun.
  var isAlive: Bool { pointer.map { !swift_isDeallocating($0) } ?? false }

  /// Whether the deinit of `object`, whose memory the caller keeps, has begun.
  static func isInDeinit(_ object: AnyObject) -> Bool {
    swift_isDeallocating(Unmanaged.passUnretained(object).toOpaque())
  }

  private var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: ~complement) }
}
