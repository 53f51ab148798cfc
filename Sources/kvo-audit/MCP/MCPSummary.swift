import KVOAudit
import KVOFindings
import KVORules
import KVOText

/// An audit in a few lines for an agent: one for each finding, with the signature to ask for more.
struct MCPSummary {
  private let report: AuditReport
  private let limit: Int

  init(_ report: AuditReport, limit: Int) {
    self.report = report
    self.limit = limit
  }

  /// The lines.
  ///
  /// - Throws: the reason, if nothing could be read.
  func text() throws(MCPArguments.Failure) -> String {
    if report.inputs.isEmpty, let failure = report.failures.first {
      throw .init(message: failure.message)
    }
    let summary = report.summary
    let counts = [
      Wording.count(summary.errorCount, "error"), Wording.count(summary.warningCount, "warning"),
      Wording.count(summary.noteCount, "note"),
    ]
    var lines = [
      "\(counts.joined(separator: ", ")) in \(Wording.count(summary.eventCount, "event")), "
        + "\(Wording.count(summary.liveRegistrationCount, "observation")) live at the end"
    ]
    lines += report.findings.prefix(limit).map(Self.line)
    let more = report.findings.count - limit
    if more > 0 { lines.append("and \(Wording.grouped(more)) more; raise \"limit\" to see them") }
    for crash in report.crashes.prefix(3) {
      lines.append("crashed: \(crash.phrases.joined(separator: ", "))")
    }
    for part in report.failures.map(\.message) + report.incompleteness {
      lines.append("incomplete: \(part)")
    }
    if let reason = report.whyNothingWasJudged { lines.append("nothing was judged: \(reason)") }
    let unjudged = Set(report.notJudged.map(\.code.rawValue)).sorted()
    if !unjudged.isEmpty {
      lines.append("not judged, which is not clean: \(unjudged.joined(separator: " "))")
    }
    return lines.map(ShownText.escaped).joined(separator: "\n")
  }

  private static func line(_ finding: Finding) -> String {
    // An address names no place in the source.
    let place =
      finding.stacks.lazy
      .filter { $0.site != nil || $0.frames.contains(where: \.isFirstOwn) }
      .compactMap(\.location).first.map { " at \($0)" } ?? ""
    let times = finding.count > 1 ? " \(finding.count) times" : ""
    let mark = finding.isSuppressed ? " suppressed" : finding.isExpected ? " expected" : ""
    return "\(finding.shortSignature) \(finding.severity.rawValue) \(finding.code.rawValue) "
      + "\(finding.code.slug)\(times)\(mark)\(place): \(finding.message)"
  }
}
