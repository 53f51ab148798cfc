import KVORules

/// Renders a report as Markdown, for a pull request or an issue.
///
/// A table of the findings comes first; the stacks of each are folded under it.
package struct MarkdownReportRenderer {
  private let showsSuppressed: Bool

  /// Makes a renderer.
  ///
  /// - Parameter showsSuppressed: whether suppressed findings are told of like others, and not only
  ///   counted.
  package init(showsSuppressed: Bool = false) { self.showsSuppressed = showsSuppressed }

  /// The report as UTF-8, with a newline at its end.
  ///
  /// Complexity: O(size of the report).
  package func render(_ report: AuditReport) -> [UInt8] {
    var blocks = ["## KVO audit: \(verdict(report.summary))"]
    let shown = report.findings.filter { showsSuppressed || $0.suppression == nil }
    if !shown.isEmpty { blocks.append(table(shown)) }
    blocks += shown.map(details)
    if shown.count < report.findings.count {
      let count = Wording.count(report.findings.count - shown.count, "finding")
      blocks.append("\(count) suppressed.")
    }
    if let comparison = report.comparison {
      blocks.append(ComparisonText(comparison).markdown(Self.escaped))
    }
    let lines = report.suppressions.compactMap(\.line).map { "- \(Self.escaped($0))" }
    if !lines.isEmpty {
      blocks.append("**Suppressions to look at:**\n\n" + lines.joined(separator: "\n"))
    }
    blocks += report.crashes.map { crash in
      "**The recorded process crashed.**\n\n" + fenced(FindingText().render(crash))
    }
    let notes = report.inputs.flatMap(\.endingNotes).map { "- \(Self.escaped($0))" }
    if !notes.isEmpty { blocks.append("**How the logs end:**\n\n" + notes.joined(separator: "\n")) }
    if !report.failures.isEmpty {
      let lines = report.failures.map { "- \(Self.escaped($0.message))" }
      blocks.append("**Not read:**\n\n" + lines.joined(separator: "\n"))
    }
    if !report.notJudged.isEmpty {
      let lines = report.notJudged.map { "- \($0.code.rawValue): \(Self.escaped($0.why))" }
      blocks.append(
        Self.folded("Rules that were not judged, which is not clean", lines.joined(separator: "\n"))
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
      let place = finding.firstOwnPlace
      let note =
        finding.isExpected
        ? " (meant)"
        : finding.isSuppressed ? " (suppressed)" : finding.isLibrary ? " (in a library)" : ""
      let state = finding.baseline.map { " (\($0.name))" } ?? ""
      return
        "| \(finding.severity.rawValue)\(note)\(state) | \(finding.code.rawValue) \(finding.code.slug) "
        + "| \(Self.escaped(finding.message)) | \(place.map { "`\(Self.cell($0))`" } ?? "") "
        + "| \(finding.count) |"
    }
    return (["| | rule | what happened | where | times |", "|---|---|---|---|---|"] + rows)
      .joined(separator: "\n")
  }

  private func details(_ finding: Finding) -> String {
    Self.folded(
      "\(finding.code.rawValue) \(finding.code.slug), \(finding.shortSignature)",
      fenced(FindingText().render(finding))
    )
  }

  static func folded(_ summary: String, _ body: String) -> String {
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
  ///
  /// Forges link `@name`, `#1`, `GH-1` and addresses after Markdown was rendered, and tell whoever is meant:
  /// a space of no width, behind the sign that begins them, keeps a name in a log from doing so.
  static func escaped(_ text: String) -> String {
    var result = ""
    // The last characters, in small letters: an address may begin with `www.`, a number with `GH-`.
    var recent = ""
    for character in ShownText.escaped(text) {
      if "\\`*_{}[]<>#|~@&".contains(character) { result.append("\\") }
      result.append(character)
      recent = String((recent + character.lowercased()).suffix(4))
      if "@#".contains(character) || recent.hasSuffix("://") || recent.hasSuffix("gh-")
        || recent == "www."
      {
        result += "&#8203;"
      }
    }
    return result
  }

  /// Code in a cell of a table.
  static func cell(_ text: String) -> String {
    ShownText.escaped(text).replacing("`", with: "'").replacing("|", with: "\\|")
  }
}

extension Finding {
  /// File and line of the first own frame whose file is known.
  var firstOwnPlace: String? {
    let frames = stacks.lazy.compactMap { $0.frames.first(where: \.isFirstOwn) }
    return frames.first { $0.file != nil }.map(FindingText.place)
  }
}
