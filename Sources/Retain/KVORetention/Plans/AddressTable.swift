/// A hash table by address, for lookups that a walk makes for every object.
///
/// Open addressing, at most half full. Entries are never removed.
struct AddressTable<Value> {
  private var keys: UnsafeMutablePointer<UInt>
  private var values: UnsafeMutablePointer<Value>
  private var mask: Int
  private(set) var count = 0

  /// A table that lives as long as the process: memory is freed only when the table grows.
  init() {
    mask = 255
    keys = Self.emptyKeys(256)
    values = .allocate(capacity: 256)
  }

  subscript(address: UInt) -> Value? {
    @inline(__always)
    get {
      var index = Self.slot(of: address, mask)
      while keys[index] != 0 {
        if keys[index] == address { return values[index] }
        index = (index + 1) & mask
      }
      return nil
    }
    set {
      guard let newValue, address != 0 else { return }
      if (count + 1) * 2 > mask + 1 { grow() }
      insert(address, newValue)
    }
  }

  @inline(__always)
  private static func slot(of address: UInt, _ mask: Int) -> Int {
    Int(truncatingIfNeeded: (address >> 3) &* 0x9E37_79B9_7F4A_7C15 >> 32) & mask
  }

  private mutating func insert(_ address: UInt, _ value: Value) {
    var index = Self.slot(of: address, mask)
    while keys[index] != 0 {
      if keys[index] == address {
        values[index] = value
        return
      }
      index = (index + 1) & mask
    }
    keys[index] = address
    (values + index).initialize(to: value)
    count += 1
  }

  private mutating func grow() {
    let (oldKeys, oldValues, oldMask) = (keys, values, mask)
    mask = mask * 2 + 1
    keys = Self.emptyKeys(mask + 1)
    values = .allocate(capacity: mask + 1)
    count = 0
    for index in 0...oldMask where oldKeys[index] != 0 {
      insert(oldKeys[index], (oldValues + index).move())
    }
    oldKeys.deallocate()
    oldValues.deallocate()
  }

  private static func emptyKeys(_ capacity: Int) -> UnsafeMutablePointer<UInt> {
    let keys = UnsafeMutablePointer<UInt>.allocate(capacity: capacity)
    keys.initialize(repeating: 0, count: capacity)
    return keys
  }
}
