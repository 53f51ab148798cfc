import KVORules

/// Renders a report as Markdown, for a pull request or an issue.
///
/// A table of the findings comes first; the stacks of each are folded under it.
package struct MarkdownReportRenderer {
  package init() {}

  /// The report as UTF-8, with a newline at its end.
  ///
  /// Complexity: O(size of the report).
  package func render(_ report: AuditReport) -> [UInt8] {
    var blocks = ["## KVO audit: \(verdict(report.summary))"]
    if !report.findings.isEmpty { blocks.append(table(report.findings)) }
    blocks += report.findings.map(details)
    blocks += report.crashes.map { crash in
      "**The recorded process crashed.**\n\n" + fenced(FindingText().render(crash))
    }
    if !report.failures.isEmpty {
      let lines = report.failures.map { "- \(escaped($0.message))" }
      blocks.append("**Not read:**\n\n" + lines.joined(separator: "\n"))
    }
    if !report.notJudged.isEmpty {
      let lines = report.notJudged.map { "- \($0.code.rawValue): \(escaped($0.why))" }
      blocks.append(
        folded("Rules that were not judged, which is not clean", lines.joined(separator: "\n"))
      )
    }
    return Array((blocks.joined(separator: "\n\n") + "\n").utf8)
  }

  private func verdict(_ summary: AuditReport.Summary) -> String {
    let events = Wording.count(summary.eventCount, "event")
    if summary.errorCount == 0, summary.warningCount == 0 { return "nothing found in \(events)" }
    return "\(Wording.count(summary.errorCount, "error")), "
      + "\(Wording.count(summary.warningCount, "warning")) in \(events)"
  }

  private func table(_ findings: [Finding]) -> String {
    let rows = findings.map { finding in
      let place = finding.stacks.lazy.compactMap(\.frames.firstOwnPlace).first
      let note = finding.isExpected ? " (meant)" : finding.isSuppressed ? " (suppressed)" : ""
      return
        "| \(finding.severity.rawValue)\(note) | \(finding.code.rawValue) \(finding.code.slug) "
        + "| \(escaped(finding.message)) | \(place.map { "`\(cell($0))`" } ?? "") "
        + "| \(finding.count) |"
    }
    return (["| | rule | what happened | where | times |", "|---|---|---|---|---|"] + rows)
      .joined(separator: "\n")
  }

  private func details(_ finding: Finding) -> String {
    folded(
      "\(finding.code.rawValue) \(finding.code.slug), \(finding.signature)",
      fenced(FindingText().render(finding))
    )
  }

  private func folded(_ summary: String, _ body: String) -> String {
    "<details><summary>\(summary)</summary>\n\n\(body)\n\n</details>"
  }

  /// Text as it stands, in a fence that is longer than any in it.
  private func fenced(_ text: String) -> String {
    var longest = 2
    var run = 0
    for character in text {
      run = character == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    return "\(fence)\n\(text)\(text.hasSuffix("\n") ? "" : "\n")\(fence)"
  }

  /// Text as Markdown shows it, also in a table.
  private func escaped(_ text: String) -> String {
    var result = ""
    for character in ShownText.escaped(text) {
      if "\\`*_{}[]<>#|~@".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }

  /// Code in a cell of a table.
  private func cell(_ text: String) -> String {
    ShownText.escaped(text).replacing("`", with: "'").replacing("|", with: "\\|")
  }
}

extension [Finding.StackFrame] {
  /// File and line of the first own frame.
  fileprivate var firstOwnPlace: String? {
    guard let frame = first(where: \.isFirstOwn), frame.file != nil else { return nil }
    return FindingText.place(of: frame)
  }
}
