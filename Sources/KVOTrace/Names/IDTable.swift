/// Finds the ids of things by their hash: open addressing, one word a slot.
///
/// It holds no things, only ids and half of their hashes; its owner says whether an id is the one.
/// Ids are added in the order 1, 2, 3, …, and taken away in the opposite order, so that the slots
/// are always those of a table to which the present ids were added one by one. Taking the last one
/// away then leaves no hole in the way to another.
struct IDTable: Sendable {
  /// The upper half of the hash over the id; 0 where the slot is free.
  private var slots: [UInt64] = []
  private(set) var count = 0

  /// The id with `hash` that `isMatch` says yes to, or nil.
  ///
  /// Complexity: O(1), on average.
  @inline(__always)
  func find(_ hash: UInt64, isMatch: (UInt32) -> Bool) -> UInt32? {
    guard !slots.isEmpty else { return nil }
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while slots[index] != 0 {
      let slot = slots[index]
      if (slot ^ hash) >> 32 == 0, isMatch(UInt32(truncatingIfNeeded: slot)) {
        return UInt32(truncatingIfNeeded: slot)
      }
      index = (index + 1) & mask
    }
    return nil
  }

  /// Adds the next id.
  ///
  /// Complexity: O(1) amortised, and as many calls of `hashOf`.
  ///
  /// - Parameters:
  ///   - hash: the hash of the next id.
  ///   - hashOf: the hash of an id that is in the table.
  mutating func add(_ hash: UInt64, hashOf: (UInt32) -> UInt64) {
    if 2 * (count + 1) > slots.count {
      slots = Array(repeating: 0, count: max(16, 2 * slots.count))
      for id in 0..<count { place(UInt32(id + 1), hashOf(UInt32(id + 1))) }
    }
    count += 1
    place(UInt32(count), hash)
  }

  /// Takes the id that was added last away; `hash` is its hash.
  mutating func removeLast(_ hash: UInt64) {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while UInt32(truncatingIfNeeded: slots[index]) != UInt32(count) { index = (index + 1) & mask }
    slots[index] = 0
    count -= 1
  }

  private mutating func place(_ id: UInt32, _ hash: UInt64) {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while slots[index] != 0 { index = (index + 1) & mask }
    slots[index] = hash & ~0xffff_ffff | UInt64(id)
  }
}
