internal import Synchronization

/// An object that is created on first use, and kept.
///
/// The standard library's `AtomicLazyReference` is not specialized here, which costs more than caching saves.
struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The address of the object, which this owns; 0 if there is none.
  private let word = Atomic<UInt>(0)

  init() {}

  deinit {
    if let object = known { Unmanaged.passUnretained(object).release() }
  }

  /// The object, if there is one.
  @inline(__always)
  var known: Object? {
    // acquire: pairs with the exchange below.
    UnsafeRawPointer(bitPattern: word.load(ordering: .acquiring)).map {
      Unmanaged<Object>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// The object, made by `make` if there is none.
  ///
  /// Concurrent callers get the same object.
  @inline(__always)
  func object(_ make: () -> Object) -> Object {
    if let known { return known }
    let made = Unmanaged.passRetained(make())
    let outcome = word.compareExchange(
      expected: 0,
      desired: UInt(bitPattern: made.toOpaque()),
      ordering: .acquiringAndReleasing
    )
    if outcome.exchanged { return made.takeUnretainedValue() }
    defer { made.release() }
    return known ?? made.takeUnretainedValue()
  }
}
