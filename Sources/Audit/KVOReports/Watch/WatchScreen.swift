package import KVOAudit
package import KVORules
import KVOText

/// A terminal's view of a growing log: the current observations, and the findings, the newest last.
package struct WatchScreen: Sendable {
  /// The findings so far, in the order in which they were found.
  package private(set) var findings: [Finding] = []
  private var known: Set<String> = []

  package init() {}

  /// Adds the current findings of the log, and returns those that are new.
  ///
  /// A finding whose line is unknown may get another signature once it is known; it is then reported again. Suppressed
  /// ones are omitted.
  ///
  /// Complexity: O(findings).
  ///
  /// - Parameter report: the current findings.
  /// - Returns: the new findings, in the report's order.
  package mutating func take(_ report: AuditReport) -> [Finding] {
    let new = report.findings.filter { $0.counts && !known.contains($0.signature) }
    known.formUnion(new.map(\.signature))
    findings += new
    return new
  }

  /// The lines of the screen, each cut to its width.
  ///
  /// - Parameters:
  ///   - report: the current findings, with the call sites that register.
  ///   - label: the name of the log.
  ///   - columnCount: how wide the terminal is.
  ///   - rowCount: how high it is.
  /// - Returns: as many lines as fit, or fewer.
  /// - Complexity: O(n log n) in the call sites.
  package func lines(
    of report: AuditReport,
    label: String,
    columnCount: Int,
    rowCount: Int
  ) -> [String] {
    var lines = [heading(report, label), ""]
    // At most half of the screen is for findings, the newest of them.
    let shownCount = min(findings.count, max(1, (rowCount - 5) / 2))
    let tail = findings.suffix(shownCount).map {
      "  \($0.severity.rawValue) \(ComparisonText.line($0))"
    }
    // The heading of the table, how many more there are, and what precedes the findings.
    let siteLimit = max(1, rowCount - lines.count - 4 - tail.count)
    lines += callSites(report, limit: siteLimit)
    if !tail.isEmpty { lines += ["", "FOUND, the newest last"] + tail }
    return lines.prefix(rowCount).map { String($0.prefix(columnCount)) }
  }

  private func heading(_ report: AuditReport, _ label: String) -> String {
    let summary = report.summary
    let state = report.inputs.isEmpty ? "waiting" : report.isOver ? "ended" : "running"
    return "\(ShownText.escaped(label)): \(Wording.count(summary.eventCount, "event")), "
      + "\(Wording.count(summary.liveRegistrationCount, "observation")) live, "
      + "\(Wording.count(findings.count, "finding")), \(state)"
  }

  private func callSites(_ report: AuditReport, limit: Int) -> [String] {
    let live = (report.callSites ?? [])
      .sorted {
        if $0.liveCount != $1.liveCount { return $0.liveCount > $1.liveCount }
        return CallSiteCount.isBefore($0, $1)
      }
    guard !live.isEmpty else { return ["  nothing is registered yet"] }
    var table = ColumnTable([
      ("live", .right), ("made", .right), ("observed", .left), ("key path", .left),
      ("observer", .left), ("registered at", .left),
    ])
    for count in live.prefix(limit) {
      table.append(
        [Wording.grouped(count.liveCount), Wording.grouped(count.madeCount)] + count.site.cells
      )
    }
    let more = live.count - limit
    return table.lines.map { "  \($0)" }
      + (more > 0 ? ["  … and \(Wording.count(more, "call site")) more"] : [])
  }
}
