import KVOAudit
import KVOReports
import KVORules
import Testing

@Suite("A report beside a previous one") struct BaselineTests {
  private func finding(
    _ code: RuleCode,
    _ signature: String,
    line: Int = 1,
    function: String = "f()"
  ) -> Finding {
    Finding(
      code: code,
      severity: .error,
      profile: .swift,
      consequence: .contained,
      message: "m\(line)",
      subject: Finding.Object(className: "A", id: "1"),
      keyPath: "k",
      stacks: [
        Finding.Stack(
          role: .failed,
          event: 1,
          frames: [
            Finding.StackFrame(symbol: function, file: "A.swift", line: line, isFirstOwn: true)
          ]
        )
      ],
      hint: "h",
      signature: signature
    )
  }

  private func compared(
    _ new: [Finding],
    with old: [Finding],
    notJudged: [RuleCode] = [],
    newOnly: Bool = false
  ) -> AuditReport {
    var report = AuditReport(
      findings: new,
      notJudged: notJudged.map { AuditReport.NotJudged(code: $0, why: "no events") }
    )
    let previous = AuditReport(findings: old)
    report.compare(with: previous, at: "old.json", countsNewOnly: newOnly)
    return report
  }

  @Test("lists what is new, unchanged, fixed and not judged, by signature")
  func states() {
    let report = compared(
      [finding(.doubleRemove, "1"), finding(.removeUnregistered, "2")],
      with: [
        finding(.doubleRemove, "1"), finding(.duplicateRegistration, "3"),
        finding(.leakedRegistration, "4"),
      ],
      notJudged: [.leakedRegistration]
    )
    #expect(report.findings.map(\.baseline) == [.unchanged, .new])
    #expect(report.comparison?.fixed.map(\.signature) == ["3"])
    #expect(report.comparison?.unjudged.map(\.signature) == ["4"])
    #expect(
      [
        report.comparison?.newCount, report.comparison?.unchangedCount,
        report.comparison?.movedCount,
      ]
        == [1, 1, 0]
    )
  }

  @Test("calls nothing fixed if nothing could be judged")
  func unjudged() {
    let sample = AuditReport.sample
    for input in [
      AuditReport.Input(path: "log.txt", kind: .console, eventCount: 0),
      AuditReport.Input(path: "a.jsonl", kind: .jsonLines, eventCount: 0),
    ] {
      var report = AuditReport(inputs: [input])
      report.compare(with: sample, at: "main.json", countsNewOnly: true)
      #expect(report.comparison?.fixed.count == 0)
      #expect(report.comparison?.unjudged.count == sample.findings.count)
      report.inputs[0].eventCount = 1
      report.inputs[0].kind = .jsonLines
      report.compare(with: sample, at: "main.json", countsNewOnly: true)
      #expect(report.comparison?.fixed.count == sample.findings.count)
    }
  }

  @Test("recognizes findings whose line moved, in their order, and treats other functions as new")
  func moved() {
    let report = compared(
      [
        finding(.doubleRemove, "a", line: 11), finding(.doubleRemove, "b", line: 21),
        finding(.doubleRemove, "c", line: 31),
        finding(.doubleRemove, "d", line: 5, function: "g()"),
      ],
      with: [finding(.doubleRemove, "x", line: 1), finding(.doubleRemove, "y", line: 2)]
    )
    #expect(report.findings.map(\.baseline) == [.moved(from: "x"), .moved(from: "y"), .new, .new])
    #expect(report.comparison?.fixed == [])
  }

  @Test("does not count an earlier consequence as new, nor a present one as fixed")
  func consequences() {
    var root = finding(.doubleRemove, "1")
    root.consequences = [finding(.leakedRegistration, "2")]
    #expect(
      compared([finding(.leakedRegistration, "2")], with: [root]).findings[0].baseline == .unchanged
    )
    let now = compared([root], with: [finding(.leakedRegistration, "2")])
    #expect(now.findings.map(\.baseline) == [.new])
    #expect(now.comparison?.fixed == [])
  }

  @Test("does not count what a test expects")
  func expected() {
    func expected(_ code: RuleCode, _ signature: String) -> Finding {
      var finding = finding(code, signature)
      finding.isExpected = true
      return finding
    }
    let old = [expected(.doubleRemove, "11111111"), expected(.deliveryToDead, "33333333")]
    let new = [expected(.doubleRemove, "11111111"), expected(.removeUnregistered, "22222222")]
    let report = compared(new, with: old)
    #expect(report.findings.map(\.baseline) == [.unchanged, .new])
    let text = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
    #expect(text.contains("\n\nCOMPARED with old.json: 0 new, 0 unchanged, 0 fixed\n\n"))
    let difference = ReportDifference(
      from: (AuditReport(findings: old), "old.json"),
      to: (AuditReport(findings: new), "new.jsonl")
    )
    #expect(
      String(decoding: difference.text(), as: UTF8.self)
        == "SUMMARY: 0 new, 0 fixed, 0 moved, 0 not judged, 0 unchanged from old.json to new.jsonl\n"
    )
  }

  @Test("does not count what is suppressed")
  func suppressed() throws {
    var report = AuditReport(
      findings: [
        finding(.doubleRemove, "1"), finding(.doubleRemove, "2"), finding(.deliveryToDead, "3"),
      ]
    )
    let text = "KVO001 class=A until=2027-01-31 because it is known"
    let file = try SuppressionFile(path: "kvo", bytes: Array(text.utf8))
    report.suppress(file.suppressions, on: try #require(CalendarDay("2027-01-15")))
    let previous = AuditReport(findings: [finding(.doubleRemove, "1")])
    report.compare(with: previous, at: "old.json", countsNewOnly: false)
    #expect(report.findings.map(\.baseline) == [.unchanged, .new, .new])
    let shown = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
    #expect(shown.contains("\n\nCOMPARED with old.json: 1 new, 0 unchanged, 0 fixed\n\n"))
    // Nor if it is gone; the twin that counted is fixed.
    report.findings.append(finding(.removeUnregistered, "4"))
    let comparison = compared([], with: report.findings).comparison
    #expect(comparison?.fixed.map(\.signature) == ["3", "4"])
    #expect(compared(report.findings, with: report.findings).comparison?.unchangedCount == 2)
  }

  @Test("fails only on new findings, if requested")
  func failing() {
    let old = [finding(.doubleRemove, "1")]
    for (new, isNew) in [(old, false), ([finding(.removeUnregistered, "2")], true)] {
      #expect(compared(new, with: old, newOnly: true).hasFindings(atLeast: .error) == isNew)
      #expect(compared(new, with: old).hasFindings(atLeast: .error))
      let junit = JUnitReportRenderer(failingFrom: .error)
        .render(compared(new, with: old, newOnly: true))
      #expect(String(decoding: junit, as: UTF8.self).contains("failures=\"\(isNew ? 1 : 0)\""))
    }
    let moved = compared([finding(.doubleRemove, "9", line: 3)], with: old, newOnly: true)
    #expect(!moved.hasFindings(atLeast: .note))
  }

  @Test("is in every form")
  func forms() {
    let report = compared(
      [
        finding(.doubleRemove, "11111111"), finding(.removeUnregistered, "22222222"),
        finding(.deliveryToDead, "33333333", line: 9),
      ],
      with: [
        finding(.doubleRemove, "11111111"), finding(.duplicateRegistration, "44444444", line: 4),
        finding(.deliveryToDead, "55555555"), finding(.leakedRegistration, "66666666", line: 6),
      ],
      notJudged: [.leakedRegistration]
    )
    let text = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
    let figures = "1 new, 1 unchanged, 1 moved, 1 fixed, 1 not judged"
    #expect(
      text.contains(
        """

        COMPARED with old.json: \(figures)
          fixed: KVO005 44444444: m4
          not judged this time: KVO021 66666666: m6

        """
      )
    )
    #expect(text.contains("Signature: 11111111 · seen once · unchanged · error, contained"))
    #expect(text.contains("Signature: 22222222 · seen once · new · error, contained"))
    #expect(
      text.contains("Signature: 33333333 · seen once · moved, was 55555555 · error, contained")
    )
    let markdown = String(decoding: MarkdownReportRenderer().render(report), as: UTF8.self)
    #expect(
      markdown.contains(
        """
        **Compared with old.json:** \(figures)

        - fixed: KVO005 44444444: m4
        - not judged this time: KVO021 66666666: m6

        """
      )
    )
    #expect(markdown.contains("| error (new) | KVO002 remove-unregistered |"))
    let sarif = String(decoding: SARIFReportRenderer().render(report), as: UTF8.self)
    #expect(
      sarif.matches(of: /"baselineState": "(\w+)"/).map { String($0.1) }
        == ["unchanged", "new", "updated", "absent"]
    )
  }

  @Test("differs from it as shown in text, Markdown and JSON")
  func difference() {
    let difference = ReportDifference(
      from: (
        AuditReport(findings: [
          finding(.doubleRemove, "11111111"), finding(.duplicateRegistration, "44444444", line: 4),
        ]), "old.json"
      ),
      to: (
        AuditReport(findings: [
          finding(.doubleRemove, "11111111"), finding(.removeUnregistered, "22222222"),
        ]), "new.jsonl"
      )
    )
    #expect(
      String(decoding: difference.text(), as: UTF8.self) == """
        NEW: 1 finding

        WARNING: KVOSafety: removal of an observation that was never made (KVO002 remove-unregistered)
          m1
          > #0 f()   A.swift:1
          Fix: h
          Signature: 22222222 · seen once · new · error, contained

        FIXED: 1 finding
          KVO005 44444444: m4

        UNCHANGED: 1 finding
          KVO001 11111111: m1

        SUMMARY: 1 new, 1 fixed, 0 moved, 0 not judged, 1 unchanged from old.json to new.jsonl

        """
    )
    #expect(
      String(decoding: difference.markdown, as: UTF8.self) == """
        ## KVO audit: 1 new, 1 fixed, 0 moved, 0 not judged, 1 unchanged from old.json to new.jsonl

        **New: 1 finding**

        - error KVO002 22222222: m1 at `A.swift:1`

        **Fixed: 1 finding**

        - error KVO005 44444444: m4 at `A.swift:4`

        <details><summary>Unchanged: 1 finding</summary>

        - error KVO001 11111111: m1 at `A.swift:1`

        </details>

        """
    )
    let json = String(decoding: difference.json, as: UTF8.self)
    #expect(
      json.hasPrefix(
        """
        {
          "schema": 1,
          "old": "old.json",
          "new": "new.jsonl",
          "difference": {
            "new": [
              {
                "code": "KVO002",
        """
      )
    )
    #expect(
      json.matches(of: /\n    "(\w+)": \[/).map { String($0.1) }
        == ["new", "fixed", "moved", "notJudged", "unchanged"]
    )
  }
}
