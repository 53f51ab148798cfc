import KVOTrace
import KVOTraceJSON
import TestSupport
import Testing

@Suite("A damaged log") struct DamagedLogTests {
  /// A random event of every kind, line by line, and the events.
  private static let (lines, events, names): ([[UInt8]], [Event], TraceNames) = {
    var source = RandomEvents(seed: 7)
    var lines: [[UInt8]] = []
    var events: [Event] = []
    for kind in 0..<RandomEvents.bodyCount {
      let event = source.event(kind: kind)
      events.append(event)
      var line: [UInt8] = []
      JSONLinesWriter.append(event, names: source.names, to: &line)
      lines.append(line)
    }
    return (lines, events, source.names)
  }()

  private static var log: [UInt8] { lines.flatMap { $0 } }

  @Test("cut at any byte has every line before the cut, and reports that the last one is torn")
  func truncation() {
    let log = Self.log
    var ends: [Int] = []
    for line in Self.lines { ends.append((ends.last ?? 0) + line.count) }
    for cut in 0...log.count {
      let reading = Reading(Array(log[..<cut]), names: Self.names)
      // A line without its newline is whole.
      let wholeCount = ends.count { $0 - 1 <= cut }
      let isTorn = cut != 0 && !ends.contains(cut) && !ends.contains(cut + 1)
      #expect(reading.events == Array(Self.events[..<wholeCount]), "cut at \(cut)")
      let column = cut - (ends.last { $0 <= cut } ?? 0) + 1
      #expect(
        reading.problems
          == (isTorn
            ? ["\(wholeCount + 1):\(column): the log ends in the middle of a line"] : []),
        "cut at \(cut)"
      )
    }
  }

  @Test("with a random byte changed loses no line but the one that was hit", arguments: 0..<10)
  func flips(block: UInt64) {
    var random = SplitMix64(seed: block)
    for _ in 0..<1000 {
      let hit = Int.random(in: 1..<Self.lines.count - 1, using: &random)
      var line = Self.lines[hit]
      let position = Int.random(in: line.indices, using: &random)
      line[position] ^= UInt8.random(in: 1...255, using: &random)
      let reading = Reading(
        Self.lines[hit - 1] + line + Self.lines[hit + 1],
        names: Self.names
      )
      let comment: Comment = "byte \(position) of line \(hit + 1) became \(line[position])"
      #expect(reading.events.first == Self.events[hit - 1], comment)
      // Without its newline the line takes the next one along.
      if position != line.count - 1 {
        #expect(reading.events.last == Self.events[hit + 1], comment)
      }
    }
  }

  @Test("in any chunks is the same log", arguments: [1, 2, 3, 7, 64, 1000])
  func chunks(size: Int) {
    #expect(Reading(Self.log, names: Self.names, chunkSize: size).events == Self.events)
  }

  @Test("with mixed line ends and blank lines keeps its line numbers", arguments: [1, 2, 3, 1000])
  func lineEnds(chunkSize: Int) {
    let exit = #"{"event":"exit","status":0}"#
    let reading = Reading(
      "\u{feff}\(exit)\r\n\(exit)\r\(exit)\n\r\n \t\n\(exit)\r\r\(exit)\n\n\u{feff}\(exit)",
      chunkSize: chunkSize
    )
    #expect(reading.problems == [])
    #expect(reading.lines == [1, 2, 3, 6, 8, 10])
  }

  @Test("with a line over the limit skips that line alone", arguments: [1, 5, 1000])
  func overlong(chunkSize: Int) {
    let exit = #"{"event":"exit","status":0}"#
    let reading = Reading(
      Array("\(exit)\n\(exit)\(String(repeating: " ", count: 40))\n\(exit)\n\(exit)\(exit)".utf8),
      chunkSize: chunkSize,
      lineByteLimit: 50
    )
    #expect(reading.lines == [1, 3])
    #expect(
      reading.problems == [
        "2:1: the line is longer than 50 bytes and was skipped",
        "4:1: the line is longer than 50 bytes and was skipped",
      ]
    )
  }

  @Test(
    "with hostile lines is read to its end",
    arguments: [
      Array(String(repeating: "[", count: 100_000).utf8),
      Array((String(repeating: "{\"a\":", count: 100_000)).utf8),
      Array(
        (#"{"event":"exit","x":"# + String(repeating: "[", count: 400)
          + String(repeating: "]", count: 400)).utf8
      ),
      [0], [0, 0, 0, 0], [0xff, 0xfe], [0xef, 0xbb], [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d],
      Array(#"{"event":"\ud800\u"}"#.utf8), Array(#"{"event":"\u"}"#.utf8),
      Array(#"{"event":"exit","status":-}"#.utf8), Array(#"{"event":"exit","status":1e}"#.utf8),
      Array(#"{"event":"exit","status":1e999999999}"#.utf8),
      Array(#"{"event":"exit","status":9223372036854775808}"#.utf8),
      Array(
        ("{\"event\":\"exit\",\"status\":" + String(repeating: "9", count: 100_000) + "}").utf8
      ),
    ] as [[UInt8]]
  )
  func hostile(line: [UInt8]) {
    let exit = Array(#"{"event":"exit","status":0}"#.utf8)
    let reading = Reading(exit + [0x0a] + line + [0x0a] + exit)
    #expect(reading.lines == [1, 3])
    #expect(reading.problems.count == 1)
  }

  @Test("with a key twice in a line takes one of the two")
  func duplicateKeys() {
    let reading = Reading(#"{"event":"exit","status":1,"status":2}"#)
    #expect(reading.problems == [])
    #expect(
      reading.events.map(\.body) == [.exit(status: 1)]
        || reading.events.map(\.body) == [.exit(status: 2)]
    )
  }
}
