import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@Suite("The clock of a binary log") struct LogClockTests {
  /// The time of the one event of a log whose clock has two readings.
  private func time(
    of tick: UInt64,
    start: (UInt64, UInt64),
    later: (UInt64, UInt64)
  ) -> UInt64? {
    let names = TraceNames()
    var encoder = BinaryRecordEncoder()
    encoder.append(Event(.exit(status: 0), time: tick), names: names)
    let header = BinaryFileHeader(
      isSerial: false,
      session: 1,
      start: BinaryFileHeader.Moment(tick: start.0, nanoseconds: start.1),
      later: BinaryFileHeader.Moment(tick: later.0, nanoseconds: later.1)
    )
    let log =
      header.bytes + BinarySegmentHeader.sealed(encoder.takeBytes(), type: .events, index: 0)
    return BinaryReading(log).events.first?.time
  }

  @Test("turns ticks into nanoseconds between and beyond its readings, rounded down")
  func rate() {
    let start: (UInt64, UInt64) = (1000, 50)
    let later: (UInt64, UInt64) = (4000, 1050)
    #expect(time(of: 1000, start: start, later: later) == 50)
    #expect(time(of: 1001, start: start, later: later) == 50)
    #expect(time(of: 1003, start: start, later: later) == 51)
    #expect(time(of: 4000, start: start, later: later) == 1050)
    #expect(time(of: 4005, start: start, later: later) == 1051)
    #expect(time(of: 999, start: start, later: later) == 49)
    #expect(time(of: 0, start: start, later: later) == 0)
    #expect(time(of: .max, start: (0, 0), later: (1, 2)) == .max)
    #expect(time(of: 12, start: (10, 7), later: (10, 9)) == 9)
  }

  @Test("is exact to the nanosecond", arguments: 0..<20 as Range<UInt64>)
  func exact(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      let ticks = random.next() >> UInt64.random(in: 0...63, using: &random) | 1
      let nanoseconds = random.next() >> UInt64.random(in: 0...63, using: &random) | 1
      let tick = random.next() >> UInt64.random(in: 0...63, using: &random)
      let product = tick.multipliedFullWidth(by: nanoseconds)
      let expected =
        product.high >= ticks ? UInt64.max : ticks.dividingFullWidth(product).quotient
      let found = time(of: tick, start: (0, 0), later: (ticks, nanoseconds))
      #expect(found == expected, "\(tick) of \(ticks) ticks in \(nanoseconds) ns")
    }
  }
}
