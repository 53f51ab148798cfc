import Foundation
import KVOAudit
import KVOLogTools
import KVOReports
import KVORules
import KVOTrace
import KVOTraceBinary
import KVOTraceJSON
import TestSupport
import Testing

@Suite("A binary input") struct BinaryInputTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func events(_ text: String) -> (events: [Event], names: TraceNames) {
    let reader = JSONLinesReader()
    var events: [Event] = []
    reader.read(Array(text.utf8)[...]) { _, content in
      if case .event(let event) = content { events.append(event) }
    }
    return (events, reader.names)
  }

  /// The binary log of some lines.
  private func log(
    _ text: String,
    session: UInt64 = 1,
    part: UInt32 = 1,
    segmentByteCount: Int = 65_536
  ) -> [UInt8] {
    let (events, names) = events(text)
    var writer = BinaryLogWriter(session: session, part: part, segmentByteCount: segmentByteCount)
    var bytes: [UInt8] = []
    for event in events { writer.append(event, names: names, to: &bytes) }
    writer.finish(to: &bytes)
    return bytes
  }

  private static let process = #"{"event":"process","schema":1,"pid":7,"started":"now"}"# + "\n"

  /// Three parts of one log with an event each, and what reading them says.
  private func writeParts(_ parts: [UInt32]) throws -> String {
    for part in parts {
      let text = Self.process + "{\"event\":\"lock\",\"lock\":\(part)}\n"
      let name = part == 3 ? "a.kvolog" : "a.kvolog.\(3 - part)"
      _ = try folder.file(name, log(text, part: part))
    }
    return folder.path("a.kvolog")
  }

  /// The locks that are read, and what is damaged.
  private func course(_ input: AuditInput) throws -> [String] {
    var course: [String] = []
    _ = try LogSource(input).read { content, _ in
      switch content {
      case .events(let events, let firstNumber):
        for (number, event) in zip(firstNumber..., events) {
          if case .lock(let id) = event.body { course.append("\(number): lock \(id.number ?? 0)") }
          if case .process(let process) = event.body { course.append("\(process.isComplete)") }
        }
      case .damage(let place): course.append(place.message)
      case .classes: break
      }
    }
    return course
  }

  @Test("gives the report that its lines give")
  func sameReport() throws {
    let text = LogText.doubleRemove(process: 1) + LogText.exit
    let lines = Audit().report(on: [.file(path: try folder.file("a.jsonl", text))])
    let binary = Audit().report(on: [.file(path: try folder.file("a.kvolog", log(text)))])
    #expect(binary.inputs.map(\.kind) == [.binary])
    #expect(binary.findings == lines.findings)
    #expect(binary.findings.map(\.code) == [.doubleRemove])
    #expect(binary.summary == lines.summary)
  }

  @Test("with a lost segment reports its bytes, and concludes nothing from absence")
  func damage() throws {
    let text = LogText.doubleRemove(process: 1) + LogText.exit
    var bytes = log(text, segmentByteCount: 330)
    // The last segment.
    bytes[bytes.count - 4096 + 65] ^= 1
    let path = try folder.file("a.kvolog", bytes)
    let report = Audit().report(on: [.file(path: path)])
    #expect(report.inputs.first?.damageCount == 1)
    guard case .bytes(let offset, let byteCount)? = report.inputs.first?.damaged.first?.location
    else {
      Issue.record("the damaged part is not one in bytes")
      return
    }
    #expect(offset == bytes.count - 4096)
    #expect(byteCount == 4096)
    let json = String(decoding: JSONReportRenderer().render(report), as: UTF8.self)
    #expect(json.contains("\"offset\": \(offset),\n          \"byteCount\": 4096,"))
    let output = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
    #expect(output.contains("DAMAGED: 1 part of \(path) cannot be read, and what it said is lost"))
  }

  @Test("is read from its oldest part to its newest")
  func parts() throws {
    let path = try writeParts([1, 2, 3])
    #expect(
      try course(.file(path: path)) == [
        "true", "2: lock 1", "true", "4: lock 2", "true", "6: lock 3",
      ]
    )
    #expect(try course(.file(path: path + ".1")) == ["true", "2: lock 1", "true", "4: lock 2"])
    let reading = try LogSource(.file(path: path)).read { _, _ in }
    #expect(reading.binary?.partCount == 3)
    // Parts of one process: one process in the report.
    #expect(Audit().report(on: [.file(path: path)]).summary.processCount == 1)
  }

  @Test("begins with the oldest part that its recorder kept, which is not damage")
  func removedParts() throws {
    let path = try writeParts([3])
    #expect(try course(.file(path: path)) == ["false", "2: lock 3"])
    let validation = try LogValidation(of: .file(path: path))
    #expect(validation.isClean)
    #expect(validation.text.contains("2 earlier parts removed"))
    #expect(!Audit().report(on: [.file(path: path)]).isIncomplete)
  }

  @Test("whose name ends in the number of its process is read with its parts, once")
  func partsOfNumbered() throws {
    let path = folder.path("a.kvolog.4711")
    let all = [(path + ".2", 1), (path + ".1", 2), (path, 3)] as [(String, UInt32)]
    for (name, part) in all {
      let text = Self.process + "{\"event\":\"lock\",\"lock\":\(part)}\n"
      try Data(log(text, part: part)).write(to: URL(filePath: name))
    }
    #expect(
      try course(.file(path: path)) == [
        "true", "2: lock 1", "true", "4: lock 2", "true", "6: lock 3",
      ]
    )
    let inputs = AuditInput.inputs(arguments: [path + ".1", path, path + ".2"])
    #expect(inputs.map(\.label) == [path])
    #expect(AuditInput.logs(beside: inputs).isEmpty)
  }

  @Test("is not listed twice beside others of its folder, whatever their names begin with")
  func besideOthers() throws {
    let names = ["a.kvolog", "a.kvolog.2", "a.kvolog.previous", "a.kvologs", "a.kvolog-1", "a"]
    for (session, name) in names.enumerated() {
      _ = try folder.file(name, log(Self.process, session: UInt64(session + 1)))
    }
    _ = try folder.file("a.kvolog.txt", "no log")
    _ = try folder.file("a.kvologs.7", log(Self.process, session: 9))
    let inputs = ["a.kvolog", "a.kvolog-1", "a.kvologs", "a.kvologs.7"].map {
      AuditInput.file(path: folder.path($0))
    }
    let beside = AuditInput.logs(beside: inputs)
    #expect(beside.map(\.path) == [folder.path("a.kvolog")])
    let others = ["a.kvolog.2", "a.kvolog.previous"].map { folder.path($0) }
    #expect(beside.first?.others == others)
  }

  @Test("whose files are all arguments is read once, also beside logs of other processes")
  func partsOfMany() throws {
    let path = folder.path("a.kvolog")
    var arguments: [String] = []
    // Of each of the processes the newest file has its number, and older ones follow that.
    for process in 1...20 {
      for (ending, part) in [("", 3), (".1", 2), (".2", 1)] as [(String, UInt32)] {
        let name = "\(path).\(100 * process)\(ending)"
        let bytes = log(Self.process, session: UInt64(process), part: part)
        try Data(bytes).write(to: URL(filePath: name))
        arguments.append(name)
      }
    }
    // A number alone makes a file no older part.
    try Data(log(Self.process, session: 21)).write(to: URL(filePath: path))
    arguments.append(path)
    let inputs = AuditInput.inputs(arguments: arguments.reversed())
    #expect(
      inputs.map(\.label) == [path] + (1...20).reversed().map { "\(path).\(100 * $0)" }
    )
  }

  @Test("names a part that is missing between others")
  func missingParts() throws {
    #expect(
      try course(.file(path: try writeParts([1, 3]))) == [
        "true", "2: lock 1",
        "this log is continued here from an earlier part; part 2 of it is missing", "true",
        "4: lock 3",
      ]
    )
  }

  @Test("ignores files that are only named like a part of a rotated log")
  func foreignPart() throws {
    let path = try writeParts([2, 3])
    _ = try folder.file("a.kvolog.2", log(Self.process, session: 2))
    #expect(try course(.file(path: path)) == ["false", "2: lock 2", "false", "4: lock 3"])
    _ = try folder.file("a.kvolog.2", "no log")
    #expect(try course(.file(path: path)).count == 4)
    // Parts count from 1.
    _ = try folder.file("a.kvolog.2", log(Self.process, part: 0))
    #expect(try course(.file(path: path)).count == 4)
  }

  @Test("is not read twice if its older files are also arguments")
  func namedParts() throws {
    let path = try writeParts([1, 2, 3])
    let other = try folder.file("b.kvolog.1", log(Self.process))
    let inputs = AuditInput.inputs(arguments: [path + ".1", path, other, path + ".2", "-"])
    #expect(inputs.map(\.label) == [path, other, "standard input"])
  }

  @Test("of a later version is refused, with the highest that can be read")
  func laterVersion() throws {
    var header = BinaryFileHeader(isSerial: true, session: 1)
    header.version = 3
    let path = try folder.file("a.kvolog", header.bytes)
    let failure = InputFailure(
      input: path,
      reason: "the log is written to version 3 of the binary form; this version reads versions up "
        + "to 1"
    )
    #expect(Audit().report(on: [.file(path: path)]).failures == [failure])
  }

  @Test("that is cut while it is read loses only the removed events")
  func cutMeanwhile() throws {
    let text = Self.process + String(repeating: "{\"event\":\"lock\",\"lock\":1}\n", count: 20_000)
    let path = try folder.file("a.kvolog", log(text, segmentByteCount: 4096))
    var count = 0
    let reading = try LogSource(.file(path: path)).read { content, _ in
      if count == 0 { #expect(truncate(path, 8192) == 0) }
      count += 1
    }
    #expect(reading.eventCount > 0)
    #expect(reading.eventCount < 20_001)
    #expect(reading.problemCount > 0)
  }
}
