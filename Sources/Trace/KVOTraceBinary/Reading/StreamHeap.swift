import KVOTrace

/// Streams in the order of their keys, those with one key in the order of their ranks.
///
/// A binary heap in which only the first one changes.
struct StreamHeap {
  private var streams: [(rank: Int, stream: SegmentStream)] = []

  /// Adds streams in the order of their ranks.
  ///
  /// Complexity: O(n).
  init(_ all: [SegmentStream]) {
    streams = all.enumerated().map { (rank: $0.offset, stream: $0.element) }
    for index in stride(from: streams.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  /// The stream that comes first, or nil.
  var first: SegmentStream? { streams.first?.stream }

  /// The key up to which the first one stays first, and whether it does at that key, too.
  ///
  /// Complexity: O(1).
  var limit: (key: UInt64, isIncluded: Bool) {
    guard streams.count > 1 else { return (.max, true) }
    let second = streams.count > 2 && isBefore(2, 1) ? 2 : 1
    return (streams[second].stream.key, streams[0].rank < streams[second].rank)
  }

  /// Puts the first one, which has advanced, where it belongs.
  ///
  /// Complexity: O(log n).
  mutating func update() {
    if streams[0].stream.position == .end {
      streams[0] = streams[streams.count - 1]
      streams.removeLast()
    }
    sink(0)
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    let keys = (streams[left].stream.key, streams[right].stream.key)
    return keys.0 == keys.1 ? streams[left].rank < streams[right].rank : keys.0 < keys.1
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < streams.count && isBefore(child, least) { least = child }
      if least == index { return }
      streams.swapAt(index, least)
      index = least
    }
  }
}
