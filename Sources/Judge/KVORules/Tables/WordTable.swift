internal import KVOTrace

/// A hash table from words to indices in an array, with open addressing.
///
/// Linear probing, and removal shifts later entries back, so that no tombstone is left: the table grows with the
/// greatest number of keys that it held at one time, not with the number of insertions. It never shrinks.
///
/// The hash is one multiplication with secret numbers of the process (``ProcessSeed``). No log can know them, so none
/// can choose colliding keys. Verdicts must not depend on the order of the buckets, which cannot be read.
///
/// Numbers that this process itself counts up need no such hash (`isCounting`): consecutive numbers are then adjacent,
/// so that a table of a hundred thousand is as cache-friendly as one of ten.
///
/// Complexity: O(1) on average for every operation, amortized for insertions.
@usableFromInline
package struct WordTable: Sendable {
  @usableFromInline struct Bucket: Sendable {
    @usableFromInline var key: UInt64
    @usableFromInline var index: Int

    @usableFromInline
    init(key: UInt64, index: Int) {
      self.key = key
      self.index = index
    }
  }

  /// The value of empty buckets: no identifier has this raw value.
  @inlinable package static var none: UInt64 { .max }

  private static let seed = ProcessSeed.number(2)
  private static let multiplier = ProcessSeed.number(3) | 1

  @usableFromInline let seed: UInt64
  /// 0 for numbers that are counted up.
  @usableFromInline let multiplier: UInt64
  @usableFromInline var buckets: [Bucket] = []
  @usableFromInline var mask = -1
  package private(set) var count = 0

  /// An empty table; `isCounting` says that its keys are counted up by this process.
  package init(isCounting: Bool = false) {
    seed = isCounting ? 0 : Self.seed
    multiplier = isCounting ? 0 : Self.multiplier
  }

  /// How many buckets there are: a power of two, or none before the first insertion.
  package var capacity: Int { buckets.count }

  /// The index of `key`, or -1.
  @inlinable @inline(__always)
  package func find(_ key: UInt64) -> Int {
    if mask < 0 { return -1 }
    var at = home(key)
    while true {
      let bucket = buckets[at]
      if bucket.key == key { return bucket.index }
      if bucket.key == Self.none { return -1 }
      at = (at &+ 1) & mask
    }
  }

  /// Calls `body` with the address of the first bucket that ``find(_:)`` of `key` will read.
  @inlinable @inline(__always)
  package func withBucket(of key: UInt64, _ body: (UnsafeRawPointer) -> Void) {
    if mask < 0 { return }
    buckets.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped + home(key)) }
  }

  /// Sets the index of `key`, which may exist already, to `index`.
  package mutating func set(_ key: UInt64, _ index: Int) {
    // At 5/8 the probe sequences are short.
    if count &* 8 >= (mask &+ 1) &* 5 { grow() }
    var at = home(key)
    while true {
      let found = buckets[at].key
      if found == key || found == Self.none {
        if found == Self.none { count &+= 1 }
        buckets[at] = Bucket(key: key, index: index)
        return
      }
      at = (at &+ 1) & mask
    }
  }

  /// Removes `key`, if it is present.
  package mutating func remove(_ key: UInt64) {
    if mask < 0 { return }
    var hole = home(key)
    while true {
      let found = buckets[hole].key
      if found == Self.none { return }
      if found == key { break }
      hole = (hole &+ 1) & mask
    }
    count &-= 1
    var next = (hole &+ 1) & mask
    while true {
      let bucket = buckets[next]
      if bucket.key == Self.none { break }
      // An entry may move back to the start of its own probe sequence, and no further.
      if (next &- home(bucket.key)) & mask >= (next &- hole) & mask {
        buckets[hole] = bucket
        hole = next
      }
      next = (next &+ 1) & mask
    }
    buckets[hole].key = Self.none
  }

  @inlinable @inline(__always)
  func home(_ key: UInt64) -> Int {
    // Folded, so that, for example, multiples of a thousand do not all fall into a few buckets.
    if multiplier == 0 { return Int(truncatingIfNeeded: key ^ key >> 9 ^ key >> 18) & mask }
    let product = (key ^ seed).multipliedFullWidth(by: multiplier)
    return Int(truncatingIfNeeded: product.high ^ product.low) & mask
  }

  private mutating func grow() {
    let old = buckets
    mask = max(8, old.count * 2) - 1
    buckets = Array(repeating: Bucket(key: Self.none, index: -1), count: mask + 1)
    count = 0
    for bucket in old where bucket.key != Self.none { set(bucket.key, bucket.index) }
  }
}
