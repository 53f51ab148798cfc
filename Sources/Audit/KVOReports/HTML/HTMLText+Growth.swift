import KVOAudit
import KVOReplay
import KVORules
import KVOText

extension HTMLText {
  /// How many call sites are drawn.
  private static let growthLimit = 12

  /// Writes the registrations that runs of scopes left live, growing ones first.
  mutating func writeGrowth(_ report: AuditReport) {
    let rows = report.growth.filter(\.isGrowing) + report.growth.filter { !$0.isGrowing }
    element("div", ["class": "panel growths"]) { page in
      page.line()
      for row in rows.prefix(Self.growthLimit) { page.write(row) }
    }
    line()
    let more = rows.count - Self.growthLimit
    if more > 0 {
      let count = Wording.count(more, "more call site")
      element("p", ["class": "quiet small"], text: "\(count); `kvo-audit growth` lists them")
    }
  }

  private mutating func write(_ row: ScopeGrowthRow) {
    let plot = GrowthPlot(row.points)
    let labelHeight = 18.0
    element("figure") { page in
      page.element("figcaption") { page in
        page.element("b") { $0.text(row.scope, limit: 200) }
        let verdict = row.isGrowing ? "each run left more" : "left live at the end of runs"
        page.text(": \(verdict) (\(Wording.count(row.runCount, "run")))")
        page.element("span", ["class": "place"]) { page in
          let location = row.site.location.map { "  \($0)" } ?? ""
          page.text("\(row.site.subject).\(row.site.keyPath)\(location)", limit: 200)
        }
      }
      let list = row.points.map { "run \($0.run): \(Wording.grouped($0.count))" }
      page.element(
        "div",
        ["class": "drawing", "role": "group", "tabindex": "0", "aria-label": "Growth"]
      ) { page in
        let height = GrowthPlot.height + 2 * labelHeight
        page.svg(width: plot.width + 4, height: height, list.joined(separator: ", ")) { page in
          for bar in plot.bars {
            page.write(bar, plot, top: labelHeight)
          }
        }
      }
    }
    line()
  }

  private mutating func write(_ bar: GrowthPlot.Bar, _ plot: GrowthPlot, top: Double) {
    let attributes: KeyValuePairs<StaticString, String?> = [
      "class": "bar",
      "x": Self.number(bar.x),
      "y": Self.number(top + bar.y),
      "width": Self.number(plot.barWidth),
      "height": Self.number(bar.height),
    ]
    element("rect", attributes) { _ in }
    guard bar.isLabeled else { return }
    let middle = Self.number(bar.x + plot.barWidth / 2)
    element(
      "text",
      ["x": middle, "y": Self.number(top + bar.y - 5), "text-anchor": "middle"],
      text: Wording.grouped(bar.count)
    )
    let below = Self.number(top + GrowthPlot.height + 14)
    element(
      "text",
      ["class": "label", "x": middle, "y": below, "text-anchor": "middle"],
      text: "\(bar.run)"
    )
  }
}
