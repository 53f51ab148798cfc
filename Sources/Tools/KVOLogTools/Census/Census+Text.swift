import KVOAudit
import KVORules
import KVOText

extension Census {
  /// The census as a table, with a newline at its end.
  package var text: String {
    let heading =
      "CENSUS: \(Wording.count(registrationCount, "observation")) live at the end of "
      + "\(ShownText.escaped(label))"
      + " (\(ending.censusText))"
    guard !rows.isEmpty else { return heading + "\n" }
    let columns = ["count", "observed", "key path", "observer", "registered at"]
    var table = [columns + (saysImages ? ["image"] : [])]
    for row in rows {
      var cells = [
        Wording.grouped(row.count), row.subject, row.keyPath, row.observer ?? "(closure)",
        row.location ?? "(not recorded)",
      ]
      if saysImages { cells.append(row.image ?? "(not known)") }
      table.append(cells.map(ShownText.escaped))
    }
    let widths = table[0].indices.map { column in table.map(\.[column].count).max() ?? 0 }
    let lines = table.map { row in
      row.enumerated().map { column, cell in
        let fill = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? fill + cell : column == row.count - 1 ? cell : cell + fill
      }
      .joined(separator: "  ")
    }
    return heading + "\n" + lines.map { "  \($0)\n" }.joined()
  }
}
