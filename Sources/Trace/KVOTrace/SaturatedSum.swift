extension UInt64 {
  /// The sum, or the greatest number if it would overflow: a log may claim any count.
  package func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
