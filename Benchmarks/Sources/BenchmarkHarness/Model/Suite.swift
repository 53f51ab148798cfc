/// Rows that share a unit and a lower bound.
package struct Table: Sendable {
  package var title: String
  /// The name of one operation: "event", "address", "start".
  package var unit: String
  /// What the reader must know to understand the figures, one paragraph each.
  package var remarks: [String]
  /// The row by which the others are divided, of this table or an earlier one; nil: none.
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
  /// A figure that is not a row.
  package enum Figure: Sendable {
    /// Measured in another way.
    case value(title: String, String)
    /// The ratio of the CPU times of two rows.
    case ratio(title: String, of: String, to: String)
  }

  package var title: String
  /// The file name of the report, without suffix.
  package var name: String
  /// The number of runs of each row; odd, so that the median is one of the figures.
  package var rounds: Int
  package var tables: [Table]
  package var figures: [Figure]
  /// The reason why a row misses its target, by the row's id.
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
