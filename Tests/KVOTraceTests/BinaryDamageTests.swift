import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@Suite("A damaged binary log") struct BinaryDamageTests {
  /// Some segments of random events with their names.
  private struct Sample {
    var events: [Event] = []
    var names: TraceNames
    var log: [UInt8]

    init(seed: UInt64, segmentByteCount: Int = 1024) {
      var source = RandomEvents(seed: seed)
      for kind in 0..<RandomEvents.bodyCount {
        var event = source.event(kind: kind)
        // Those of the header's count are distinguished from the log's own in this way.
        if case .dropped = event.body { event.body = .exit(status: 1) }
        events.append(event)
      }
      names = source.names
      log = BinaryReading.log(events, names: names, segmentByteCount: segmentByteCount)
    }

    /// Whether `found` are some of the events, in their order, but for lost stacks and what the
    /// reader adds of the header's count.
    func contains(_ found: [Event], ignoringStacks: Bool) -> Bool {
      var rest = events[...]
      for event in found {
        if case .dropped = event.body { continue }
        guard
          let place = rest.firstIndex(where: { original in
            var original = original
            if ignoringStacks, event.stack == .none { original.stack = .none }
            return original == event
          })
        else { return false }
        rest = rest[(place + 1)...]
      }
      return true
    }
  }

  private static let sample = Sample(seed: 11)

  @Test("cut at any byte has every segment before the cut, and is reported as cut")
  func truncation() {
    let sample = Sample(seed: 3)
    let whole = BinaryReading(sample.log, names: sample.names)
    #expect(whole.events == sample.events)
    // Every byte of the header, and in the short form every seventh of the segments.
    for cut in 0..<sample.log.count where cut <= 136 || cut % 7 == 0 || Rounds.areMany {
      let reading = BinaryReading(Array(sample.log[..<cut]), names: sample.names)
      let isIntact = sample.contains(
        reading.events,
        ignoringStacks: reading.summary.stacklessEventCount > 0
      )
      #expect(isIntact, "cut at \(cut)")
      #expect(reading.events.count == reading.summary.eventCount)
      if cut < 136 {
        #expect(reading.problems.map(\.message) == ["the log ends inside its header"])
      }
    }
  }

  @Test("in thousands of ways is read to its end, and whole segments are whole", arguments: 0..<100)
  func corruption(block: UInt64) {
    let sample = Self.sample
    var random = SplitMix64(seed: block)
    for round in 0..<Rounds.count(100) {
      let (damaged, isSilent) = Self.damage(sample.log, &random)
      let reading = BinaryReading(damaged, names: sample.names)
      let isIntact = sample.contains(
        reading.events,
        ignoringStacks: reading.summary.stacklessEventCount > 0
      )
      #expect(isIntact, "block \(block), round \(round)")
      let summary = reading.summary
      // The header's own count of losses, which nothing guards, may have been hit.
      let found = reading.events.count(where: { event in
        if case .dropped = event.body { false } else { true }
      })
      if found < sample.events.count {
        #expect(
          !summary.isWhole || isSilent,
          "block \(block), round \(round): lost without a word"
        )
      }
    }
  }

  /// The log with some damage, and whether that may look like a log that never had what is missing:
  /// the last segments of a thread may be cut off between two pages, or be zero.
  private static func damage(
    _ log: [UInt8],
    _ random: inout SplitMix64
  ) -> (log: [UInt8], isSilent: Bool) {
    var log = log
    var isSilent = false
    let page = BinaryFormat.pageByteCount
    let pageCount = log.count / page
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6:
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: log.indices, using: &random)
        log[place] ^= UInt8.random(in: 1...255, using: &random)
      }
    case 6, 7:
      let start = Int.random(in: 0..<pageCount, using: &random) * page
      log.replaceSubrange(start..<start + page, with: [UInt8](repeating: 0, count: page))
      isSilent = true
    case 8:
      let first = Int.random(in: 0..<pageCount, using: &random) * page
      let second = Int.random(in: 0..<pageCount, using: &random) * page
      let pages = (Array(log[first..<first + page]), Array(log[second..<second + page]))
      log.replaceSubrange(first..<first + page, with: pages.1)
      log.replaceSubrange(second..<second + page, with: pages.0)
    default:
      log.removeLast(Int.random(in: 1...log.count, using: &random))
      isSilent = true
    }
    return (log, isSilent)
  }

  @Test("whose sealed records are nonsense is read to its end", arguments: 0..<100)
  func hostileRecords(block: UInt64) {
    var random = SplitMix64(seed: block)
    var readCount = 0
    var problemCount = 0
    for _ in 0..<100 {
      var log = BinaryFileHeader(isSerial: Bool.random(using: &random), session: 1).bytes
      for type in [BinaryFormat.SegmentType.tables, .events] {
        // Mostly small numbers, so that many records begin well.
        let records = (0..<Int.random(in: 1...400, using: &random)).map { _ in
          UInt8.random(in: 0...(Bool.random(using: &random) ? 255 : 52), using: &random)
        }
        log += BinarySegmentHeader.sealed(records, type: type, index: 0)
      }
      let reading = BinaryReading(log)
      #expect(reading.events.count <= 800)
      readCount += reading.events.count
      problemCount += reading.problems.count
    }
    // Some records are good by chance, and what is not is said.
    #expect(readCount > 0)
    #expect(problemCount > 0)
  }

  @Test("with counts and sizes beyond all bounds takes no memory for them")
  func hostileCounts() {
    let huge: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]
    for kind in BinaryFormat.Record.allCases {
      for prefix in 0...6 {
        let records = [kind.rawValue] + [UInt8](repeating: 0, count: prefix) + huge + huge
        for type in [BinaryFormat.SegmentType.tables, .events] {
          let log =
            BinaryFileHeader(isSerial: true, session: 1).bytes
            + BinarySegmentHeader.sealed(records, type: type, index: 0)
          #expect(BinaryReading(log).events.count <= records.count)
        }
      }
    }
    // A segment that says that it is 4 GiB long.
    let long = BinarySegmentHeader(byteCount: 0xffff_f000, type: .events, index: .max).bytes
    let log = BinaryFileHeader(isSerial: true, session: 1).bytes + long + [0, 0, 0, 0]
    #expect(
      BinaryReading(log).course == [
        "4164: the file ends in the middle of the log: it was cut, or is still being copied",
        "4096: segments 0 to 4294967294 of the events are missing",
        "4164: the log ends inside segment 4294967295 of the events",
      ]
    )
  }
}
