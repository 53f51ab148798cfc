/// Which of many ranges of addresses is the innermost one at an address.
///
/// The ranges may nest, and damaged input may make them overlap: the one that starts last covers, of those that start
/// together the one that was added last; after its end the range around it covers again. They are flattened once, so
/// that a lookup is one binary search however deep they nest.
struct RangeMap {
  /// The value for "no range".
  static let none: Int32 = -1

  /// Where another range begins to be the innermost one, ascending.
  private(set) var starts: [UInt64] = []
  /// The value from the start of the same index up to the next one.
  private(set) var values: [Int32] = []

  struct Entry {
    var range: Range<UInt64>
    var value: Int32
  }

  init() {}

  /// Flattens `entries`, of which the outer ones are before those inside them.
  ///
  /// - Complexity: O(n log n); O(n) if the entries are sorted already.
  init(_ entries: [Entry]) {
    var entries = entries
    let isSorted = zip(entries, entries.dropFirst())
      .allSatisfy { $0.range.lowerBound <= $1.range.lowerBound }
    if !isSorted {
      // The standard library's sort is stable in fact but not by contract, hence the second key.
      let order = entries.indices.sorted {
        (entries[$0].range.lowerBound, $0) < (entries[$1].range.lowerBound, $1)
      }
      entries = order.map { entries[$0] }
    }
    starts.reserveCapacity(entries.count * 2)
    values.reserveCapacity(entries.count * 2)
    var open: [Entry] = []
    for entry in entries where !entry.range.isEmpty {
      close(&open, before: entry.range.lowerBound)
      open.append(entry)
      begin(entry.value, at: entry.range.lowerBound)
    }
    close(&open, before: .max)
  }

  /// The value of the innermost range at `address`, or ``none``.
  ///
  /// - Complexity: O(log n).
  subscript(address: UInt64) -> Int32 {
    let index = starts.partitionIndex { $0 > address } - 1
    return index < 0 ? Self.none : values[index]
  }

  private mutating func close(_ open: inout [Entry], before address: UInt64) {
    while let last = open.last, last.range.upperBound <= address {
      open.removeLast()
      while let outer = open.last, outer.range.upperBound <= last.range.upperBound {
        open.removeLast()
      }
      begin(open.last?.value ?? Self.none, at: last.range.upperBound)
    }
  }

  private mutating func begin(_ value: Int32, at address: UInt64) {
    if starts.last == address {
      values[values.count - 1] = value
    } else {
      starts.append(address)
      values.append(value)
    }
  }
}
