import Testing

/// Has a probe record numbered events, and knows the last number.
struct EventNumbers {
  private let probe: DrivenChild
  private(set) var last: UInt64 = 0

  init(_ probe: DrivenChild) { self.probe = probe }

  /// Records as many events on the probe's main thread.
  mutating func record(_ count: UInt64) throws {
    try #require(try probe.tell("plain \(last + 1) \(last + count)") == "done")
    last += count
  }

  /// Records until the log is in its part `number`.
  ///
  /// A recorder that failed to begin a part tries again after a while, and not at each event.
  mutating func record(untilPart number: Int) throws {
    for _ in 0..<100_000 {
      try record(100)
      if try probe.tell("part") == "\(number)" { return }
    }
    Issue.record("no part \(number) after \(last) events")
  }
}
