import KVOAudit

/// Registrations by the innermost own call that made them, the commonest first.
struct CallSiteTable: Hashable, Sendable {
  struct Row: Hashable, Sendable {
    var function: String
    var location: String
    var observed: String
    var madeCount: Int
    var liveCount: Int
  }

  private struct Key: Hashable {
    var function: String
    var location: String
    var observed: String
  }

  let rows: [Row]

  /// Combines the rows of `sites` that have the same own call.
  ///
  /// Complexity: O(n log n) in the rows.
  init(_ sites: [CallSiteCount]) {
    var indices: [Key: Int] = [:]
    var rows: [Row] = []
    for site in sites {
      let calls = FlameGraph.calls(to: site.site)
      let call = calls.last(where: \.isFirstOwn) ?? calls.last
      let key = Key(
        function: call?.name ?? "",
        location: call?.location ?? "",
        observed: "\(site.site.subject).\(site.site.keyPath)"
      )
      let madeCount = max(site.madeCount, site.liveCount)
      if let index = indices[key] {
        rows[index].madeCount += madeCount
        rows[index].liveCount += site.liveCount
      } else {
        indices[key] = rows.count
        rows.append(
          Row(
            function: key.function,
            location: key.location,
            observed: key.observed,
            madeCount: madeCount,
            liveCount: site.liveCount
          )
        )
      }
    }
    let order = rows.indices.sorted { (rows[$1].madeCount, $0) < (rows[$0].madeCount, $1) }
    self.rows = order.map { rows[$0] }
  }
}
