/// How many events there are in each of some equal spans of time.
///
/// The spans double as time goes on, so that there are never more than ``limit``.
package struct Timeline: Hashable, Sendable {
  package static let limit = 16

  /// The first time, in nanoseconds; nil if no event has one.
  package private(set) var start: UInt64?
  /// How long a span is, in nanoseconds.
  package private(set) var span: UInt64 = 1_000_000
  /// The events of each span, the first one from ``start`` on.
  package private(set) var counts: [Int] = []

  package init() {}

  /// Counts an event; one from before the first counts with it.
  ///
  /// Complexity: O(1) on average.
  package mutating func add(_ time: UInt64) {
    let first = start ?? time
    start = first
    let elapsed = time > first ? time - first : 0
    while elapsed / span >= UInt64(Self.limit) { double() }
    let index = Int(elapsed / span)
    while counts.count <= index { counts.append(0) }
    counts[index] += 1
  }

  private mutating func double() {
    counts = stride(from: 0, to: counts.count, by: 2).map { index in
      counts[index] + (index + 1 < counts.count ? counts[index + 1] : 0)
    }
    span *= 2
  }
}
