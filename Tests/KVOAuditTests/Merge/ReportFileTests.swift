import Foundation
import KVOAudit
import KVOFindings
import KVOReportFile
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("A report in a file") struct ReportFileTests {
  private func json(_ report: AuditReport) -> [UInt8] { JSONReportRenderer().render(report) }

  /// A report with everything in it that a file can hold.
  private var full: AuditReport {
    get throws {
      var report = AuditReport.sample
      let lines = "KVO001 class=A* until=2027-01-01 because x\nKVO002 until=2020-01-01 because y"
      let file = try SuppressionFile(path: "kvo", bytes: Array(lines.utf8))
      report.suppress(file.suppressions, on: try #require(CalendarDay("2026-01-01")))
      report.inputs.append(
        AuditReport.Input(
          path: "b.ips",
          kind: .ips,
          eventCount: 0,
          reportCount: 2,
          damaged: [
            LogDamage(
              location: .bytes(offset: 4_096, byteCount: 9),
              path: "b.1",
              message: "lost",
              number: 3
            )
          ],
          damageCount: 1
        )
      )
      report.findings[0].crashFacts = CrashFacts(
        exception: "NSRangeException",
        options: "new",
        observances: ["<a>"],
        reportCount: 2,
        process: "App",
        version: "1",
        system: "iOS 13",
        date: "2026-01-01 00:00:00"
      )
      report.findings[0].isLibrary = true
      report.findings[0].processCount = 4
      report.findings[0].runCount = 3
      report.crashes = [
        RecordedCrash(
          name: "SIGSEGV",
          reason: "at 0x0",
          liveCount: 2,
          stack: Finding.Stack(role: .failed, thread: "1", event: 9),
          input: 1
        )
      ]
      report.unnamed = ["a: gone"]
      report.notJudged.append(
        AuditReport.NotJudged(
          code: .leakedRegistration,
          why: "x",
          in: .init(count: 1, paths: ["b"])
        )
      )
      return report
    }
  }

  @Test("is read back as it was written")
  func roundTrip() throws {
    let full = try full
    let again = try ReportFile.report(in: json(full), label: "r")
    #expect(json(again) == json(full))
    #expect(again.summary.textCount == 1 && again.summary.reportCount == 2)
    #expect(try json(ReportFile.report(in: json(AuditReport()), label: "r")) == json(AuditReport()))
  }

  @Test(
    "with an impossible number is refused, with its position",
    arguments: ["-1", "9223372036854775807", "-9223372036854775808"],
    ["count", "processes", "runs"]
  )
  func impossibleCount(number: String, key: String) throws {
    let text = String(decoding: json(.sample), as: UTF8.self)
    let place = try #require(text.firstMatch(of: try Regex("\"\(key)\": \\d+")))
    let damaged = text.replacingCharacters(in: place.range, with: "\"\(key)\": \(number)")
    #expect {
      try ReportFile.report(in: Array(damaged.utf8), label: "r")
    } throws: { error in
      (error as? InputFailure)?.message.contains(
        "\(key): \(number) is not a count; it must be a number from 0 to 281474976710656"
      ) == true
    }
  }

  @Test("of before a key was there is read, too")
  func older() throws {
    var object = try #require(
      try JSONSerialization.jsonObject(with: Data(json(.sample))) as? [String: Any]
    )
    object["suppressions"] = nil
    object["baseline"] = nil
    var findings = try #require(object["findings"] as? [[String: Any]])
    for key in ["library", "processes", "runs", "suppression", "baseline"] {
      findings[0][key] = nil
    }
    object["findings"] = findings
    let data = try JSONSerialization.data(withJSONObject: object)
    let report = try ReportFile.report(in: Array(data), label: "r")
    #expect(json(report) == json(.sample))
  }

  @Test(
    "that is something else is refused, with its kind",
    arguments: [
      (
        "",
        "not a report: it is not a JSON object with a \"schema\"; `kvo-audit --format json=FILE` writes one"
      ),
      ("{}", "not a report: it is not a JSON object with a \"schema\""),
      ("[1]", "not a report: it is not a JSON object"),
      (#"{"event":"exit","status":0}"#, "not a report: it is not a JSON object with a \"schema\""),
      (#"{"schema":2,"findings":[]}"#, "a report of schema 2; this version ("),
      (#"{"schema":99}"#, "a report of schema 99; this version ("),
      (#"{"schema":1,"faults":[]}"#, "not a report: it has no \"findings\"; "),
      (#"{"schema":1,"findings":[]}"#, "a damaged report: no \"inputs\""),
      (
        #"{"schema":1,"inputs":[],"findings":[{"code":"KVO099"}],"notJudged":[],"summary":{}}"#,
        "a damaged report: at findings[0].code: \"KVO099\" is not known here; known are \"KVO001\", "
      ),
      (
        #"{"schema":1,"inputs":3,"findings":[],"notJudged":[],"summary":{}}"#,
        "a damaged report: at inputs: a value of another kind than is needed"
      ),
    ]
  )
  func refused(text: String, words: String) {
    let failure = #expect(throws: InputFailure.self) {
      _ = try ReportFile.report(in: Array(text.utf8), label: "r.json")
    }
    #expect(failure?.message.hasPrefix("r.json: \(words)") == true, "\(failure?.message ?? "")")
  }

  @Test("that is cut anywhere is refused")
  func truncated() throws {
    let bytes = json(try full)
    for count in 0..<(bytes.count - 2) {
      #expect(throws: InputFailure.self) {
        _ = try ReportFile.report(in: Array(bytes[..<count]), label: "r")
      }
    }
  }

  @Test(
    "is recognized by its first object",
    arguments: [
      (#"{"schema": 1, "findings": []}"#, true), (#"{"findings":[],"schema":1}"#, true),
      ("\u{feff}\n{\n\"crashes\":[{\"event\":\"x\"}], \"findings\" : [{", true),
      (#"{"a":"\"}{","schema":1,"findings":[{"event":7}]} x"#, true),
      (#"{"schema":1,"inputs":[{"path":"#, true), (#"{"schema": 7}"# + "\n", true),
      (#"{"schema":1,"event":"process"}"#, false), (#"{"event":"process","schema":1}"#, false),
      (#"{"schema":1}"# + "\n" + #"{"event":"exit"}"#, false),
      ("{\"schema\":1,\n{\"event\":\"exit\"}", false), (#"{"findings":[]}"#, false),
      (#"{"x":{"schema":1,"findings":[]}}"#, false), (#"[{"schema":1,"findings":[]}]"#, false),
      ("", false), ("{", false), ("schema findings", false),
      (#"{"schema":"1","findings":[]}"#, false),
    ]
  )
  func kind(head: String, isReport: Bool) {
    #expect(ReportForm.isReport(head: Array(head.utf8)) == isReport)
  }

  @Test(
    "is read on only if its beginning may be that of a report",
    arguments: [
      ("", true), (" \n", true), ("{", true), (#"{"tool":"kvo-audit"#, true), ("\u{feff}{", true),
      (#"{"schema":1,"findings":[{"event":7}]} x"#, true), (#"{"tool":"x"}"#, true),
      ("aaaa", false), ("\"\"", false), ("[{", false), ("{{", false), ("{\"a\",", false),
      (#"{"event":"exit","schema":1,"findings":["#, false),
    ]
  )
  func beginning(head: String, isPossible: Bool) {
    #expect(ReportForm.mayBegin(with: Array(head.utf8)) == isPossible)
  }

  @Test("in other encodings may begin as it does")
  func encodedBeginning() {
    let head: [UInt8] = Array("{\"".utf8)
    for isMarked in [true, false] {
      #expect(
        ReportForm.mayBegin(with: (isMarked ? [0xff, 0xfe] : []) + head.flatMap { [$0, 0] })
      )
      #expect(
        ReportForm.mayBegin(with: (isMarked ? [0xfe, 0xff] : []) + head.flatMap { [0, $0] })
      )
    }
  }

  @Test("is read after any number of blank lines, and what is blank alone is refused")
  func blank() throws {
    let folder = try ScratchFolder()
    let blank = String(repeating: "\n \r\t", count: 300_000)
    let report = try folder.file("report", blank + String(decoding: json(.sample), as: UTF8.self))
    #expect(try json(ReportFile.read(report)) == json(.sample))
    let nothing = try folder.file("nothing", blank)
    let failure = #expect(throws: InputFailure.self) { _ = try ReportFile.read(nothing) }
    #expect(failure?.reason.hasPrefix("not a report: ") == true)
  }

  @Test("is distinguished from a log by its content")
  func source() throws {
    let folder = try ScratchFolder()
    let report = try folder.file("a.txt", json(.sample))
    #expect(try json(ReportSource.report(of: report, by: Audit())) == json(.sample))
    let line = #"{"schema":1,"event":"process","pid":1}"# + "\n" + LogText.exit
    let log = try folder.file("a.json", line)
    #expect(try ReportSource.report(of: log, by: Audit()).summary.eventCount == 2)
    #expect(throws: InputFailure.self) {
      _ = try ReportSource.report(of: folder.path("none"), by: Audit())
    }
    let later = try folder.file("b.json", #"{"schema": 7}"#)
    let failure = #expect(throws: InputFailure.self) {
      _ = try ReportSource.report(of: later, by: Audit())
    }
    #expect(failure?.reason.hasPrefix("a report of schema 7; ") == true)
  }
}
