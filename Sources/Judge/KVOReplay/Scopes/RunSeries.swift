import KVORules

/// A number for each run of something, of which no more than ``limit`` are kept.
///
/// If there are more, every second one is dropped, repeatedly, so that the kept ones are equally spaced; the last one
/// is always kept.
package struct RunSeries: Hashable, Sendable {
  package struct Point: Hashable, Sendable {
    /// The number of the run, from 1.
    package var run: Int
    package var count: Int

    package init(run: Int, count: Int) {
      self.run = run
      self.count = count
    }
  }

  package static let limit = 64

  private var kept: [Point] = []
  private var step = 1
  private var last: Point?

  package init() {}

  /// In the order of the runs.
  package var points: [Point] {
    guard let last, last != kept.last else { return kept }
    return kept + [last]
  }

  /// Adds the number of a run, which is later than all others.
  ///
  /// Complexity: O(1) amortized.
  package mutating func append(_ count: Int, run: Int) {
    let point = Point(run: run, count: count)
    last = point
    guard let first = kept.first else {
      kept = [point]
      return
    }
    guard (run - first.run).isMultiple(of: step) else { return }
    if kept.count == Self.limit {
      step *= 2
      kept = kept.filter { ($0.run - first.run).isMultiple(of: step) }
      guard (run - first.run).isMultiple(of: step) else { return }
    }
    kept.append(point)
  }
}
