import KVORules

/// Renders a report as JSON: the contract that other tools read.
///
/// Every key is always there, but for those that only crash reports and console texts have, and
/// `omittedFindings`, which says how many findings are left out where some are; null stands
/// for what the input does not say. Keys that later versions
/// add stand behind the others of their object, without a new schema number.
package struct JSONReportRenderer {
  /// The number that goes up when a key changes its meaning or goes away.
  package static let schema = 1

  package init() {}

  /// The report as UTF-8, with a newline at its end.
  ///
  /// - Parameters:
  ///   - report: what was found.
  ///   - limit: what the text stays within; nil: it has everything.
  /// - Returns: the text.
  /// - Complexity: O(size of the report), times O(log n) where n findings do not fit.
  package func render(_ report: AuditReport, within limit: ReportLimit? = nil) -> [UInt8] {
    report.rendered(within: limit, text)
  }

  private func text(_ report: AuditReport) -> [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("schema")
      text.value(Self.schema)
      text.key("inputs")
      text.list(report.inputs) { $0.write($1) }
      text.key("findings")
      text.list(report.findings) { $0.write($1) }
      text.key("notJudged")
      text.list(report.notJudged) { $0.write($1) }
      text.key("summary")
      text.write(report.summary)
      text.key("unreadable")
      text.list(report.failures) { $0.write($1) }
      text.key("unnamed")
      text.list(report.unnamed) { $0.value($1) }
      text.key("crashes")
      text.list(report.crashes) { $0.write($1) }
      text.key("suppressions")
      text.list(report.suppressions) { $0.write($1) }
      text.key("baseline")
      text.write(report.comparison)
      if report.omittedCount > 0 {
        text.key("omittedFindings")
        text.value(report.omittedCount)
      }
    }
    text.end()
    return text.bytes
  }
}

extension JSONText {
  mutating func write(_ input: AuditReport.Input) {
    object { text in
      text.key("path")
      text.value(input.path)
      text.key("kind")
      text.value(input.kind.rawValue)
      text.key("events")
      text.value(input.eventCount)
      text.key("damaged")
      text.list(input.damaged) { $0.write($1) }
      text.key("damagedCount")
      text.value(input.damageCount)
      text.key("ended")
      text.list(input.endings) { $0.value($1.rawValue) }
      text.key("cutAt")
      text.value(input.cutAt)
      if input.ignoredEventCount > 0 {
        text.key("ignoredEvents")
        text.value(input.ignoredEventCount)
      }
      if input.kind.isText {
        text.key("reports")
        text.value(input.reportCount)
      }
    }
  }

  private mutating func write(_ place: DamagedPlace) {
    var text: (line: Int, column: Int)?
    var bytes: (offset: Int, count: Int)?
    switch place.location {
    case .text(let line, let column): text = (line, column)
    case .bytes(let offset, let byteCount): bytes = (offset, byteCount)
    }
    object { json in
      json.key("line")
      json.value(text?.line)
      json.key("column")
      json.value(text?.column)
      json.key("message")
      json.value(place.message)
      json.key("offset")
      json.value(bytes?.offset)
      json.key("byteCount")
      json.value(bytes?.count)
      json.key("path")
      json.value(place.path)
    }
  }

  mutating func write(_ failure: InputFailure) {
    object { text in
      text.key("path")
      text.value(failure.input)
      text.key("line")
      text.value(failure.line)
      text.key("column")
      text.value(failure.column)
      text.key("message")
      text.value(failure.reason)
    }
  }

  fileprivate mutating func write(_ notJudged: AuditReport.NotJudged) {
    object { text in
      text.key("code")
      text.value(notJudged.code.rawValue)
      text.key("why")
      text.value(notJudged.why)
      text.key("reason")
      text.value(notJudged.reason)
      text.key("inputs")
      text.value(notJudged.places?.count)
      text.key("paths")
      text.list(notJudged.places?.paths ?? []) { $0.value($1) }
    }
  }

  fileprivate mutating func write(_ comparison: BaselineComparison?) {
    guard let comparison else { return null() }
    object { text in
      text.key("path")
      text.value(comparison.path)
      text.key("new")
      text.value(comparison.newCount)
      text.key("moved")
      text.value(comparison.movedCount)
      text.key("unchanged")
      text.value(comparison.unchangedCount)
      text.key("fixed")
      text.list(comparison.fixed) { $0.write($1) }
      text.key("notJudged")
      text.list(comparison.unjudged) { $0.write($1) }
    }
  }

  mutating func write(_ outcome: SuppressionOutcome) {
    let suppression = outcome.suppression
    object { text in
      text.key("file")
      text.value(suppression.file)
      text.key("line")
      text.value(suppression.line)
      text.key("state")
      text.value(outcome.state.rawValue)
      text.key("severity")
      text.value(outcome.severity?.rawValue)
      text.key("findings")
      text.value(outcome.matchCount)
      text.key("rule")
      text.value(suppression.rule.text)
      text.key("class")
      text.value(suppression.className?.text)
      text.key("path")
      text.value(suppression.keyPath?.text)
      text.key("frame")
      text.value(suppression.frame?.text)
      text.key("signature")
      text.value(suppression.signature?.text)
      text.key("until")
      text.value(suppression.until.description)
      text.key("reason")
      text.value(suppression.reason)
    }
  }

  fileprivate mutating func write(_ summary: AuditReport.Summary) {
    object { text in
      text.key("events")
      text.value(summary.eventCount)
      text.key("errors")
      text.value(summary.errorCount)
      text.key("warnings")
      text.value(summary.warningCount)
      text.key("liveRegistrations")
      text.value(summary.liveRegistrationCount)
      text.key("droppedEvents")
      text.value(summary.droppedEventCount)
      text.key("notes")
      text.value(summary.noteCount)
      text.key("processes")
      text.value(summary.processCount)
      text.key("suppressed")
      text.value(summary.suppressedCount)
      text.key("libraries")
      text.value(summary.libraryCount)
    }
  }
}
