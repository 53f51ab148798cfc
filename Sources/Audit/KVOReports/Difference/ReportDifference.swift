package import KVOAudit
import KVOReportFile
import KVORules
import KVOText

/// The difference between two reports.
package struct ReportDifference: Sendable {
  package let oldPath: String
  package let newPath: String
  /// The newer report, compared with the older.
  package let report: AuditReport

  /// Compares two reports.
  ///
  /// - Parameters:
  ///   - old: the older report, and its name.
  ///   - new: the newer report, and its name.
  /// - Complexity: O(n log n) in the findings of both.
  package init(
    from old: (report: AuditReport, path: String),
    to new: (report: AuditReport, path: String)
  ) {
    var report = new.report
    report.compare(with: old.report, at: old.path, countsNewOnly: true)
    self.report = report
    oldPath = old.path
    newPath = new.path
  }

  /// The parts, in the order in which they are reported.
  private var parts: [(name: String, findings: [Finding])] {
    func with(_ name: String) -> [Finding] {
      report.findings.filter { $0.baseline?.name == name && $0.counts }
    }
    return [
      ("new", with("new")), ("fixed", report.comparison?.fixed ?? []),
      ("moved", with("moved")), ("notJudged", report.comparison?.unjudged ?? []),
      ("unchanged", with("unchanged")),
    ]
  }

  private static let headings = [
    "new": "NEW", "fixed": "FIXED", "moved": "MOVED to another line",
    "notJudged": "NOT JUDGED this time, which is not fixed", "unchanged": "UNCHANGED",
  ]

  /// The difference for people, as UTF-8, with a newline at its end.
  ///
  /// New findings are shown in full, the others in a line each.
  package func text(isColored: Bool = false) -> [UInt8] {
    let findingText = FindingText(isColored: isColored)
    var blocks: [String] = []
    for (name, findings) in parts where !findings.isEmpty {
      let heading = "\(Self.headings[name] ?? name): \(Wording.count(findings.count, "finding"))"
      if name == "new" {
        blocks.append(heading)
        blocks += findings.map { String(findingText.render($0).dropLast()) }
      } else {
        blocks.append(
          ([heading] + findings.map { "  \(ComparisonText.line($0))" }).joined(separator: "\n")
        )
      }
    }
    for part in report.incompleteness { blocks.append("INCOMPLETE: \(ShownText.escaped(part))") }
    blocks.append("SUMMARY: \(summary)")
    return Array((blocks.joined(separator: "\n\n") + "\n").utf8)
  }

  /// The difference for a pull request, as UTF-8, with a newline at its end.
  package var markdown: [UInt8] {
    let gap = Headline.gap(report.mayLackFindings)
    var blocks = ["## KVO audit: \(gap)\(MarkdownReportRenderer.escaped(summary))"]
    blocks += report.incompleteness.map { "**Incomplete:** \(MarkdownReportRenderer.escaped($0))" }
    for (name, findings) in parts where !findings.isEmpty {
      let lines = findings.map { finding in
        let location =
          finding.firstOwnLocation.map { " at `\(MarkdownReportRenderer.cell($0))`" } ?? ""
        return "- \(finding.severity.rawValue) "
          + MarkdownReportRenderer.escaped(ComparisonText.line(finding)) + location
      }
      let heading = (Self.headings[name] ?? name).capitalizedFirst
      let count = Wording.count(findings.count, "finding")
      if name == "new" || name == "fixed" {
        blocks.append("**\(heading): \(count)**\n\n" + lines.joined(separator: "\n"))
      } else {
        blocks.append(
          MarkdownReportRenderer.folded("\(heading): \(count)", lines.joined(separator: "\n"))
        )
      }
    }
    return Array((blocks.joined(separator: "\n\n") + "\n").utf8)
  }

  /// The difference as JSON, as UTF-8, with a newline at its end.
  package var json: [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("schema")
      text.value(ReportFile.schema)
      text.key("old")
      text.value(oldPath)
      text.key("new")
      text.value(newPath)
      text.key("difference")
      text.object { text in
        for (name, findings) in parts {
          text.key(name)
          text.list(findings) { $0.write($1) }
        }
      }
    }
    text.end()
    return text.bytes
  }

  private var summary: String {
    let counts = parts.map { part in
      "\(Wording.grouped(part.findings.count)) \(part.name == "notJudged" ? "not judged" : part.name)"
    }
    return "\(counts.joined(separator: ", ")) from \(ShownText.escaped(oldPath)) to "
      + ShownText.escaped(newPath)
  }
}

extension String {
  /// `FIXED` as `Fixed`.
  fileprivate var capitalizedFirst: String {
    guard let space = firstIndex(of: " ") else { return prefix(1) + dropFirst().lowercased() }
    return prefix(1) + self[..<space].dropFirst().lowercased() + self[space...].lowercased()
  }
}
