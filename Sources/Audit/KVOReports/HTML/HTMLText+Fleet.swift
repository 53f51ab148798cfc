import KVOAudit
import KVORules
import KVOText

extension HTMLText {
  /// How many findings are listed.
  static let fleetLimit = 200
  private static let trendHeight = 24.0
  private static let trendWidth = 180.0

  /// Writes in which versions and on which days findings were seen.
  mutating func writeFleet(_ table: FleetTable, _ findings: [Finding]) {
    let rows = table.rows.prefix(Self.fleetLimit)
    let hasOlder = table.rows.contains { $0.olderCount > 0 }
    let hasUnknown = table.rows.contains { $0.unknownCount > 0 } && !table.versions.isEmpty
    element(
      "div",
      [
        "class": "panel scrolls", "role": "group", "tabindex": "0",
        "aria-label": "Findings by version and day",
      ]
    ) { page in
      page.element("table", ["class": "fleet"]) { page in
        page.element("thead") { page in
          page.element("tr") { page in
            page.element("th", ["scope": "col"], text: "Finding")
            if let first = table.days.first, let last = table.days.last {
              page.element("th", ["scope": "col"]) { page in
                page.text("By day")
                page.element("span", ["class": "span"], text: "\(first) – \(last)")
              }
              page.element("th", ["scope": "col"], text: "First seen")
              page.element("th", ["scope": "col"], text: "Last seen")
            }
            page.element("th", ["scope": "col", "class": "figure"], text: "Processes")
            if hasOlder { page.element("th", ["scope": "col", "class": "figure"], text: "older") }
            for version in table.versions {
              page.element("th", ["scope": "col", "class": "figure"], text: version, limit: 40)
            }
            if hasUnknown {
              page.element("th", ["scope": "col", "class": "figure"], text: "no version")
            }
          }
        }
        page.line()
        page.element("tbody") { page in
          page.line()
          for row in rows {
            page.element("tr") { page in
              page.writeName(findings[row.finding])
              if !table.days.isEmpty {
                page.element("td") { $0.writeTrend(row.dayCounts, table.days) }
                page.element("td", ["class": "day"], text: row.seen?.lowerBound ?? "–")
                page.element("td", ["class": "day"], text: row.seen?.upperBound ?? "–")
              }
              page.writeProcesses(row)
              if hasOlder { page.writeFigure(row.olderCount) }
              for count in row.versionCounts { page.writeFigure(count) }
              if hasUnknown { page.writeFigure(row.unknownCount) }
            }
            page.line()
          }
        }
      }
      let more = table.rows.count - rows.count
      if more > 0 {
        page.element("p", ["class": "quiet small"], text: "and \(Wording.grouped(more)) more")
      }
    }
    line()
  }

  private mutating func writeName(_ finding: Finding) {
    element("td", ["class": finding.severity.rawValue]) { page in
      page.sign(finding.severity.rawValue)
      page.element("span", ["class": "unseen"], text: " \(finding.severity.rawValue)")
      page.markup(" ")
      page.element("a", ["href": "#\(finding.signature)"], text: finding.code.rawValue)
      let object = finding.subject?.className ?? "an object"
      let path = finding.keyPath.map { ".\($0)" } ?? ""
      page.text(" \(object)\(path)", limit: 120)
    }
  }

  private mutating func writeProcesses(_ row: FleetTable.Row) {
    element("td", ["class": "figure"]) { page in
      page.text(Wording.grouped(row.processCount))
      if let share = row.share {
        page.element("span", ["class": "quiet"], text: " (\(Self.percentage(share)))")
      }
    }
  }

  private mutating func writeFigure(_ count: Int) {
    element(
      "td",
      ["class": count == 0 ? "figure quiet" : "figure"],
      text: count == 0 ? "–" : Wording.grouped(count)
    )
  }

  /// A share as a percentage; a small one is not shown as none, nor a large one as all.
  static func percentage(_ share: Double) -> String {
    switch share * 100 {
    case ...0: "0 %"
    case ..<0.1: "< 0.1 %"
    case ..<10: "\(number((share * 1_000).rounded(.down) / 10)) %"
    case let percent: "\(number(percent.rounded(.down))) %"
    }
  }

  /// Writes a bar for each day.
  private mutating func writeTrend(_ counts: [Int], _ days: [String]) {
    let most = Double(max(1, counts.max() ?? 1))
    let pitch = min(14, Self.trendWidth / Double(max(1, counts.count)))
    let seen = zip(days, counts).filter { $0.1 > 0 }
    let words =
      seen.count <= 10
      ? seen.map { "\($0): \(Wording.grouped($1))" }.joined(separator: ", ")
      : "on \(seen.count) of \(days.count) days, at most \(Wording.grouped(Int(most))) a day"
    element("span", ["class": "drawing trend"]) { page in
      page.svg(
        width: pitch * Double(counts.count) + 2,
        height: Self.trendHeight + 2,
        words.isEmpty ? "before these days" : words
      ) { page in
        for (index, count) in counts.enumerated() where count > 0 {
          let height = max(2, Self.trendHeight * Double(count) / most)
          let attributes: KeyValuePairs<StaticString, String?> = [
            "class": "bar",
            "x": Self.number(Double(index) * pitch),
            "y": Self.number(Self.trendHeight - height),
            "width": Self.number(max(1, pitch - 1)),
            "height": Self.number(height),
          ]
          page.element("rect", attributes) { page in
            page.element("title", text: "\(days[index]): \(Wording.grouped(count))")
          }
        }
      }
    }
  }
}
