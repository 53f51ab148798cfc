/// Where registrations were made, by the calls that led there, in a bounded number of rows.
package struct CallSites: Hashable, Sendable {
  /// How many rows are kept; what is rarer is only counted.
  package static let limit = 512

  /// One call on the way to a registration.
  package struct Call: Hashable, Sendable {
    package var name: String
    /// File and line, or nothing.
    package var place: String
    /// Whether it is the innermost call of the user's own code.
    package var isFirstOwn: Bool

    package init(name: String, place: String = "", isFirstOwn: Bool = false) {
      self.name = name
      self.place = place
      self.isFirstOwn = isFirstOwn
    }
  }

  /// Registrations of one key path that were made by the same calls.
  package struct Row: Hashable, Sendable {
    /// Outermost first; empty where nothing was recorded.
    package var calls: [Call]
    /// What is observed, as `Account.balance`.
    package var observed: String
    package var madeCount: Int
    /// How many of them are live at the end.
    package var liveCount: Int

    package init(calls: [Call], observed: String, madeCount: Int, liveCount: Int) {
      self.calls = calls
      self.observed = observed
      self.madeCount = madeCount
      self.liveCount = liveCount
    }
  }

  /// Registrations that are in no row.
  package struct Rest: Hashable, Sendable {
    package var madeCount = 0
    package var liveCount = 0

    package init(madeCount: Int = 0, liveCount: Int = 0) {
      self.madeCount = madeCount
      self.liveCount = liveCount
    }
  }

  private struct Key: Hashable {
    var calls: [Call]
    var observed: String
  }

  /// The commonest first; among equally common ones, what came first.
  package private(set) var rows: [Row] = []
  package private(set) var rest = Rest()

  package init(rows: [Row] = [], rest: Rest = Rest()) {
    add(rows, rest: rest)
  }

  package var madeCount: Int { rows.reduce(rest.madeCount) { $0 + $1.madeCount } }
  package var liveCount: Int { rows.reduce(rest.liveCount) { $0 + $1.liveCount } }

  /// Takes in what was made elsewhere.
  ///
  /// The counts stay exact; which rows are kept depends on the order where there are more than
  /// ``limit``.
  ///
  /// Complexity: O(n log n) in the rows.
  package mutating func add(_ other: [Row], rest: Rest = Rest()) {
    var places: [Key: Int] = [:]
    for (place, row) in rows.enumerated() {
      places[Key(calls: row.calls, observed: row.observed)] = place
    }
    for row in other {
      let key = Key(calls: row.calls, observed: row.observed)
      if let place = places[key] {
        rows[place].madeCount += row.madeCount
        rows[place].liveCount += row.liveCount
      } else {
        places[key] = rows.count
        rows.append(row)
      }
    }
    self.rest.madeCount += rest.madeCount
    self.rest.liveCount += rest.liveCount
    let order = rows.indices.sorted { (rows[$1].madeCount, $0) < (rows[$0].madeCount, $1) }
    for place in order.dropFirst(Self.limit) {
      self.rest.madeCount += rows[place].madeCount
      self.rest.liveCount += rows[place].liveCount
    }
    rows = order.prefix(Self.limit).map { rows[$0] }
  }
}
