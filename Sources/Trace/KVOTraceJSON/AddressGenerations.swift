import KVOTrace

/// Numbers the objects of a log that names them by address alone.
///
/// Every address gets the next number when it is first seen, and again when it is first seen after the `deinitEnd` of
/// the object that had it. The numbers run through the whole log and are never reused.
struct AddressGenerations {
  private var live: [UInt64: UInt64] = [:]
  private var last: UInt64 = 0

  mutating func id(at address: UInt64) -> ObjectID {
    if let number = live[address] { return ObjectID(generation: number) }
    last += 1
    live[address] = last
    return ObjectID(generation: last)
  }

  mutating func end(_ address: UInt64) {
    live[address] = nil
  }
}
