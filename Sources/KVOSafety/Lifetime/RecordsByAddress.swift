internal import KVORules

/// The records of objects, by address.
///
/// Complexity: O(1) amortized for looking up, adding and removing; a lookup costs less than that of a dictionary.
struct RecordsByAddress: Sendable {
  private var positions = WordTable()
  /// Nil where a record was removed.
  private var records: [ObjectRecord?] = []
  private var free: [Int] = []

  /// The records, in no particular order.
  var all: [ObjectRecord] { records.compactMap(\.self) }

  subscript(address: UInt) -> ObjectRecord? {
    get {
      let position = positions.find(UInt64(address))
      return position < 0 ? nil : records[position]
    }
    set {
      let known = positions.find(UInt64(address))
      guard let newValue else {
        guard known >= 0 else { return }
        positions.remove(UInt64(address))
        records[known] = nil
        free.append(known)
        return
      }
      if known >= 0 {
        records[known] = newValue
      } else if let position = free.popLast() {
        records[position] = newValue
        positions.set(UInt64(address), position)
      } else {
        positions.set(UInt64(address), records.count)
        records.append(newValue)
      }
    }
  }
}
