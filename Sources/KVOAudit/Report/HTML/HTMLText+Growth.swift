import KVORules

extension HTMLText {
  /// Draws how a scope leaves more behind with each run.
  mutating func write(_ growth: Finding.Growth) {
    let plot = GrowthPlot(growth)
    let labelHeight = 18.0
    element("figure") { page in
      page.element("h4") { page in
        page.text("Live at the end of each run of “\(growth.scope)”")
      }
      let list = growth.counts.map { Wording.grouped($0) }.joined(separator: ", ")
      let words =
        "The last \(Wording.count(growth.counts.count, "run")) of "
        + "\(growth.runCount) ended with \(list) observations."
      page.element(
        "div",
        ["class": "drawing", "role": "group", "tabindex": "0", "aria-label": "Growth"]
      ) { page in
        let height = GrowthPlot.height + 2 * labelHeight
        page.svg(width: plot.width + 4, height: height, words) { page in
          for bar in plot.bars {
            page.write(bar, top: labelHeight, bottom: labelHeight + GrowthPlot.height)
          }
        }
      }
    }
    line()
  }

  private mutating func write(_ bar: GrowthPlot.Bar, top: Double, bottom: Double) {
    let attributes: KeyValuePairs<StaticString, String?> = [
      "class": "bar",
      "x": Self.number(bar.x),
      "y": Self.number(top + bar.y),
      "width": Self.number(GrowthPlot.barWidth),
      "height": Self.number(bar.height),
    ]
    element("rect", attributes) { _ in }
    let middle = Self.number(bar.x + GrowthPlot.barWidth / 2)
    element(
      "text",
      ["x": middle, "y": Self.number(top + bar.y - 5), "text-anchor": "middle"],
      text: Wording.grouped(bar.count)
    )
    element(
      "text",
      [
        "class": "label", "x": middle, "y": Self.number(bottom + 14), "text-anchor": "middle",
      ],
      text: "\(bar.run)"
    )
  }
}
