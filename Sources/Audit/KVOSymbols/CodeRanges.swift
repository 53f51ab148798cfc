import CElfutils

/// The addresses of an image's code.
struct CodeRanges {
  let ranges: [Range<UInt64>]

  /// Calls `body` with each range of the entry that lies in the image's code, in file addresses.
  ///
  /// Debug information of other addresses belongs to functions that the linker dropped.
  func forEachRange(of die: inout Dwarf_Die, _ body: (Range<UInt64>) -> Void) {
    var base: Dwarf_Addr = 0
    var low: Dwarf_Addr = 0
    var high: Dwarf_Addr = 0
    var offset = 0
    while true {
      let next = dwarf_ranges(&die, offset, &base, &low, &high)
      // The second condition ends the walk over a damaged list that does not advance.
      guard next > offset else { return }
      offset = next
      if low < high, contains(low..<high) { body(low..<high) }
    }
  }

  /// Whether the loader maps `address` as code.
  func contains(_ address: UInt64) -> Bool {
    ranges.contains { $0.contains(address) }
  }

  /// Whether all of `range` is code.
  func contains(_ range: Range<UInt64>) -> Bool {
    ranges.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
  }

  /// The ranges, ascending; those that overlap or touch as one.
  var merged: [Range<UInt64>] {
    var merged: [Range<UInt64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }
}
