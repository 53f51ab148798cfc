import Foundation
import KVOFindings
import KVORules
import TestSupport
import Testing

@testable import KVOAudit
@testable import KVOReportFile
@testable import KVOReports

@Suite("A report with more findings than its readers take")
struct ReportLimitTests {
  /// A form, without its limits if `limit` is nil.
  struct Form: CustomTestStringConvertible {
    let name: String
    let limit: ReportLimit
    let render: @Sendable (AuditReport, ReportLimit?) -> [UInt8]
    var testDescription: String { name }

    static let all = [
      Form(name: "JSON", limit: .json) { JSONReportRenderer().render($0, within: $1) },
      Form(name: "SARIF", limit: .sarif) { SARIFReportRenderer().render($0, within: $1) },
      Form(name: "JUnit", limit: .junit) {
        JUnitReportRenderer(failingFrom: .error).render($0, within: $1)
      },
      Form(name: "Markdown", limit: .markdown) { MarkdownReportRenderer().render($0, within: $1) },
    ]
  }

  /// A report with `count` errors, before as many notes.
  private func report(_ count: Int) -> AuditReport {
    var report = AuditReport.sample
    let finding = report.findings[0]
    report.findings = (0..<2 * count).map { number in
      var other = finding
      other.message = "message \(number)"
      other.severity = number < count ? .error : .note
      if number >= count { other.code = .selfObservation }
      other.signature = "2:" + String(repeating: "0", count: 26) + String(100_000 + number)
      return other
    }
    return report
  }

  @Test("a crash whose finding is omitted is explained")
  func explainedCrash() {
    var report = report(20)
    report.findings[39].setInput { _ in 1 }
    report.inputs = ["a.jsonl", "b.jsonl"].map {
      AuditReport.Input(path: $0, kind: .jsonLines, eventCount: 3)
    }
    report.crashes = [
      RecordedCrash(
        name: "SIGSEGV",
        reason: nil,
        liveCount: nil,
        stack: Finding.Stack(role: .failed, event: 0),
        input: 1
      )
    ]
    for keepsFinding in [true, false] {
      if !keepsFinding { report.findings.removeLast() }
      let whole = JUnitReportRenderer(failingFrom: .error).render(report, within: nil)
      let limit = ReportLimit(byteCount: whole.count / 2)
      let cut = JUnitReportRenderer(failingFrom: .error).render(report, within: limit)
      for text in [whole, cut].map({ String(decoding: $0, as: UTF8.self) }) {
        #expect(text.contains("a process crashed") == !keepsFinding)
      }
    }
  }

  private func messages(_ bytes: [UInt8]) -> [Int] {
    let text = String(decoding: bytes, as: UTF8.self)
    let numbers = text.matches(of: /message (\d+)/).compactMap { Int($0.1) }
    return Set(numbers).sorted()
  }

  @Test(
    "is whole at the limit, and leaves out the least important ones past it",
    arguments: Form.all
  )
  func atTheLimit(form: Form) {
    let report = report(20)
    let whole = form.render(report, nil)
    let wholeText = String(decoding: whole, as: UTF8.self)
    #expect(messages(whole) == Array(0..<40))
    #expect(form.render(report, ReportLimit(byteCount: whole.count)) == whole)
    for byteCount in [whole.count - 1, whole.count / 2, whole.count * 2 / 3] {
      let cut = form.render(report, ReportLimit(byteCount: byteCount))
      #expect(cut.count <= byteCount)
      let shown = messages(cut)
      #expect(shown == Array(0..<shown.count))
      #expect(shown.count < 40)
      let text = String(decoding: cut, as: UTF8.self)
      #expect(!wholeText.contains("left out") && !wholeText.contains("omittedFindings"))
      let omitted = 40 - shown.count
      #expect(
        text.contains(
          form.name == "JSON"
            ? "\"omittedFindings\": \(omitted)"
            : "\(omitted) \(omitted == 1 ? "finding" : "findings") left out"
        )
      )
    }
  }

  @Test("has as many findings as are allowed, and not one more", arguments: Form.all)
  func byCount(form: Form) {
    let whole = form.render(report(20), ReportLimit(byteCount: .max, findingCount: 40))
    #expect(messages(whole).count == 40)
    let cut = form.render(report(20), ReportLimit(byteCount: .max, findingCount: 39))
    #expect(messages(cut) == Array(0..<39))
  }

  @Test("stays within GitHub's limits")
  func gitHub() {
    #expect(ReportLimit.sarif == ReportLimit(byteCount: 9_500_000, findingCount: 25_000))
    #expect(ReportLimit.markdown.byteCount == 65_536)
    let comment = MarkdownReportRenderer().render(report(200), within: .markdown)
    #expect(comment.count <= 65_536)
    #expect(comment.count > 60_000)
    #expect(messages(comment).count < 400)
  }

  @Test("omits findings that do not count before those that do")
  func uncounted() {
    var report = report(3)
    for index in 0..<2 { report.findings[index].isExpected = true }
    let cut = SARIFReportRenderer().render(
      report,
      within: ReportLimit(byteCount: .max, findingCount: 4)
    )
    #expect(messages(cut) == [2, 3, 4, 5])
  }

  @Test("fails a JUnit case whose failures are all left out")
  func omittedFailures() {
    let renderer = JUnitReportRenderer(failingFrom: .note)
    let bytes = renderer.render(report(2), within: ReportLimit(byteCount: .max, findingCount: 1))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("1 more finding of this rule left out"))
    #expect(text.contains("2 more findings of this rule left out"))
    #expect(text.contains(#"failures="2""#))
  }

  @Test(
    "has no more locations for a result of SARIF than GitHub takes",
    arguments: [998, 999, 1_000]
  )
  func locations(count: Int) {
    var report = report(1)
    report.findings.removeLast()
    let frame = Finding.StackFrame(symbol: "f", file: "F.swift", line: 7, isFirstOwn: true)
    let stack = Finding.Stack(role: .registered, event: 0, frames: [frame])
    report.findings[0].stacks = Array(repeating: stack, count: count + 1)
    let text = String(decoding: SARIFReportRenderer().render(report), as: UTF8.self)
    let related = text.components(separatedBy: "relatedLocations")[1]
      .components(separatedBy: "\"codeFlows\"")[0]
    #expect(related.components(separatedBy: "physicalLocation").count - 1 == min(count, 999))
    let steps = text.components(separatedBy: "executionOrder").count - 1
    #expect(steps == min(count + 1, 1_000))
  }

  @Test("that leaves findings out is neither a baseline nor a partial result")
  func notRead() throws {
    let bytes = JSONReportRenderer().render(
      report(2),
      within: ReportLimit(byteCount: .max, findingCount: 1)
    )
    #expect(throws: InputFailure.self) { try ReportFile.report(in: bytes, label: "r.json") }
    let whole = JSONReportRenderer().render(report(2))
    #expect(try ReportFile.report(in: whole, label: "r.json").findings.count == 4)
  }

  @Test("of a process that crashed is not titled as if nothing was found")
  func crashTitle() {
    var report = AuditReport.wholeSample
    report.findings = []
    report.summary = AuditReport.Summary()
    report.inputs = [AuditReport.Input(path: "a.jsonl", kind: .jsonLines, eventCount: 3)]
    report.failures = []
    #expect(PageVerdict(report).title == "KVO audit: nothing found")
    report.crashes = [
      RecordedCrash(
        name: "SIGSEGV",
        reason: nil,
        liveCount: nil,
        stack: Finding.Stack(role: .failed, event: 0)
      )
    ]
    #expect(PageVerdict(report).title == "KVO audit: 1 crash")
    let page = String(decoding: HTMLReportRenderer().render(report), as: UTF8.self)
    #expect(!page.contains("nothing found"))
    #expect(page.contains("Nothing was found that says why a process crashed."))
    let markdown = String(decoding: MarkdownReportRenderer().render(report), as: UTF8.self)
    #expect(markdown.hasPrefix("## KVO audit: 1 crash, 0 errors, 0 warnings in 0 events\n"))
  }
}
