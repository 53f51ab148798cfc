extension UInt64 {
  /// The sum, or the greatest number if it would overflow: a log may claim any count.
  package func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

extension Int {
  /// The greatest count of a report: one that claims more is refused.
  package static var greatestCount: Int { 1 << 48 }

  /// The sum of two counts up to ``greatestCount``, or that: many reports may claim more together.
  package func addingCount(_ other: Int) -> Int {
    Swift.min(self + other, Self.greatestCount)
  }
}
