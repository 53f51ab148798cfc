import CElfutils

/// The source position of every instruction of one compile unit.
struct LineTable {
  struct Row {
    var address: UInt64
    /// 1-based; 0 where the instruction stands for no line.
    var line: Int32
    /// An index into the unit's table of files.
    var file: Int32
  }

  private var rows: [Row] = []

  /// Reads the line table of a unit.
  ///
  /// The compiler gives line 0, or the file `<compiler-generated>`, to code that no line of the
  /// source asks for, such as the release of a local at the end of its life. Such a row takes the
  /// position of the nearest row before it in the same function or inlined call, if there is one.
  ///
  /// - Complexity: O(n) in the rows, which libdw gives sorted by address.
  init(of unit: Dwarf_Die, files: inout FileTable, innermost: RangeMap) {
    var unit = unit
    var lines: OpaquePointer?
    var count = 0
    guard dwarf_getsrclines(&unit, &lines, &count) == 0, let lines else { return }
    rows.reserveCapacity(count)
    var last: [Int32: Row] = [:]
    var boundary = 0
    for index in 0..<count {
      guard let line = dwarf_onesrcline(lines, index) else { break }
      var row = Row(address: 0, line: 0, file: 0)
      var number: Int32 = 0
      var file = 0
      var table: OpaquePointer?
      var isEnd = false
      guard dwarf_lineaddr(line, &row.address) == 0 else { continue }
      dwarf_lineendsequence(line, &isEnd)
      if !isEnd, dwarf_lineno(line, &number) == 0, dwarf_line_file(line, &table, &file) == 0 {
        row.file = Int32(truncatingIfNeeded: file)
        row.line = files[row.file] == nil ? 0 : max(0, number)
      }
      let starts = innermost.starts
      while boundary < starts.count, starts[boundary] <= row.address { boundary += 1 }
      if !isEnd, boundary > 0, innermost.values[boundary - 1] != RangeMap.none {
        let scope = innermost.values[boundary - 1]
        if row.line != 0 {
          last[scope] = row
        } else if let earlier = last[scope] {
          row.line = earlier.line
          row.file = earlier.file
        }
      }
      append(row)
    }
  }

  /// Of rows with one address the last one holds, as it does for debuggers.
  private mutating func append(_ row: Row) {
    if rows.last?.address == row.address {
      rows[rows.count - 1] = row
    } else {
      rows.append(row)
    }
  }

  /// The row that `address` lies in, or nil where its line is not known.
  ///
  /// - Complexity: O(log n).
  func row(at address: UInt64) -> Row? {
    let index = rows.partitionIndex { $0.address > address } - 1
    guard index >= 0, rows[index].line != 0 else { return nil }
    return rows[index]
  }
}
