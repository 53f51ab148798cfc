import KVOTrace
import KVOTraceBinary
import KVOTraceJSON
import Testing

@Suite("What is written in the binary form is read back") struct BinaryRoundTripTests {
  @Test("10,000 random logs come back equal", arguments: 0..<100 as Range<UInt64>)
  func randomLogs(block: UInt64) {
    for seed in block * 100..<(block + 1) * 100 {
      var source = RandomEvents(seed: seed)
      let count = Int.random(in: 0...12, using: &source.random)
      let events = (0..<count).map { _ in
        source.event(kind: Int.random(in: 0..<RandomEvents.bodyCount, using: &source.random))
      }
      let log = BinaryReading.log(events, names: source.names)
      // With the writer's names to begin with, equal texts have equal ids.
      let reading = BinaryReading(log, names: source.names)
      #expect(reading.events == events, "seed \(seed)")
      #expect(reading.problems == [], "seed \(seed)")
      #expect(reading.summary.isWhole)
    }
  }

  @Test("Every kind of event comes back equal", arguments: 0..<20 as Range<UInt64>)
  func everyKind(seed: UInt64) {
    var source = RandomEvents(seed: seed)
    let events = (0..<RandomEvents.bodyCount).map { source.event(kind: $0) }
    let reading = BinaryReading(
      BinaryReading.log(events, names: source.names, segmentByteCount: 4096),
      names: source.names
    )
    #expect(reading.events == events)
    #expect(reading.events.map(\.body.name) == Event.Body.names)
    #expect(reading.summary.eventCount == RandomEvents.bodyCount)
    #expect(reading.summary.lostSegmentCount == 0)
  }

  @Test("JSON Lines of a binary log are those from which it was made", arguments: 0..<100)
  func throughJSON(seed: UInt64) {
    var source = RandomEvents(seed: seed)
    var lines: [UInt8] = []
    for kind in 0..<RandomEvents.bodyCount {
      JSONLinesWriter.append(source.event(kind: kind), names: source.names, to: &lines)
    }
    let text = Reading(lines)
    let binary = BinaryReading(BinaryReading.log(text.events, names: text.reader.names))
    #expect(String(decoding: binary.lines, as: UTF8.self) == String(decoding: lines, as: UTF8.self))
    let again = Reading(binary.lines, names: binary.reader.names)
    #expect(again.problems == [])
    #expect(again.events == binary.events)
  }

  @Test("Key paths of one text share their memory: a few bytes name one of megabytes again")
  func sharedPaths() throws {
    var names = TraceNames()
    let path = names.affectingPath("owner.name")
    let declaration = KeyDeclaration(
      className: names.id(of: "A"),
      superclass: .none,
      key: names.id(of: "title"),
      affectedBy: [path, path],
      isManual: false,
      problem: nil
    )
    let events = Array(repeating: Event(.declares(declaration)), count: 2)
    let reading = BinaryReading(BinaryReading.log(events, names: names), names: names)
    #expect(reading.events == events)
    let found = reading.events.flatMap { event -> [AffectingPath] in
      if case .declares(let read) = event.body { read.affectedBy } else { [] }
    }
    try #require(found.count == 4)
    let addresses = found.map { path in
      path.keys.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
    #expect(Set(addresses).count == 1)
  }

  @Test("Numbers of every length come back")
  func numbers() {
    let names = TraceNames()
    var events: [Event] = []
    for shift in 0..<64 as Range<UInt64> {
      for number in [1 << shift - 1, 1 << shift, UInt64.max >> shift] as [UInt64] {
        events.append(Event(.dropped(count: number, why: .none), time: number, order: number))
        events.append(Event(.exit(status: Int(truncatingIfNeeded: number))))
        events.append(Event(.lock(Identifier(number & (1 << 62 - 1)))))
      }
    }
    #expect(BinaryReading(BinaryReading.log(events, names: names)).events == events)
  }

  @Test("Numbers that a reader gave stay apart from those that a log spells")
  func generations() {
    var names = TraceNames()
    let name = names.id(of: "Account")
    let events = [ObjectID(7), ObjectID(generation: 7), ObjectID(named: names.id(of: "@7x"))].map {
      Event(.deinit(ObjectRef(id: $0, className: name)))
    }
    let reading = BinaryReading(BinaryReading.log(events, names: names), names: names)
    #expect(reading.events == events)
    #expect(
      String(decoding: reading.lines, as: UTF8.self) == """
        {"event":"deinit","object":{"class":"Account","id":"7"}}
        {"event":"deinit","object":{"class":"Account","id":"@7"}}
        {"event":"deinit","object":{"class":"Account","id":"@7x"}}

        """
    )
  }

  @Test(
    "Objects known by address keep their numbers through conversions, beside ids that look like them",
    arguments: [true, false]
  )
  func convertedGenerations(takesCanonicalLines: Bool) {
    let byAddress = #"{"event":"deinit","object":{"class":"A","address":"0x10"}}"#
    let other = #"{"event":"deinit","object":{"class":"A","address":"0x20"}}"#
    let byName = ["@1", "@01", "@@1", "@x", "@"].map {
      #"{"event":"deinit","object":{"class":"A","id":"\#($0)"}}"#
    }
    let logs = [
      [byAddress, other, byAddress], [byAddress] + byName + [other], byName + [byAddress],
    ]
    for log in logs {
      func reading(_ lines: [UInt8]) -> Reading {
        Reading(lines, takesCanonicalLines: takesCanonicalLines)
      }
      let first = reading(Array((log.joined(separator: "\n") + "\n").utf8))
      #expect(first.problems == [])
      let events = first.events
      #expect(Set(events.map(\.body)).count == Set(log).count)
      let binary = BinaryReading.log(events, names: first.reader.names)
      let lines = BinaryReading(binary, names: first.reader.names).lines
      let second = reading(lines)
      let spellings = second.events.map { event -> String in
        guard case .deinit(let object) = event.body else { return "" }
        return second.reader.names.text(of: object.id)
      }
      #expect(Set(second.events.map(\.body)).count == Set(log).count, "\(spellings)")
      let again = BinaryReading.log(second.events, names: second.reader.names)
      #expect(BinaryReading(again, names: second.reader.names).lines == lines)
    }
  }

  @Test("A text and a stack that are longer than a segment have a segment of their size")
  func largeNames() {
    var names = TraceNames()
    let text = String(repeating: "long ", count: 100_000)
    let stack = names.id(of: (0..<50_000).map { Frame(address: $0 &* 0x9e37_79b9_7f4a_7c15) })
    let events = [
      Event(.threadName(names.id(of: text)), thread: Identifier(1), stack: stack),
      Event(
        .walkEnd(isComplete: true, opaque: [StringID](repeating: names.id(of: "x"), count: 200_000))
      ),
      Event(.exit(status: -1)),
    ]
    let log = BinaryReading.log(events, names: names, segmentByteCount: 4096)
    #expect(log.count % BinaryFormat.pageByteCount == 0)
    let reading = BinaryReading(log, names: names)
    #expect(reading.events == events)
    #expect(reading.summary.isWhole)
  }

  @Test("A log without events is a header")
  func empty() {
    let log = BinaryReading.log([], names: TraceNames())
    #expect(log.count == BinaryFormat.pageByteCount)
    let reading = BinaryReading(log)
    #expect(reading.events == [])
    #expect(reading.problems == [])
    #expect(reading.reader.header?.session == 0x5e55)
    #expect(reading.reader.header?.part == 1)
  }
}
