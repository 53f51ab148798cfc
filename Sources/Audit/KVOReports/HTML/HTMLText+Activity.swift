import KVOAudit
import KVORules
import KVOText

extension HTMLText {
  /// How many call sites are listed under the flame graph.
  private static let siteLimit = 15

  /// Writes how many observations were live in each process, with the findings on the curve.
  mutating func writeTimelines(_ report: AuditReport) {
    let processes = report.activity.processes
    element("div", ["class": "panel"]) { page in
      page.line()
      for (number, process) in processes.enumerated()
      where report.inputs.indices.contains(process.input) {
        let path = report.inputs[process.input].path
        let isOnly = processes.count { $0.input == process.input } == 1
        let first = Wording.grouped(process.firstEvent)
        let name =
          processes.count == 1 ? "" : isOnly ? "\(path):" : "\(path), from event \(first) on:"
        if number > 0 { page.line() }
        page.write(TimelineDrawing(process, findings: report.findings), of: name)
      }
      page.element("p", ["class": "quiet small"]) { page in
        if !report.findings.isEmpty {
          page.text("Each sign is where findings happened, and leads to the worst of them.")
        }
        if report.activity.omittedProcessCount > 0 {
          let more = report.activity.omittedProcessCount
          page.text(" \(Wording.count(more, "more process", "more processes")) not drawn.")
        }
      }
    }
    line()
  }

  /// Writes where observations were made, as a flame graph and as a table.
  mutating func writeCallSites(_ sites: [CallSiteCount]) {
    let graph = FlameGraph(sites)
    element("div", ["class": "panel"]) { page in
      page.line()
      page.element("p", ["class": "small"]) { page in
        page.text(
          "\(Wording.count(graph.madeCount, "observation")) made, from the outermost call down to "
            + "what is observed. A call is as wide as what was made under it. "
        )
        page.element("span", ["class": "key live"]) { _ in }
        page.text(" still live at the end (\(Wording.grouped(graph.liveCount))) ")
        page.element("span", ["class": "key over"]) { _ in }
        page.text(" over")
      }
      page.line()
      page.write(graph)
      page.writeProfile(sites)
      if graph.omittedCount > 0 {
        page.element(
          "p",
          ["class": "quiet small"],
          text: "\(Wording.grouped(graph.omittedCount)) of them in areas too small to draw"
        )
        page.line()
      }
    }
    line()
    element("div", ["class": "panel scrolls"]) { $0.writeTable(sites) }
    line()
  }

  private mutating func writeTable(_ sites: [CallSiteCount]) {
    let table = CallSiteTable(sites)
    element("table") { page in
      page.element("caption", ["class": "small quiet"], text: "The same by first own call")
      page.line()
      page.element("thead") { page in
        page.element("tr") { page in
          page.element("th", ["scope": "col"], text: "registered in")
          page.element("th", ["scope": "col"], text: "at")
          page.element("th", ["scope": "col"], text: "observes")
          page.element("th", ["scope": "col", "class": "figure"], text: "made")
          page.element("th", ["scope": "col", "class": "figure"], text: "live at the end")
        }
      }
      page.line()
      page.element("tbody") { page in
        page.line()
        for row in table.rows.prefix(Self.siteLimit) {
          page.element("tr") { page in
            page.element("td") { $0.element("code", text: row.function, limit: 160) }
            page.element("td") { $0.element("code", text: row.location, limit: 160) }
            page.element("td") { $0.element("code", text: row.observed, limit: 160) }
            page.element("td", ["class": "figure"], text: Wording.grouped(row.madeCount))
            page.element("td", ["class": "figure"], text: Wording.grouped(row.liveCount))
          }
          page.line()
        }
      }
    }
    line()
    let more = table.rows.count - Self.siteLimit
    if more > 0 {
      element("p", ["class": "quiet small"], text: "and \(Wording.count(more, "more call site"))")
    }
  }
}
