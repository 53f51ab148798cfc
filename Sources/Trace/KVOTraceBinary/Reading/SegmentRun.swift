import KVOTrace

/// A segment among those of its thread, or of the tables, and how it follows the previous one.
struct SegmentRun {
  var entry: SegmentIndex.Entry
  /// How many segments are missing before it.
  var missingCount: Int
  /// Whether a segment with its index was seen already.
  var isRepeated: Bool

  /// Puts the segments of one thread, or the tables, in order.
  ///
  /// Complexity: O(n log n).
  static func runs(of entries: [SegmentIndex.Entry]) -> [SegmentRun] {
    // The sort is stable: of two with the same index, the first in the file counts.
    let sorted = entries.sorted { $0.header.index < $1.header.index }
    var expected = 0
    return sorted.map { entry in
      let index = Int(entry.header.index)
      let run = SegmentRun(
        entry: entry,
        missingCount: max(0, index - expected),
        isRepeated: index < expected
      )
      expected = max(expected, index + 1)
      return run
    }
  }

  /// The problem before the segment or in it, or nil.
  func problem(of owner: String, _ clock: LogClock, from: UInt64?) -> BinaryLogProblem? {
    let index = Int(entry.header.index)
    if isRepeated {
      return BinaryLogProblem(
        offset: entry.offset,
        message: "a second segment \(index) of \(owner); the first counts"
      )
    }
    guard missingCount > 0 else { return nil }
    let first = index - missingCount
    let which =
      missingCount == 1 ? "segment \(first)" : "segments \(first) to \(index - 1)"
    return BinaryLogProblem(
      offset: entry.offset,
      from: from,
      to: entry.header.base.tick == 0 ? nil : clock.nanoseconds(of: entry.header.base.tick),
      message: "\(which) of \(owner) \(missingCount == 1 ? "is" : "are") missing"
    )
  }
}
