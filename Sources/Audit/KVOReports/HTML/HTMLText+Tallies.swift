import KVORules
import KVOText

extension HTMLText {
  /// How many rules or files are listed.
  static let tallyLimit = 100

  /// Writes how many findings each rule and each file has, beside each other; a script makes them filters.
  mutating func writeTallies(_ findings: [Finding], _ files: FindingFiles) {
    element("div", ["class": "pair"]) { page in
      page.line()
      page.writeTally("By rule", RuleTally.all(of: findings)) { rule in
        TallyRow(
          title: "\(rule.code.rawValue) \(rule.code.slug)",
          severity: rule.severity,
          count: rule.findingCount,
          field: "rule",
          value: rule.code.rawValue
        )
      }
      page.writeTally("By file", files.files) { file in
        TallyRow(
          title: file.name,
          severity: file.severity,
          count: file.findingCount,
          field: "file",
          value: file.name
        )
      }
    }
    line()
  }

  private mutating func writeTally<Item>(
    _ caption: String,
    _ items: [Item],
    _ row: (Item) -> TallyRow
  ) {
    element("div", ["class": "panel scrolls"]) { page in
      page.element("table") { page in
        page.element("caption", ["class": "small quiet"], text: caption)
        page.line()
        page.element("tbody") { page in
          page.line()
          for item in items.prefix(Self.tallyLimit) { page.write(row(item)) }
        }
      }
      let more = items.count - Self.tallyLimit
      if more > 0 {
        page.element("p", ["class": "quiet small"], text: "and \(Wording.grouped(more)) more")
      }
    }
    line()
  }

  private mutating func write(_ row: TallyRow) {
    element("tr") { page in
      page.element("td", ["class": row.severity.rawValue]) { page in
        page.sign(row.severity.rawValue)
        page.element("span", ["class": "unseen"], text: " \(row.severity.rawValue)")
        page.markup(" ")
        page.element(
          "a",
          ["href": "#findings", "data-field": row.field, "data-value": row.value],
          text: row.title,
          limit: 200
        )
      }
      page.element("td", ["class": "figure"], text: Wording.grouped(row.count))
    }
    line()
  }
}

/// A rule or a file in a table, and the filter that it sets.
private struct TallyRow {
  var title: String
  var severity: Severity
  var count: Int
  var field: String
  var value: String
}

/// How many findings a rule has.
struct RuleTally: Hashable {
  var code: RuleCode
  var findingCount: Int
  /// The severity of its worst finding.
  var severity: Severity

  /// The rules of `findings`, those with the most first.
  static func all(of findings: [Finding]) -> [RuleTally] {
    var tallies: [RuleCode: RuleTally] = [:]
    for finding in findings {
      var tally =
        tallies[finding.code]
        ?? RuleTally(code: finding.code, findingCount: 0, severity: finding.severity)
      tally.findingCount += 1
      tally.severity = max(tally.severity, finding.severity)
      tallies[finding.code] = tally
    }
    return tallies.values.sorted { ($1.findingCount, $0.code) < ($0.findingCount, $1.code) }
  }
}
