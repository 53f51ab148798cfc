/// Registrations by the innermost own call that made them, the commonest first.
package struct CallSiteTable: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    package var function: String
    package var place: String
    package var observed: String
    package var madeCount: Int
    package var liveCount: Int
  }

  private struct Key: Hashable {
    var function: String
    var place: String
    var observed: String
  }

  package let rows: [Row]

  /// Puts together the rows of `sites` that have the same own call.
  ///
  /// Complexity: O(n log n) in the rows.
  package init(_ sites: CallSites) {
    var places: [Key: Int] = [:]
    var rows: [Row] = []
    for site in sites.rows {
      let call = site.calls.last(where: \.isFirstOwn) ?? site.calls.last
      let function = call?.name ?? "(no stack recorded)"
      let key = Key(function: function, place: call?.place ?? "", observed: site.observed)
      if let place = places[key] {
        rows[place].madeCount += site.madeCount
        rows[place].liveCount += site.liveCount
      } else {
        places[key] = rows.count
        rows.append(
          Row(
            function: key.function,
            place: key.place,
            observed: key.observed,
            madeCount: site.madeCount,
            liveCount: site.liveCount
          )
        )
      }
    }
    let order = rows.indices.sorted { (rows[$1].madeCount, $0) < (rows[$0].madeCount, $1) }
    self.rows = order.map { rows[$0] }
  }
}
