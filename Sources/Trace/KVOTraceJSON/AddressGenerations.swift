import KVOTrace

/// Numbers the objects of a log that names them by address alone.
///
/// Every address gets the next number when it is first seen, and again when it is first seen after the `deinitEnd` of
/// the object that had it. The numbers run through the whole log and are never reused.
///
/// A log that was converted spells such a number as an id, `"@7"`: it is that number again. In a log with both, those
/// that come second are numbered from ``distance`` on, so that two objects never have the same number. Nothing is
/// stored for an id: memory is bounded by the addresses in use.
struct AddressGenerations {
  private var live: [UInt64: UInt64] = [:]
  /// The number of the address that was seen last; nil: none was seen.
  private var last: UInt64?
  /// What is added to the numbers that the log spells; nil: it spells none.
  private var offset: UInt64?

  /// More objects than a log has.
  static let distance: UInt64 = 1_000_000_000_000

  mutating func id(at address: UInt64) -> ObjectID {
    if let number = live[address] { return ObjectID(generation: number) }
    let number = (last ?? (offset == nil ? 0 : Self.distance)) + 1
    last = number
    live[address] = number
    return ObjectID(generation: number)
  }

  mutating func end(_ address: UInt64) {
    live[address] = nil
  }

  /// The object whose id is spelled `text`; nil: that is not the spelling of a reader's number.
  mutating func id(spelled text: String) -> ObjectID? {
    guard text.hasPrefix("@"), let number = UInt64(text.dropFirst()), number < Self.distance,
      text == "@\(number)"
    else { return nil }
    let offset = self.offset ?? (last == nil ? 0 : Self.distance)
    self.offset = offset
    return ObjectID(generation: number + offset)
  }
}
