import KVORules
import Testing

@testable import KVOAudit
@testable import KVOReports

@Suite("The report as Markdown")
struct MarkdownReportRendererTests {
  private func text(_ report: AuditReport) -> String {
    String(decoding: MarkdownReportRenderer().render(report), as: UTF8.self)
  }

  @Test("has a table of the findings, with their evidence folded")
  func whole() {
    #expect(
      text(.wholeSample) == """
        ## KVO audit: incomplete input, 1 error, 0 warnings, 2 notes in 1,204 events

        | | rule | what happened | where | times |
        |---|---|---|---|---|
        | error | KVO001 double-remove | Screen\\#&#8203;3 removed "balance" twice | `Screen.swift:41` | 3 |

        <details><summary>KVO001 double-remove, 5f0c2a91</summary>

        ```
        WARNING: KVOSafety: observation removed twice (KVO001 double-remove)
          Screen#3 removed "balance" twice
          > #0 Screen.deinit   Screen.swift:41
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
        ```

        </details>

        **Not read:**

        - b.jsonl: no such file

        <details><summary>Rules that were not judged, which is not clean</summary>

        - KVO014: no writes

        </details>

        """
    )
  }

  @Test("says why frames are addresses, before the rules that were not judged")
  func unnamed() {
    var report = AuditReport()
    report.notJudged = [AuditReport.NotJudged(code: .mutationWithoutNotification, why: "no writes")]
    report.unnamed = (1...21).map { "lib_\($0).so has no debug information" }
    #expect(
      text(report).hasPrefix(
        """
        ## KVO audit: nothing found in 0 events

        **Not named, so that frames stay addresses:**

        - lib\\_1.so has no debug information
        - lib\\_2.so has no debug information

        """
      )
    )
    #expect(
      text(report).hasSuffix(
        """
        - lib\\_21.so has no debug information

        <details><summary>Rules that were not judged, which is not clean</summary>

        - KVO014: no writes

        </details>

        """
      )
    )
    let limited = MarkdownReportRenderer().render(report, within: .markdown)
    #expect(
      String(decoding: limited, as: UTF8.self).contains(
        "- lib\\_20.so has no debug information\n- and 1 more\n\n<details>"
      )
    )
  }

  @Test("says so if nothing was found")
  func clean() {
    #expect(text(AuditReport()) == "## KVO audit: nothing found in 0 events\n")
  }

  @Test("does not say that nothing was found above a note")
  func note() {
    var report = AuditReport.wholeSample
    report.failures = []
    report.findings[0].severity = .note
    report.countFindings()
    #expect(
      text(report).hasPrefix(
        """
        ## KVO audit: 0 errors, 0 warnings, 1 note in 1,204 events

        | | rule | what happened | where | times |
        |---|---|---|---|---|
        | note | KVO001 double-remove |
        """
      )
    )
    // The twin: a note that does not count is nothing that was found.
    report.findings[0].isExpected = true
    report.countFindings()
    #expect(text(report).hasPrefix("## KVO audit: nothing found in 1,204 events\n"))
  }

  @Test("says so if nothing was found, and an input was not read")
  func unread() {
    var report = AuditReport.wholeSample
    report.findings = []
    report.countFindings()
    #expect(
      text(report).hasPrefix("## KVO audit: incomplete input, nothing found in 1,204 events\n")
    )
  }

  @Test("of findings has what a suppression that makes the audit fail is, in the heading")
  func suppressions() throws {
    var report = AuditReport()
    let file = try SuppressionFile(
      path: "kvo",
      bytes: Array("KVO001 until=2026-01-31 because f\nKVO002 until=2027-02-01 because g\n".utf8)
    )
    report.suppress(file.suppressions, on: try #require(CalendarDay("2027-01-15")))
    #expect(report.hasFindings(atLeast: .error))
    #expect(
      text(report).hasPrefix(
        "## KVO audit: nothing found, 1 expired suppression in 0 events\n"
      )
    )
    // An input that cannot be read is not hidden by it.
    report.inputs = [AuditReport.Input(path: "a.jsonl", kind: .jsonLines, eventCount: 1)]
    report.failures = [InputFailure(input: "b.jsonl", reason: "no such file")]
    #expect(
      text(report).hasPrefix(
        "## KVO audit: incomplete input, nothing found, 1 expired suppression in 0 events\n"
      )
    )
    report.failures = []
    // The twin: one that matched nothing makes no audit fail.
    report.suppressions.removeFirst()
    #expect(!report.hasFindings(atLeast: .warning))
    #expect(text(report).hasPrefix("## KVO audit: nothing found in 0 events\n"))
  }

  @Test("lets no name in a log break out of a cell or of a fence")
  func hostile() {
    var report = AuditReport.sample
    report.findings[0].message = "| <b>`x` *y* @all ````\n# z"
    let text = text(report)
    #expect(
      text.contains(##"| \| \<b\>\`x\` \*y\* \@&#8203;all \`\`\`\`\\n\#&#8203; z |"##)
    )
    #expect(text.contains("\n`````\nWARNING"))
  }

  @Test("lets no mark that combines with a character hide that it ends a cell or code")
  func marks() {
    let escaped = MarkdownReportRenderer.escaped("|\u{301}[\u{301}x](y) @\u{301}a")
    #expect(
      Array(escaped.unicodeScalars)
        == Array("\\|\u{301}\\[\u{301}x\\](y) \\@&#8203;\u{301}a".unicodeScalars)
    )
    let cell = MarkdownReportRenderer.cell("a||`\u{301}|\u{301}")
    #expect(Array(cell.unicodeScalars) == Array("a\\|\\|'\u{301}\\|\u{301}".unicodeScalars))
  }

  @Test(
    "lets no name in a log call anyone, or refer to an issue",
    arguments: [
      ("@octocat", "\\@&#8203;octocat"), ("closure #1 in", "closure \\#&#8203;1 in"),
      ("owner/name#12", "owner/name\\#&#8203;12"), ("GH-7, gh-8", "GH-&#8203;7, gh-&#8203;8"),
      ("https://github.com/a/b/pull/1", "https://&#8203;github.com/a/b/pull/1"),
      ("www.github.com/a", "www.&#8203;github.com/a"), ("&#64;all", "\\&\\#&#8203;64;all"),
    ]
  )
  func references(_ name: String, _ shown: String) {
    #expect(MarkdownReportRenderer.escaped(name) == shown)
  }
}
