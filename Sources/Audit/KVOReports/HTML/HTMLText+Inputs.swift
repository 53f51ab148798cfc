import KVOAudit
import KVORules
import KVOText

extension HTMLText {
  /// Writes the unjudged rules, a line for each reason.
  mutating func writeNotJudged(_ rules: [AuditReport.NotJudged]) {
    var reasons: [String] = []
    var codes: [String: [RuleCode]] = [:]
    for rule in rules {
      if codes[rule.why] == nil { reasons.append(rule.why) }
      codes[rule.why, default: []].append(rule.code)
    }
    element("ul", ["class": "panel plain"]) { page in
      page.line()
      page.entries(reasons) { page, reason in
        page.element("code", text: Wording.listed(codes[reason, default: []]))
        page.text(": \(reason)")
      }
    }
    line()
  }

  /// Writes the comparison with a previous report, and problems of suppressions.
  mutating func writeKnown(_ report: AuditReport) {
    element("div", ["class": "panel"]) { page in
      page.line()
      if let comparison = report.comparison {
        page.element("ul", ["class": "plain"]) { page in
          let lines = ComparisonText(comparison).block.split(separator: "\n").map(String.init)
          page.entries(lines) { $0.text($1, limit: 500) }
        }
        page.line()
      }
      let outcomes = report.suppressions.filter { $0.advice != nil }
      page.element("ul", ["class": "plain"]) { page in
        page.entries(outcomes) { $0.text($1.line ?? "", limit: 500) }
      }
    }
    line()
  }

  /// Writes the inputs that were read, and those that could not be.
  mutating func writeInputs(_ report: AuditReport) {
    element("ul", ["class": "panel plain"]) { page in
      page.line()
      page.entries(report.inputs) { page, input in
        page.element("code", text: input.path)
        let size =
          input.kind.isText
          ? Wording.count(input.reportCount, "report") : Wording.count(input.eventCount, "event")
        page.text(" \(input.kind.rawValue), \(size)")
        guard input.damageCount > 0 else { return }
        page.text(", \(Wording.count(input.damageCount, "damaged part"))")
        page.element("ul", ["class": "small quiet"]) { page in
          for damage in input.damaged.prefix(10) {
            page.element("li") { $0.text(damage.text(input: input.path), limit: 300) }
          }
          let more = input.damageCount - min(10, input.damaged.count)
          if more > 0 { page.element("li", text: "and \(Wording.grouped(more)) more") }
        }
      }
      page.entries(report.inputs.flatMap(\.endingNotes)) { page, note in
        page.text(note, limit: 500)
      }
      page.entries(report.unlistedNotes) { $0.text($1) }
      page.entries(report.failures) { page, failure in
        page.text("Not read: \(failure.message)", limit: 500)
      }
      page.entries(report.unnamed) { page, reason in
        page.text("Frames stay addresses: \(reason)", limit: 500)
      }
    }
    line()
  }

  /// Writes the first of `entries`, and the number of the others.
  mutating func entries<Entry>(
    _ entries: [Entry],
    _ write: (inout HTMLText, Entry) -> Void
  ) {
    for entry in entries.prefix(HTMLReportRenderer.listLimit) {
      element("li") { write(&$0, entry) }
      line()
    }
    let more = entries.count - HTMLReportRenderer.listLimit
    if more > 0 {
      element("li", text: "and \(Wording.grouped(more)) more")
      line()
    }
  }
}
