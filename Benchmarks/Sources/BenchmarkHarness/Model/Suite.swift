/// Rows that share a unit and a lower bound.
package struct Table: Sendable {
  package var title: String
  /// What one operation is: "event", "address", "start".
  package var unit: String
  /// What the reader must know to read the figures, one paragraph each.
  package var remarks: [String]
  /// The row that the others are divided by, of this table or an earlier one; nil: none.
  package var bound: String?
  package var rows: [Row]

  package init(
    _ title: String,
    unit: String,
    remarks: [String] = [],
    bound: String? = nil,
    rows: [Row]
  ) {
    self.title = title
    self.unit = unit
    self.remarks = remarks
    self.bound = bound
    self.rows = rows
  }
}

/// One report: tables whose rows take turns in the same run.
package struct Suite: Sendable {
  /// A figure that no row has.
  package enum Figure: Sendable {
    /// Measured otherwise.
    case value(title: String, String)
    /// How many times the CPU time of one row another one takes.
    case ratio(title: String, of: String, to: String)
  }

  package var title: String
  /// The file name of the report, without suffix.
  package var name: String
  /// How often each row is run; odd, so that the median is one of the figures.
  package var rounds: Int
  package var tables: [Table]
  package var figures: [Figure]
  /// What holds a row that misses its target, by the row's id.
  package var explanations: [String: String]

  package init(
    title: String,
    name: String,
    rounds: Int,
    tables: [Table],
    figures: [Figure] = [],
    explanations: [String: String] = [:]
  ) {
    self.title = title
    self.name = name
    self.rounds = rounds
    self.tables = tables
    self.figures = figures
    self.explanations = explanations
  }

  /// The rows of all tables.
  package var rows: [Row] { tables.flatMap(\.rows) }
}
