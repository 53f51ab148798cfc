import KVOTrace
import KVOTraceJSON
import TestSupport
import Testing

/// What two readers made of the same bytes: one takes canonical lines without a parser, the other
/// parses all of them.
private struct BothReadings {
  let fast: Reading
  let slow: Reading

  init(_ bytes: [UInt8], chunkSize: Int = .max, lineByteLimit: Int = 1 << 20) {
    (fast, slow) = (
      Reading(bytes, chunkSize: chunkSize, lineByteLimit: lineByteLimit),
      Reading(bytes, lineByteLimit: lineByteLimit, takesCanonicalLines: false)
    )
  }

  /// The first thing in which the two differ, or nil.
  var difference: String? {
    for (mine, other) in zip(zip(fast.lines, fast.events), zip(slow.lines, slow.events))
    where mine != other {
      return "\(mine)\nis not\n\(other)"
    }
    if fast.events.count != slow.events.count { return "\(fast.lines)\nis not\n\(slow.lines)" }
    for (mine, other) in zip(fast.problems, slow.problems)
    where Self.text("\(mine)") != Self.text("\(other)") {
      return "\(mine)\nis not\n\(other)"
    }
    if fast.problems.count != slow.problems.count { return "not as many problems" }
    if fast.reader.refusal != slow.reader.refusal { return "not the same refusal" }
    if fast.reader.unknownEvents != slow.reader.unknownEvents
      || fast.reader.unknownKeys != slow.reader.unknownKeys
    {
      return "\(fast.reader.unknownKeys)\nis not\n\(slow.reader.unknownKeys)"
    }
    return nameDifference
  }

  /// A problem without the number that it names: of several in a line that are too large, Foundation names any.
  private static func text(_ problem: String) -> String {
    problem.replacing(/number \S+ is not representable/, with: "number … is not representable")
  }

  /// Also if a line was abandoned halfway, and then parsed from its start.
  private var nameDifference: String? {
    let (mine, other) = (fast.reader.names, slow.reader.names)
    guard mine.stringCount == other.stringCount, mine.stackCount == other.stackCount else {
      return "not as many names"
    }
    for id in 0...UInt32(mine.stringCount) {
      let (left, right) = (mine[StringID(rawValue: id)], other[StringID(rawValue: id)])
      // Byte by byte, unlike `==`.
      guard left.utf8.elementsEqual(right.utf8) else { return "\(left)\nis not\n\(right)" }
    }
    for id in 0...UInt32(mine.stackCount)
    where mine[StackID(rawValue: id)] != other[StackID(rawValue: id)] {
      return "not the same stack \(id)"
    }
    return nil
  }
}

@Suite("A canonical line") struct CanonicalLinesTests {
  private static func canonicalLog(seed: UInt64) -> [[UInt8]] {
    var source = RandomEvents(seed: seed)
    return (0..<RandomEvents.bodyCount).map { kind in
      var line: [UInt8] = []
      JSONLinesWriter.append(source.event(kind: kind), names: source.names, to: &line)
      return line
    }
  }

  @Test("of every kind of event needs no parser", arguments: 0..<100 as Range<UInt64>)
  func everyKind(seed: UInt64) {
    for line in Self.canonicalLog(seed: seed) {
      let reading = Reading(line)
      #expect(reading.events.count == 1)
      #expect(
        reading.reader.canonicalEventCount == 1,
        "\(String(decoding: line, as: UTF8.self))"
      )
    }
  }

  @Test("needs none wherever a chunk ends", arguments: [1, 7, 33, 34, 64, 1000, .max])
  func chunks(size: Int) {
    let log = Self.canonicalLog(seed: 5)
    let reading = Reading(log.flatMap { $0 }, chunkSize: size)
    #expect(reading.problems == [])
    #expect(reading.reader.canonicalEventCount == log.count)
  }

  @Test("is any line that the recorder's programs write")
  func recorded() {
    let log = """
      {"event":"process","schema":1,"pid":4859,"executable":"/opt/Demo","runtime":"swift","os":"Linux","started":"2026-02-03T04:05:06Z","complete":true}
      {"event":"module","path":"/opt/Demo","buildID":"a77a2fb0","loadBias":"0x557bba4f1000","textStart":"0x557bba4f1000","textEnd":"0x557bba6877f0"}
      {"event":"threadName","thread":1,"name":"main"}
      {"event":"register","t":761425732053,"thread":1,"order":1,"subject":{"class":"Account","id":"1"},"observer":{"class":"Screen","id":"2"},"keyPath":"balance","context":null,"options":["new"],"registration":3,"form":"classic","site":"main.swift:14","stack":["0x557bba50ef8c","0x557bba520263"]}
      {"event":"registerEnd","t":761426153840,"thread":1,"order":2,"registration":3}
      {"event":"willChange","t":761426266417,"thread":1,"order":3,"subject":{"class":"Account","id":"1"},"key":"balance","change":4,"stack":[{"symbol":"balance","module":"BankModel","file":"Account.swift","line":13}]}
      {"event":"notifyEnd","t":761426584499,"thread":1,"order":6,"registration":3,"change":4,"phase":"after","handled":true}
      {"event":"remove","t":761426726150,"thread":1,"order":7,"subject":{"class":"Account","id":"1"},"observer":{"class":"Screen","id":"2"},"keyPath":"balance","registration":3,"site":"main.swift:18","stack":["0x557bba50ef8c","0x557bba520263"]}
      {"event":"deinitEnd","t":761429410146,"thread":1,"object":{"class":"Screen","id":"2"}}
      {"event":"exit","status":0}

      """
    let reading = Reading(log)
    #expect(reading.reader.canonicalEventCount == 10)
    #expect(reading.written == log)
    let stacks = reading.events.map(\.stack).filter { $0 != .none }
    #expect(stacks.count == 3)
    #expect(stacks[0] == stacks[2])
    #expect(stacks[0] != stacks[1])
  }

  @Test(
    "is not read if it could mean something else to a parser",
    arguments: [
      #"{"event":"exit", "status":0}"#, #" {"event":"exit","status":0}"#,
      #"{"event":"exit","status":0} "#, #"{"status":0,"event":"exit"}"#,
      #"{"event":"exit","status":1e3}"#, #"{"event":"exit","status":7.0}"#,
      #"{"event":"exit","status":0,"mood":1}"#, #"{"event":"exit","thread":null,"status":0}"#,
      #"{"event":"exit","thread":4611686018427387904,"status":0}"#,
      #"{"event":"exit","thread":"\u0031","status":0}"#,
      #"{"event":"remove","subject":{"class":"A","id":"1"},"keyPath":"k","context":"0"}"#,
      #"{"event":"remove","subject":{"class":"A","id":"1"},"keyPath":"k","context":"\u0030"}"#,
      #"{"event":"remove","subject":{"class":"A","id":"1"},"keyPath":"k","context":"0x00"}"#,
      #"{"event":"deinit","object":{"class":"A","address":"0x10"}}"#,
      #"{"event":"deinit","object":{"class":"A","id":"@7"}}"#,
      #"{"event":"deinit","object":{"class":"A","id":"\u00407"}}"#,
      #"{"event":"process","schema":2}"#,
      #"{"event":"exit","status":0,"stack":["main (main.swift:7)"]}"#,
      "{\"event\":\"threadName\",\"name\":\"\u{feff}main\"}",
    ]
  )
  func others(line: String) {
    let both = BothReadings(Array(line.utf8))
    #expect(both.fast.reader.canonicalEventCount == 0)
    #expect(both.difference == nil)
  }

  @Test("names the keys of each path before the next path, as the parser does")
  func keyPaths() {
    let line = #"{"event":"declares","class":"A","key":"x","affectedBy":["a.b","c"]}"#
    let both = BothReadings(Array(line.utf8))
    #expect(both.fast.reader.canonicalEventCount == 1)
    #expect(both.difference == nil)
  }

  @Test("longer than the limit is skipped like any other", arguments: [25, 26, 27, 28])
  func limit(lineByteLimit: Int) {
    let exit = #"{"event":"exit","status":0}"#
    let blank = String(repeating: " ", count: 20)
    let log = Array("\(exit)\n\(exit)\r\n\(exit)\r\(exit)\n\(blank)\n\(blank)\n".utf8)
    let both = BothReadings(log, lineByteLimit: lineByteLimit)
    #expect(both.difference == nil)
    #expect(both.fast.events.count == (lineByteLimit < exit.utf8.count ? 0 : 4))
  }

  @Test("that is not read leaves no stack")
  func stacksOfOthers() {
    // The first two are given up at their ends: by their length, by their spelling.
    let log = """
      {"event":"exit","t":123456789012345,"status":0,"stack":["0x1"]}
      {"event":"exit","t":1,"status":0,"stack":["0x2"],"mood":1}
      {"event":"exit","status":0,"stack":["0x3"]}
      {"event":"exit","status":0,"stack":["0x2"]}
      {"event":"exit","status":0,"stack":["0x1"]}
      {"event":"exit","status":0,"stack":["0x3"]}

      """ + String(repeating: " ", count: 50)
    let both = BothReadings(Array(log.utf8), lineByteLimit: 60)
    #expect(both.difference == nil)
    #expect(both.fast.lines == [2, 3, 4, 5, 6])
    #expect(both.fast.reader.canonicalEventCount == 4)
    #expect(
      both.fast.events.map { both.fast.reader.names[$0.stack].map(\.address) }
        == [[2], [3], [2], [1], [3]]
    )
  }

  @Test("with a bracket in the name of a function ends where its list of frames does")
  func brackets() {
    let log = """
      {"event":"exit","status":0,"stack":[{"symbol":"-[Screen dealloc]","line":1}]}
      {"event":"exit","status":0,"stack":[{"symbol":"-[Screen dealloc]}
      {"event":"exit","status":0,"stack":[{"symbol":"-[Screen dealloc]","line":2}]}
      {"event":"exit","status":0,"stack":[{"symbol":"-[Screen dealloc]","line":1}]}

      """ + String(repeating: " ", count: 50)
    let both = BothReadings(Array(log.utf8))
    #expect(both.difference == nil)
    #expect(both.fast.lines == [1, 3, 4])
    #expect(both.fast.reader.canonicalEventCount == 3)
    #expect(both.fast.events.map(\.stack.rawValue) == [1, 2, 1])
  }

  @Test(
    "cut at any byte has the same result as the parser",
    arguments: 0..<UInt64(Rounds.areMany ? 2 : 1)
  )
  func truncation(seed: UInt64) {
    for line in Self.canonicalLog(seed: 40 + seed) {
      for cut in line.indices where cut % 5 == 0 || Rounds.areMany {
        // Followed by another line, so that the cut one is read in its position.
        let log = line[..<cut] + [0x0a] + line + line
        let difference = BothReadings(Array(log)).difference
        #expect(difference == nil, "cut at \(cut): \(String(decoding: line, as: UTF8.self))")
      }
    }
  }

  @Test(
    "and nearly canonical ones are events, names and problems as the parser has them",
    arguments: UInt64(0)..<15
  )
  func hostile(seed: UInt64) {
    var lines = HostileLines(seed: seed)
    // Logs of a few lines, so that names and stacks meet again, and a failure is short.
    var takenCount = 0
    for _ in 0..<Rounds.count(15) {
      var log: [UInt8] = []
      for _ in 0..<22 { log += lines.line() + lines.end() }
      let both = BothReadings(log, chunkSize: [.max, 100, 1000][Int(seed % 3)])
      takenCount += both.fast.reader.canonicalEventCount
      if let difference = both.difference {
        Issue.record("\(difference)\n\(String(decoding: log, as: UTF8.self))")
        return
      }
    }
    // Neither all nor none of them: else this would compare nothing.
    #expect(Rounds.count(75)..<Rounds.count(225) ~= takenCount)
  }
}
