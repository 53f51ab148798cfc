import KVOAudit
import KVOReports
import KVORules
import Testing

@Suite("The report as JUnit XML")
struct JUnitReportRendererTests {
  private func text(_ report: AuditReport, failingFrom severity: Severity?) -> String {
    String(decoding: JUnitReportRenderer(failingFrom: severity).render(report), as: UTF8.self)
  }

  /// The cases of the rules without findings, in one line each.
  private func passed(_ codes: ClosedRange<Int>) -> String {
    RuleCatalogue.entries[codes.lowerBound - 1...codes.upperBound - 1].map {
      "    <testcase classname=\"kvo-audit.rules\" name=\"\($0.code.rawValue) \($0.slug)\"/>\n"
    }
    .joined()
  }

  @Test("fails a rule for each finding, skips unjudged rules, and passes the rest")
  func whole() {
    let counts = #"name="kvo-audit" tests="40" failures="1" errors="1""#
    #expect(
      text(.wholeSample, failingFrom: .error) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites \(counts)>
          <testsuite \(counts)>
            <testcase classname="kvo-audit.rules" name="KVO001 double-remove">
              <failure type="KVO001" message="Screen#3 removed &quot;balance&quot; twice">\
        WARNING: KVOSafety: observation removed twice (KVO001 double-remove)
          Screen#3 removed &quot;balance&quot; twice
          &gt; #0 Screen.deinit   Screen.swift:41
            #1 0x10
          The cycle
            Screen#3
              ↓ token
                ~~~~~ make this weak
            Token#9
          It leads to
            late (KVO008 delivery-to-dead, 00000001, seen once)
          Fix: remove it once
          Signature: 5f0c2a91 · seen 3 times · events 118, 240, 377 · error, contained
        </failure>
            </testcase>
        \(passed(2...13))\
            <testcase classname="kvo-audit.rules" name="KVO014 mutation-without-notification">
              <skipped message="not judged: no writes"/>
            </testcase>
        \(passed(15...39))\
            <testcase classname="kvo-audit.inputs" name="b.jsonl">
              <error type="unreadable" message="b.jsonl: no such file"/>
            </testcase>
          </testsuite>
        </testsuites>

        """
    )
  }

  @Test("counts a case with several failures once, as it counts cases")
  func counts() {
    var report = AuditReport.wholeSample
    var other = report.findings[0]
    other.signature = "6f0c2a91"
    report.findings.append(other)
    var late = report.findings[0]
    late.code = .deliveryToDead
    report.omitted = [late]
    let text = text(report, failingFrom: .error)
    #expect(text.ranges(of: "<failure ").count == 3)
    let counts = #"name="kvo-audit" tests="40" failures="2" errors="1""#
    #expect(text.contains("<testsuites \(counts)>\n  <testsuite \(counts)>\n"))
  }

  @Test("skips every rule if nothing could be judged")
  func unjudged() {
    let reason = "not judged: no event of a usage log and no report of a fault was read"
    func skipped(_ report: AuditReport) -> Int {
      text(report, failingFrom: .error).ranges(of: #"<skipped message="\#(reason)"/>"#).count
    }
    let count = RuleCatalogue.entries.count
    var report = AuditReport(inputs: [.init(path: "log.txt", kind: .console, eventCount: 0)])
    #expect(skipped(report) == count)
    #expect(
      skipped(AuditReport(failures: [InputFailure(input: "a", reason: "no such file")])) == count
    )
    report.inputs.append(.init(path: "a.jsonl", kind: .jsonLines, eventCount: 0))
    #expect(skipped(report) == count, "a log of which no event is known")
    report.inputs.append(.init(path: "b.jsonl", kind: .jsonLines, eventCount: 1))
    #expect(skipped(report) == 0)
    report = AuditReport(
      inputs: [.init(path: "a.ips", kind: .ips, eventCount: 0, reportCount: 1)]
    )
    #expect(skipped(report) == 0)
    // Its text, its comment and its page do not look clean either.
    report.inputs[0].reportCount = 0
    let markdown = String(decoding: MarkdownReportRenderer().render(report), as: UTF8.self)
    #expect(markdown.hasPrefix("## KVO audit: nothing judged\n"))
    let page = String(decoding: HTMLReportRenderer().render(report), as: UTF8.self)
    #expect(page.contains("KVO audit: nothing judged") && !page.contains("Nothing was found."))
  }

  @Test("has an error for a crash that nothing explains, as the exit status does")
  func crash() {
    var report = AuditReport(inputs: [.init(path: "a.ips", kind: .ips, eventCount: 0)])
    report.inputs[0].isCrash = true
    let error = #"<error type="crash" message="a.ips: a process crashed, and nothing says why"/>"#
    #expect(report.hasFindings(atLeast: .error))
    #expect(text(report, failingFrom: .error).contains(error))
    #expect(!text(report, failingFrom: nil).contains(error))
    report.inputs[0].reportCount = 1
    #expect(!text(report, failingFrom: .error).contains(error))
  }

  @Test("reports a finding that does not count without a failure", arguments: [0, 1, 2, 3])
  func uncounted(way: Int) {
    var report = AuditReport.sample
    if way == 0 { report.findings[0].isExpected = true }
    if way == 1 { report.findings[0].isSuppressed = true }
    if way == 3 {
      report.findings[0].crashFacts = CrashFacts()
      report.findings[0].confidence = .low
      #expect(!report.hasFindings(atLeast: .note))
      let matrix = ProfileMatrix([(.swift, report)])
      #expect(matrix.rows.map { $0.cells[.swift]?.mayFail } == [false, false])
      #expect(!matrix.hasFindings(atLeast: .note))
    }
    let text = text(report, failingFrom: way == 2 ? nil : .error)
    #expect(!text.contains("<failure"))
    #expect(text.contains("<system-out>WARNING: KVOSafety: observation removed twice"))
    #expect(text.contains(#"failures="0""#))
  }

  @Test("gives no line of its own to a name that holds a command of a CI server")
  func commands() {
    var report = AuditReport.sample
    report.findings[0].message = "::error::x\n::warning::y\n##[error]z"
    let text = text(report, failingFrom: .error)
    #expect(text.contains(#"message="::error::x&#10;::warning::y&#10;##[error]z""#))
    for line in text.split(separator: "\n") {
      let start = line.drop { $0 == " " }
      #expect(!start.hasPrefix("::") && !start.hasPrefix("##["), "\(line)")
    }
  }

  @Test("escapes what XML cannot represent")
  func hostile() {
    var report = AuditReport.sample
    report.findings[0].message = "a\u{0}b\u{1b}[31m<&>\u{FFFE}]]>"
    #expect(
      text(report, failingFrom: .error)
        .contains(#"message="a\u{0}b\u{1b}[31m&lt;&amp;&gt;\u{fffe}]]&gt;""#)
    )
  }
}
