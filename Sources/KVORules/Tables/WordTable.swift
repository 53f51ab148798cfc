/// A hash table from words to places in an array, with open addressing.
///
/// Linear probing, and what stands behind a removed key moves up, so that nothing is left of it: the
/// table grows with the greatest number of keys that it held at one time, not with how many came and
/// went. It never shrinks.
///
/// The hash is one multiplication with numbers that are drawn once per process. No log can know
/// them, and so none can choose keys that fall together; and nothing that is judged may depend on
/// the order of the buckets, which cannot be read.
///
/// Numbers that this process itself counts up need no such hash (`isCounting`): those that follow each other
/// then lie beside each other, so that a table of a hundred thousand is as near as one of ten.
///
/// Complexity: O(1) on average for every operation, amortised for insertions.
struct WordTable: Sendable {
  private struct Bucket: Sendable {
    var key: UInt64
    var place: Int
  }

  /// What is no key: no identifier has this raw value.
  static let none = UInt64.max

  private static let seed = UInt64.random(in: .min ... .max)
  private static let multiplier = UInt64.random(in: .min ... .max) | 1

  private let seed: UInt64
  /// 0 for numbers that are counted up.
  private let multiplier: UInt64
  private var buckets: [Bucket] = []
  private var mask = -1
  private(set) var count = 0

  /// An empty table; `isCounting` says that its keys are counted up by this process.
  init(isCounting: Bool = false) {
    seed = isCounting ? 0 : Self.seed
    multiplier = isCounting ? 0 : Self.multiplier
  }

  /// How many buckets there are: a power of two, or none before the first insertion.
  var capacity: Int { buckets.count }

  /// The place of `key`, or -1.
  @inline(__always)
  func find(_ key: UInt64) -> Int {
    if mask < 0 { return -1 }
    var at = home(key)
    while true {
      let bucket = buckets[at]
      if bucket.key == key { return bucket.place }
      if bucket.key == Self.none { return -1 }
      at = (at &+ 1) & mask
    }
  }

  /// Calls `body` with the address of the first bucket that ``find(_:)`` of `key` will read.
  @inline(__always)
  func withBucket(of key: UInt64, _ body: (UnsafeRawPointer) -> Void) {
    if mask < 0 { return }
    buckets.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped + home(key)) }
  }

  /// Gives `key`, which may be there already, the place `place`.
  mutating func set(_ key: UInt64, _ place: Int) {
    // At 5/8 the runs of a linear probing are short.
    if count &* 8 >= (mask &+ 1) &* 5 { grow() }
    var at = home(key)
    while true {
      let found = buckets[at].key
      if found == key || found == Self.none {
        if found == Self.none { count &+= 1 }
        buckets[at] = Bucket(key: key, place: place)
        return
      }
      at = (at &+ 1) & mask
    }
  }

  /// Takes `key` out, if it is there.
  mutating func remove(_ key: UInt64) {
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
      // It may move up to where its own probing begins, and no further.
      if (next &- home(bucket.key)) & mask >= (next &- hole) & mask {
        buckets[hole] = bucket
        hole = next
      }
      next = (next &+ 1) & mask
    }
    buckets[hole].key = Self.none
  }

  @inline(__always)
  private func home(_ key: UInt64) -> Int {
    // Folded, so that every thousandth number, say, is not one bucket in a thousand.
    if multiplier == 0 { return Int(truncatingIfNeeded: key ^ key >> 9 ^ key >> 18) & mask }
    let product = (key ^ seed).multipliedFullWidth(by: multiplier)
    return Int(truncatingIfNeeded: product.high ^ product.low) & mask
  }

  private mutating func grow() {
    let old = buckets
    mask = max(8, old.count * 2) - 1
    buckets = Array(repeating: Bucket(key: Self.none, place: -1), count: mask + 1)
    count = 0
    for bucket in old where bucket.key != Self.none { set(bucket.key, bucket.place) }
  }
}
