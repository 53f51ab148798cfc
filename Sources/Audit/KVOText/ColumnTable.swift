/// Columns of text, as wide as what is in them.
///
/// Escape texts from logs before.
package struct ColumnTable {
  package enum Alignment {
    case left
    case right
  }

  private let alignments: [Alignment]
  private var rows: [[String]]

  /// Makes a table with a row of headings.
  package init(_ columns: [(heading: String, alignment: Alignment)]) {
    alignments = columns.map(\.alignment)
    rows = [columns.map(\.heading)]
  }

  /// Adds a row, which has a cell for each column.
  package mutating func append(_ cells: [String]) { rows.append(cells) }

  /// The rows as lines without blanks at their ends.
  ///
  /// Complexity: O(cells).
  package var lines: [String] {
    let widths = alignments.indices.map { column in rows.map(\.[column].count).max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let fill = String(repeating: " ", count: widths[column] - cell.count)
        if column > 0 { line += "  " }
        line += alignments[column] == .right ? fill + cell : cell + fill
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
