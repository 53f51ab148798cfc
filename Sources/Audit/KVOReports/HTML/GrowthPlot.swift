import KVOReplay
internal import KVORules
import KVOText

/// How many registrations the runs of a scope left live, as bars.
struct GrowthPlot: Hashable {
  static let height = 84.0
  static let gap = 6.0
  /// How wide the bars are when there are few, and when there are many.
  static let barWidths = (few: 34.0, many: 10.0)
  /// The width of a digit.
  private static let digitWidth = 7.6

  struct Bar: Hashable {
    var x: Double
    var y: Double
    var height: Double
    var count: Int
    var run: Int
    /// Whether there is space for its numbers.
    var isLabeled: Bool
  }

  let bars: [Bar]
  let barWidth: Double
  let width: Double

  init(_ points: [RunSeries.Point]) {
    let most = Double(max(1, points.map(\.count).max() ?? 1))
    barWidth = points.count <= 16 ? Self.barWidths.few : Self.barWidths.many
    let pitch = barWidth + Self.gap
    let digitCount = points.map { max(Wording.grouped($0.count).count, "\($0.run)".count) }.max()
    let room = Double(digitCount ?? 0) * Self.digitWidth + Self.gap
    let step = max(1, Int((room / pitch).rounded(.up)))
    var bars: [Bar] = []
    for (index, point) in points.enumerated() {
      let height = Self.height * Double(max(0, point.count)) / most
      // Counted from the last one, which always has its numbers.
      let isLabeled = (points.count - 1 - index).isMultiple(of: step)
      bars.append(
        Bar(
          x: Double(index) * pitch,
          y: Self.height - height,
          height: height,
          count: point.count,
          run: point.run,
          isLabeled: isLabeled
        )
      )
    }
    self.bars = bars
    // The numbers of the first and the last bar may be wider than these.
    width = max(0, Double(bars.count) * pitch - Self.gap) + room
  }
}
