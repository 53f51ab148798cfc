package import KVOAudit
import KVOFindings
import KVORules
import KVOText

/// Renders a report as Markdown, for a pull request or an issue.
///
/// A table of the findings comes first; the stacks of each are folded under it.
package struct MarkdownReportRenderer {
  private let showsSuppressed: Bool

  /// Makes a renderer.
  ///
  /// - Parameter showsSuppressed: whether suppressed findings are reported like others, and not only
  ///   counted.
  package init(showsSuppressed: Bool = false) { self.showsSuppressed = showsSuppressed }

  /// The report as UTF-8, with a newline at its end.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - limit: the limit of the text; nil: no limit.
  /// - Returns: the text.
  /// - Complexity: O(size of the report), times O(log n) when n findings do not fit.
  package func render(_ report: AuditReport, within limit: ReportLimit? = nil) -> [UInt8] {
    var report = report
    let suppressedCount = report.findings.count { $0.suppression != nil }
    if !showsSuppressed { report.findings.removeAll { $0.suppression != nil } }
    let listLimit = limit == nil ? Int.max : Self.listLimit
    return report.rendered(within: limit) { report in
      text(report, suppressedCount: showsSuppressed ? 0 : suppressedCount, listLimit)
    }
  }

  /// How many entries lists other than that of the findings have, if there is a limit.
  private static let listLimit = 20

  private func text(_ report: AuditReport, suppressedCount: Int, _ listLimit: Int) -> [UInt8] {
    func list(_ lines: [String]) -> String {
      let rest = lines.count - listLimit
      let tail = rest > 0 ? ["- and \(Wording.grouped(rest)) more"] : []
      return (lines.prefix(listLimit) + tail).joined(separator: "\n")
    }
    var blocks = ["## KVO audit: \(verdict(report))"]
    if let omission = report.omission { blocks.append("**\(Self.escaped(omission)).**") }
    if !report.findings.isEmpty { blocks.append(table(report.findings)) }
    blocks += report.findings.map(details)
    if suppressedCount > 0 {
      blocks.append("\(Wording.count(suppressedCount, "finding")) suppressed.")
    }
    if let comparison = report.comparison {
      blocks.append(ComparisonText(comparison).markdown(Self.escaped))
    }
    let lines = report.suppressions.compactMap(\.line).map { "- \(Self.escaped($0))" }
    if !lines.isEmpty {
      blocks.append("**Suppressions to look at:**\n\n" + list(lines))
    }
    blocks += report.crashes.prefix(listLimit).map { crash in
      "**The recorded process crashed.**\n\n" + fenced(FindingText().render(crash))
    }
    if report.crashes.count > listLimit {
      let rest = report.crashes.count - listLimit
      blocks.append("and \(Wording.count(rest, "more crash", "more crashes"))")
    }
    if report.isIncomplete {
      let lines = report.incompleteness.map { "- \(Self.escaped($0))" }
      blocks.append("**Incomplete, and not clean:**\n\n" + list(lines))
    }
    let notes = (report.inputs.flatMap(\.endingNotes) + report.unlistedNotes)
      .map { "- \(Self.escaped($0))" }
    if !notes.isEmpty { blocks.append("**How the logs end:**\n\n" + list(notes)) }
    if !report.failures.isEmpty {
      let lines = report.failures.map { "- \(Self.escaped($0.message))" }
      blocks.append("**Not read:**\n\n" + list(lines))
    }
    if !report.unnamed.isEmpty {
      let lines = report.unnamed.map { "- \(Self.escaped($0))" }
      blocks.append("**Not named, so that frames stay addresses:**\n\n" + list(lines))
    }
    if !report.notJudged.isEmpty {
      let lines = report.notJudged.map { "- \($0.code.rawValue): \(Self.escaped($0.why))" }
      blocks.append(
        Self.folded("Rules that were not judged, which is not clean", list(lines))
      )
    }
    return Array((blocks.joined(separator: "\n\n") + "\n").utf8)
  }

  private func verdict(_ report: AuditReport) -> String {
    // Figures without data would look like a clean result.
    if report.isUnread { return "nothing could be read" }
    let (summary, crashCount) = (report.summary, report.crashCount)
    let crashes = crashCount == 0 ? [] : [Wording.count(crashCount, "crash", "crashes")]
    var counts = [
      Wording.count(summary.errorCount, "error"), Wording.count(summary.warningCount, "warning"),
    ]
    if summary.noteCount > 0 { counts.append(Wording.count(summary.noteCount, "note")) }
    let foundCount = summary.errorCount + summary.warningCount + summary.noteCount
    let isClean = foundCount == 0 && crashCount == 0
    let isUnjudged = isClean && report.whyNothingWasJudged != nil
    let found = isClean ? [] : crashes + counts
    let verdict = Headline.verdict(report, found: found, isUnjudged: isUnjudged)
    return isUnjudged ? verdict : "\(verdict) in \(Wording.count(summary.eventCount, "event"))"
  }

  private func table(_ findings: [Finding]) -> String {
    let rows = findings.map { finding in
      let location = finding.firstOwnLocation
      let note =
        finding.isExpected
        ? " (meant)"
        : finding.isSuppressed ? " (suppressed)" : finding.isLibrary ? " (in a library)" : ""
      let state = finding.baseline.map { " (\($0.name))" } ?? ""
      return
        "| \(finding.severity.rawValue)\(note)\(state) | \(finding.code.rawValue) \(finding.code.slug) "
        + "| \(Self.escaped(finding.message)) | \(location.map { "`\(Self.cell($0))`" } ?? "") "
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

  /// Text as it is, in a fence that is longer than any in it.
  private func fenced(_ text: String) -> String {
    var longest = 2
    var run = 0
    for scalar in text.unicodeScalars {
      run = scalar == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    return "\(fence)\n\(text)\(text.hasSuffix("\n") ? "" : "\n")\(fence)"
  }

  /// Text as Markdown shows it, also in a table.
  ///
  /// Forges link `@name`, `#1`, `GH-1` and addresses after Markdown was rendered, and notify the people
  /// they refer to. A zero-width space after the first character of such a reference prevents that.
  static func escaped(_ text: String) -> String {
    var result = ""
    // The last characters, in small letters: an address may begin with `www.`, a number with `GH-`.
    var recent = ""
    // By scalar, as readers do: a mark that combines with a special character does not make it another one.
    for scalar in ShownText.escaped(text).unicodeScalars {
      if "\\`*_{}[]<>#|~@&".unicodeScalars.contains(scalar) { result.append("\\") }
      result.unicodeScalars.append(scalar)
      recent += scalar.properties.lowercaseMapping
      recent = String(recent.unicodeScalars.suffix(4))
      if scalar == "@" || scalar == "#" || recent.hasSuffix("://") || recent.hasSuffix("gh-")
        || recent == "www."
      {
        result += "&#8203;"
      }
    }
    return result
  }

  /// Code in a cell of a table.
  static func cell(_ text: String) -> String {
    var result = ""
    for scalar in ShownText.escaped(text).unicodeScalars {
      switch scalar {
      case "`": result += "'"
      case "|": result += "\\|"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Finding {
  /// File and line of the first own frame whose file is known.
  var firstOwnLocation: String? {
    let frames = stacks.lazy.compactMap { $0.frames.first(where: \.isFirstOwn) }
    return frames.first { $0.file != nil }.map(FindingText.location)
  }
}
