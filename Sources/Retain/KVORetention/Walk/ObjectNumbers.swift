/// The numbers of some objects, by address.
///
/// A hash table with open addressing, at most half full; it takes 8 to 16 bytes per object.
struct ObjectNumbers: ~Copyable {
  /// Numbers plus one; 0 in an empty slot.
  private let slots: UnsafeMutablePointer<UInt32>
  private let addresses: UnsafeMutablePointer<UInt>
  private let mask: Int

  /// - Parameter addresses: the objects in the order of their numbers. Must outlive this table.
  init(of addresses: borrowing GrowingList<UInt>) {
    var capacity = 64
    while capacity < addresses.count * 2 { capacity *= 2 }
    mask = capacity - 1
    self.addresses = addresses.start
    slots = .allocate(capacity: capacity)
    slots.initialize(repeating: 0, count: capacity)
    for number in 0..<addresses.count {
      var slot = slot(of: addresses[number])
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number) + 1
    }
  }

  deinit { slots.deallocate() }

  /// The number of the object at `address`, or nil if it has none.
  @inline(__always)
  subscript(address: UInt) -> UInt32? {
    var slot = slot(of: address)
    while slots[slot] != 0 {
      let number = slots[slot] - 1
      if addresses[Int(number)] == address { return number }
      slot = (slot + 1) & mask
    }
    return nil
  }

  @inline(__always)
  private func slot(of address: UInt) -> Int {
    Int(truncatingIfNeeded: (address >> 3) &* 0x9E37_79B9_7F4A_7C15 >> 32) & mask
  }
}
