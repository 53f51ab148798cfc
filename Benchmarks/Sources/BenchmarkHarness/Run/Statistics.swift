/// The median and quartiles of some values.
package struct Statistics: Hashable, Sendable {
  package var median: Double
  /// A quarter of the values are not above this one.
  package var lowerQuartile: Double
  /// A quarter of the values are not below this one.
  package var upperQuartile: Double

  /// Returns nil if there are no values.
  ///
  /// Complexity: O(n log n).
  package init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    median = Self.quantile(0.5, of: sorted)
    lowerQuartile = Self.quantile(0.25, of: sorted)
    upperQuartile = Self.quantile(0.75, of: sorted)
  }

  /// Interpolates if the quantile is between two values.
  private static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    let position = share * Double(sorted.count - 1)
    let index = Int(position)
    let next = min(index + 1, sorted.count - 1)
    return sorted[index] + (sorted[next] - sorted[index]) * (position - Double(index))
  }
}
