import KVOAudit
import KVOReportFile
import KVORules
import TestSupport
import Testing

@Suite("A report that is read one finding at a time") struct ReportStreamTests {
  /// The report whose text comes in pieces of `size` bytes.
  private func read(_ text: some StringProtocol, pieces size: Int = 1 << 20) -> AuditReport? {
    var rest = Array(text.utf8)[...]
    var stream = ReportStream {
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }
    var findings: [Finding] = []
    guard var report = stream.read({ findings.append($0) }) else { return nil }
    report.findings = findings
    return report
  }

  private func text(_ report: AuditReport?) -> String? {
    report.map { String(decoding: ReportFile.bytes(of: $0), as: UTF8.self) }
  }

  /// A report with text beyond ASCII and escapes.
  private var sample: AuditReport {
    var report = AuditReport.sample
    report.findings[0].message = "é \u{1F600} \"quoted\" \\ \u{1} \t\r\n \u{202e} /"
    report.findings[0].confidence = .low
    report.findings[0].crashFacts = CrashFacts()
    report.findings[0].crashFacts?.versions = ["1.0": 3, "2.0": 1]
    report.inputs[0].path = "\u{7f}/ü.jsonl"
    return report
  }

  @Test("is the same in pieces of any size", arguments: [1, 2, 3, 5, 64, 1_000, 1 << 20])
  func pieces(size: Int) {
    let written = text(sample)
    #expect(text(read(written ?? "", pieces: size)) == written)
    #expect(read(String(written?.dropLast(3) ?? ""), pieces: size) == nil)
  }

  @Test("may have other white space and no optional keys")
  func spaces() throws {
    let written = try #require(text(sample))
    let dense = written.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.joined()
    #expect(text(read(dense)) == written)
    #expect(text(read(" \n" + written.replacing(": ", with: " :\t") + "\n ")) == written)
  }

  @Test("is refused wherever it ends too early")
  func ends() throws {
    let written = try #require(text(sample))
    for count in stride(from: 0, to: written.utf8.count - 2, by: 13) {
      #expect(read(String(decoding: written.utf8.prefix(count), as: UTF8.self)) == nil, "\(count)")
    }
  }

  @Test(
    "is left to the other reader if it is not as this version writes it",
    arguments: [
      ("\"schema\": 1", "\"schema\": 2"), ("\"count\": 3", "\"count\": 3.0"),
      ("\"count\": 3", "\"count\": 03"),
      ("\"count\": 3", "\"count\": -3"), ("\"count\": 3", "\"count\": 99999999999999999999"),
      ("\"hint\": \"remove it once\"", "\"hint\": \"\\ud800\""),
      ("\"hint\": \"remove it once\"", "\"hint\": \"\\x\""),
      ("\"hint\": \"remove it once\"", "\"hint\": null"),
      ("\"expected\": false", "\"expected\": fals"),
      ("\"code\": \"KVO001\"", "\"code\": \"KVO999\""),
      ("\"suppressed\": false", "\"suppressed\": false, \"new\": 1"),
      ("\"baseline\": null", "\"baseline\": }"), ("\"findings\": [", "\"findings\": [,"),
      ("\n}\n", ", \"omittedFindings\": 3}"), ("\n}\n", "\n}\n{"), ("\n}\n", ", \"other\": 1}"),
    ]
  )
  func others(old: String, new: String) throws {
    let written = try #require(text(AuditReport.sample))
    #expect(written.contains(old))
    #expect(read(written.replacing(old, with: new)) == nil)
  }

  @Test("is as the other reader reads it")
  func agreement() throws {
    let written = try #require(text(sample))
    // A key that only a later version has is left to the other reader.
    let later = String(written.dropLast(3)) + ",\n  \"later\": {}\n}\n"
    #expect(read(later) == nil)
    let report = try ReportFile.report(in: Array(later.utf8), label: "later")
    #expect(text(report) == written && text(read(written)) == written)
  }
}
