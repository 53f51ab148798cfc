import KVORules

/// Up to four indices into an array, without heap memory.
///
/// Complexity: O(1) for every operation.
struct FewSlots: Sendable {
  static let capacity = 4

  // -1 if there is none.
  private var slots = SIMD4<Int32>(repeating: -1)

  /// The members, in no order.
  var all: [Int] { slots.indices.map { Int(slots[$0]) }.filter { $0 >= 0 } }

  /// Adds `slot`, which must not be negative or a member, if one is free.
  ///
  /// - Returns: whether a slot was free.
  mutating func insert(_ slot: Int32) -> Bool {
    // Removed members leave gaps.
    for at in slots.indices where slots[at] < 0 {
      slots[at] = slot
      return true
    }
    return false
  }

  /// Removes `slot`.
  ///
  /// - Returns: whether it was a member.
  mutating func remove(_ slot: Int32) -> Bool {
    let isSlot = slots .== slot
    guard any(isSlot) else { return false }
    slots.replace(with: -1, where: isSlot)
    return true
  }
}
