import KVORules

/// How many registrations the runs of a scope left behind, as bars.
struct GrowthPlot: Hashable {
  static let height = 84.0
  static let barWidth = 34.0
  static let gap = 10.0

  struct Bar: Hashable {
    var x: Double
    var y: Double
    var height: Double
    var count: Int
    /// The number of the run, 1-based.
    var run: Int
  }

  let bars: [Bar]
  let width: Double

  init(_ growth: Finding.Growth) {
    let most = Double(max(1, growth.counts.max() ?? 1))
    let firstRun = max(1, growth.runCount - growth.counts.count + 1)
    bars = growth.counts.enumerated().map { place, count in
      let height = Self.height * Double(max(0, count)) / most
      return Bar(
        x: Double(place) * (Self.barWidth + Self.gap),
        y: Self.height - height,
        height: height,
        count: count,
        run: firstRun + place
      )
    }
    width = max(0, Double(bars.count) * (Self.barWidth + Self.gap) - Self.gap)
  }
}
