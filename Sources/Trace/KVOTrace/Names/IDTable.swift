/// Finds the ids of things by their hash: open addressing, one word a slot.
///
/// It holds no things, only ids and half of their hashes; its owner decides whether an id matches. Ids are added in the
/// order 1, 2, 3, …, and removed in the opposite order, so that the slots are always those of a table to which the
/// current ids were added one by one. Removing the last one then leaves no gap in another id's probe sequence.
struct IDTable: Sendable {
  /// The upper half of the hash over the id; 0 if the slot is free.
  private var slots: [UInt64] = []
  private(set) var count = 0

  /// The id with `hash` for which `isMatch` returns true, or nil.
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
  /// Complexity: O(1) amortized, and as many calls of `hashOf`.
  ///
  /// - Parameters:
  ///   - hash: the hash of the next id.
  ///   - hashOf: the hash of an id that is in the table.
  mutating func add(_ hash: UInt64, hashOf: (UInt32) -> UInt64) {
    if 2 * (count + 1) > slots.count {
      slots = Array(repeating: 0, count: max(16, 2 * slots.count))
      for id in 0..<count { insert(UInt32(id + 1), hashOf(UInt32(id + 1))) }
    }
    count += 1
    insert(UInt32(count), hash)
  }

  /// Removes the id that was added last; `hash` is its hash.
  mutating func removeLast(_ hash: UInt64) {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while UInt32(truncatingIfNeeded: slots[index]) != UInt32(count) { index = (index + 1) & mask }
    slots[index] = 0
    count -= 1
  }

  private mutating func insert(_ id: UInt32, _ hash: UInt64) {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while slots[index] != 0 { index = (index + 1) & mask }
    slots[index] = hash & ~0xffff_ffff | UInt64(id)
  }
}
