package import KVOAudit
import KVOReplay
import KVOReportFile
internal import KVORules
import KVOText

extension AuditReport {
  /// How many call sites the text lists.
  private static let siteLimit = 40
  /// How many runs the text has a column for.
  private static let columnLimit = 10

  /// The call sites that register, and the registrations that runs of scopes left live, as tables for people.
  ///
  /// UTF-8, with a newline at its end.
  package var growthText: [UInt8] {
    let blocks = [sitesBlock] + growthBlocks
    return Array((blocks.joined(separator: "\n\n") + "\n").utf8)
  }

  private var sitesBlock: String {
    let sites = callSites ?? []
    let made = sites.reduce(0) { $0 + $1.madeCount }
    let live = sites.reduce(0) { $0 + $1.liveCount }
    // Call sites that differ in a frame which the table does not show are one row.
    let shown = sites.grouped { $0.site.cells }
    var lines = [
      "CALL SITES: \(Wording.count(made, "registration")) from "
        + "\(Wording.count(shown.count, "call site")), \(Wording.grouped(live)) live at the end"
    ]
    guard !sites.isEmpty else { return lines[0] }
    var table = ColumnTable([
      ("made", .right), ("live", .right), ("observed", .left), ("key path", .left),
      ("observer", .left), ("registered at", .left),
    ])
    for (cells, counts) in shown.prefix(Self.siteLimit) {
      let figures = [counts.map(\.madeCount), counts.map(\.liveCount)].map { $0.reduce(0, +) }
      table.append(figures.map { Wording.grouped($0) } + cells)
    }
    lines += table.lines.map { "  \($0)" }
    if shown.count > Self.siteLimit {
      let rest = Wording.count(shown.count - Self.siteLimit, "call site")
      lines.append("  … and \(rest) more; --format json lists them")
    }
    return lines.joined(separator: "\n")
  }

  /// A block for each scope that left something registered, in the order of the log.
  private var growthBlocks: [String] {
    let scopes = growth.grouped { GrownScope(input: $0.input, name: $0.scope) }
    return scopes.map { scope, rows in
      let isNamed = inputs.count > 1 && inputs.indices.contains(scope.input)
      let path = isNamed ? inputs[scope.input].path : nil
      let times = Wording.count(rows[0].runCount, "run")
      let heading =
        "GROWTH: what \(times) of \"\(ShownText.escaped(scope.name))\" left live"
        + (path.map { " in \(ShownText.escaped($0))" } ?? "")
      let runs = Self.columns(rows)
      var table = ColumnTable(
        runs.map { ("run \(Wording.grouped($0))", .right) } + [
          ("", .left), ("observed", .left), ("key path", .left), ("observer", .left),
          ("registered at", .left),
        ]
      )
      for (cells, rows) in rows.grouped(by: { $0.site.cells }) {
        let counts = runs.map { run in
          rows.reduce(0) { $0 + ($1.points.last { $0.run <= run }?.count ?? 0) }
        }
        let state = rows.contains(where: \.isGrowing) ? "grows" : ""
        table.append(counts.map { Wording.grouped($0) } + [state] + cells)
      }
      return ([heading] + table.lines.map { "  \($0)" }).joined(separator: "\n")
    }
  }

  /// The runs that have a column: all, or some that lie about equally far apart, and the last.
  private static func columns(_ rows: [ScopeGrowthRow]) -> [Int] {
    let runs = Set(rows.flatMap { $0.points.map(\.run) }).sorted()
    guard runs.count > columnLimit else { return runs }
    return (0..<columnLimit).map { runs[$0 * (runs.count - 1) / (columnLimit - 1)] }
  }

  /// The same as JSON, with all call sites and runs that are kept; UTF-8, with a newline at its end.
  package var growthJSON: [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("schema")
      text.value(ReportFile.schema)
      text.key("inputs")
      text.list(inputs) { $0.write($1) }
      text.key("callSites")
      text.list(callSites ?? []) { $0.write($1) }
      text.key("growth")
      text.list(growth) { $0.write($1) }
      text.key("unreadable")
      text.list(failures) { $0.write($1) }
    }
    text.end()
    return text.bytes
  }
}

/// A scope of an input.
private struct GrownScope: Hashable {
  var input: Int
  var name: String
}

extension CallSite {
  /// The key path, observer and location, for a table.
  var cells: [String] {
    [subject, keyPath, observer ?? "(closure)", location ?? "(not recorded)"].map(ShownText.escaped)
  }
}

extension JSONText {
  fileprivate mutating func write(_ count: CallSiteCount) {
    object { text in
      text.key("made")
      text.value(count.madeCount)
      text.key("live")
      text.value(count.liveCount)
      text.writeKeys(of: count.site)
    }
  }

  fileprivate mutating func write(_ row: ScopeGrowthRow) {
    object { text in
      text.key("input")
      text.value(row.input)
      text.key("scope")
      text.value(row.scope)
      text.key("runs")
      text.value(row.runCount)
      text.key("grows")
      text.value(row.isGrowing)
      text.key("points")
      text.list(row.points) { text, point in
        text.object { text in
          text.key("run")
          text.value(point.run)
          text.key("live")
          text.value(point.count)
        }
      }
      text.writeKeys(of: row.site)
    }
  }

  private mutating func writeKeys(of site: CallSite) {
    key("class")
    value(site.subject)
    key("keyPath")
    value(site.keyPath)
    key("observer")
    value(site.observer)
    key("place")
    value(site.location)
    key("stack")
    write(site.stack)
  }
}

extension Array {
  /// The elements by `key`, in the order of the first occurrence of each key.
  ///
  /// Complexity: O(n).
  fileprivate func grouped<Key: Hashable>(
    by key: (Element) -> Key
  ) -> [(key: Key, elements: [Element])] {
    var indices: [Key: Int] = [:]
    var groups: [(key: Key, elements: [Element])] = []
    for element in self {
      let key = key(element)
      if let index = indices[key] {
        groups[index].elements.append(element)
      } else {
        indices[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}
