import KVOAudit
import KVOFindings
import KVOLogTools
import KVOReportFile
import KVOReports
import KVORules
import KVOTrace
import KVOTraceBinary
import KVOTraceJSON
import TestSupport
import Testing

@Suite("How a log ends") struct EndingTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func report(_ name: String, _ bytes: [UInt8]) throws -> AuditReport {
    let input = AuditInput.file(path: try folder.file(name, bytes))
    return Audit().report(on: [input])
  }

  private func text(_ report: AuditReport) -> String {
    String(decoding: TextReportRenderer().render(report), as: UTF8.self)
      .replacing(folder.path + "/", with: "")
  }

  /// A binary log of many changes, as the recorder writes one: not serial.
  private func recorded() -> [UInt8] {
    let reader = JSONLinesReader()
    var lines = #"{"event":"process","schema":1,"pid":7,"started":"now"}"# + "\n"
    for number in 1...2_000 { lines += "{\"event\":\"lock\",\"lock\":\(number)}\n" }
    var writer = BinaryLogWriter(session: 1, part: 1, segmentByteCount: 4_096)
    var bytes: [UInt8] = []
    reader.read(Array((lines + LogText.exit).utf8)[...]) { _, content in
      if case .event(let event) = content {
        writer.append(event, names: reader.names, to: &bytes)
      }
    }
    writer.finish(to: &bytes)
    return bytes
  }

  @Test("with an exit, nothing is reported about it")
  func exit() throws {
    let report = try report("a.jsonl", Array(LogText.exit.utf8))
    #expect(report.inputs.map(\.endings) == [[.exit]])
    #expect(!text(report).contains("NO END"))
    #expect(!report.isIncomplete)
  }

  @Test("without one, its process was killed or is still running, which the report says")
  func killed() throws {
    let report = try report("a.jsonl", Array(LogText.doubleRemove(process: 1).utf8))
    #expect(report.inputs.map(\.endings) == [[.open]])
    #expect(
      text(report).contains(
        "NO END: a.jsonl does not say how its process ended: killed, or still running. What was open or "
          + "owed when the log ends is not judged\n"
      )
    )
    #expect(!report.isIncomplete)
  }

  @Test("in the middle of a line it was cut, and the report has the byte offset")
  func cutLine() throws {
    let whole = Array(LogText.doubleRemove(process: 1).utf8)
    let bytes = Array(whole.dropLast(40))
    let report = try report("a.jsonl", bytes)
    #expect(report.inputs.map(\.cutAt) == [bytes.count])
    #expect(report.isIncomplete)
    #expect(
      text(report).contains("CUT: a.jsonl ends at byte \(bytes.count), in the middle of the log")
    )
    let json = String(decoding: JSONReportRenderer().render(report), as: UTF8.self)
    #expect(json.contains("\"cutAt\": \(bytes.count)"))
  }

  @Test("a binary log that was cut anywhere is not one that is whole")
  func cutBinary() throws {
    let whole = recorded()
    #expect(try !report("whole.kvolog", whole).isIncomplete)
    for count in [whole.count - 1, whole.count - 100, whole.count / 2 + 7, 4_097, 5_000] {
      let report = try report("cut.kvolog", Array(whole.prefix(count)))
      #expect(report.isIncomplete || !report.failures.isEmpty, "cut at \(count)")
      let validation = try? LogValidation(of: .file(path: folder.path("cut.kvolog")))
      #expect(validation?.isClean != true, "cut at \(count)")
    }
  }

  @Test("the first page of a log that a recorder wrote is not a log without a fault")
  func headerAlone() throws {
    var bytes = recorded()
    // The flag of a serial log, and with it the checksum: as a recorder writes its first page.
    bytes[12] = 0
    let sum = bytes[..<64].withUnsafeBytes { XXH64.hash($0) }
    withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(64..<72, with: $0) }
    let report = try report("a.kvolog", Array(bytes.prefix(4_096)))
    #expect(report.failures.count == 1)
    #expect(report.failures.first?.message.contains("the file ends after the header") == true)
  }

  @Test("in text without a recognized fault, the report says that")
  func unrecognized() {
    let report = AuditReport(inputs: [.init(path: "README.md", kind: .console, eventCount: 0)])
    #expect(
      text(report).contains(
        "NOTHING RECOGNIZED: README.md is neither a usage log nor a crash report, and none of its lines "
          + "reports a violation of key-value observing\n"
      )
    )
    #expect(!report.hasUnexplainedCrash)
    var crash = AuditReport(inputs: [.init(path: "a.ips", kind: .ips, eventCount: 0)])
    #expect(!crash.hasUnexplainedCrash, "it may be of a hang")
    crash.inputs[0].isCrash = true
    #expect(text(crash).contains("NO FINDING: a.ips reports a crash, but nothing in it"))
    #expect(crash.hasUnexplainedCrash)
  }

  @Test("a crash without a finding is not clean")
  func crash() throws {
    let crash = #"{"event":"crash","thread":1,"signal":"SIGSEGV","stack":["main (main.swift:6)"]}"#
    let report = try report("a.jsonl", Array((crash + "\n").utf8))
    #expect(report.findings.isEmpty)
    #expect(report.hasUnexplainedCrash)
    #expect(report.hasFindings(atLeast: .error))
    let explained = try self.report(
      "b.jsonl",
      Array((LogText.doubleRemove(process: 1) + crash + "\n").utf8)
    )
    #expect(!explained.hasUnexplainedCrash)
  }

  @Test("a crash without a finding is not clean beside a finding of another process")
  func crashBesideFinding() throws {
    let twice = """
      {"event":"process","pid":1}
      {"event":"register","subject":{"class":"A","id":"1"},"observer":{"class":"S","id":"2"},"keyPath":"k"}
      {"event":"register","subject":{"class":"A","id":"1"},"observer":{"class":"S","id":"2"},"keyPath":"k"}

      """
    let crash = #"{"event":"crash","signal":"SIGSEGV"}"# + "\n"
    let other = #"{"event":"process","pid":2}"# + "\n" + crash
    for log in [twice + other, other + twice] {
      let report = try report("c.jsonl", Array(log.utf8))
      #expect(report.findings.map(\.code) == [.duplicateRegistration])
      #expect(report.crashes.map(\.findingCount) == [0])
      #expect(report.hasUnexplainedCrash && report.hasFindings(atLeast: .error))
      let bytes = String(decoding: ReportFile.bytes(of: report), as: UTF8.self)
      let read = try ReportFile.read(folder.file("r.json", bytes))
      #expect(read.hasUnexplainedCrash)
    }
    // Its own finding is also in another log, which a report names.
    let own = try Audit().report(on: [
      .file(path: folder.file("d.jsonl", twice)),
      .file(path: folder.file("e.jsonl", twice + crash)),
    ])
    #expect(own.findings.map(\.input) == [0])
    #expect(!own.hasUnexplainedCrash)
  }

  @Test("unknown events are counted and reported")
  func unknownEvents() throws {
    let line = #"{"event":"registr","registration":5}"# + "\n"
    let report = try report("a.jsonl", Array((line + line + LogText.exit).utf8))
    #expect(report.inputs.map(\.ignoredEventCount) == [2])
    #expect(
      text(report).contains(
        "IGNORED: 2 events of a.jsonl have names that the grammar does not know; `kvo-audit validate` lists "
          + "them\n"
      )
    )
    let json = JSONReportRenderer().render(report)
    #expect(String(decoding: json, as: UTF8.self).contains(#""ignoredEvents": 2"#))
    #expect(!text(try self.report("b.jsonl", Array(LogText.exit.utf8))).contains("IGNORED"))
  }
}
