/// The source position of every instruction of one compile unit.
struct LineTable {
  struct Position {
    /// 1-based; 0 where the instruction stands for no line.
    var line: Int32
    /// The number of a file of the unit.
    var file: Int32
  }

  /// Where another position begins, ascending; apart from the positions, so that a search reads
  /// little memory.
  private var starts: [UInt64] = []
  private var positions: [Position] = []

  /// Makes a table that knows no line.
  init() {}

  /// Makes the table of a unit.
  ///
  /// The compiler gives line 0, or the file `<compiler-generated>`, to code that no line of the
  /// source asks for, such as the release of a local at the end of its life. Such a row takes the
  /// position of the nearest row before it in the same function or inlined call, if there is one.
  ///
  /// - Complexity: O(n) in the rows.
  init(of program: LineProgram, files: FileTable, scopes: ScopeTable) {
    starts.reserveCapacity(program.rows.count)
    positions.reserveCapacity(program.rows.count)
    let unknown = Position(line: 0, file: LineProgram.end)
    var last = Array(repeating: unknown, count: scopes.scopes.count)
    var boundary = 0
    let boundaries = scopes.innermost.starts
    let innermost = scopes.innermost.values
    for row in program.rows {
      let isEnd = row.file == LineProgram.end
      var position = unknown
      if !isEnd, files.isSource(row.file) { position = Position(line: row.line, file: row.file) }
      while boundary < boundaries.count, boundaries[boundary] <= row.address { boundary += 1 }
      if !isEnd, boundary > 0, innermost[boundary - 1] != RangeMap.none {
        let scope = Int(innermost[boundary - 1])
        if position.line != 0 {
          last[scope] = position
        } else {
          position = last[scope]
        }
      }
      guard starts.last == row.address else {
        starts.append(row.address)
        positions.append(position)
        continue
      }
      // Of rows with one address the last one holds, as it does for debuggers; the end of a
      // sequence only says something where no other begins.
      if !isEnd { positions[positions.count - 1] = position }
    }
  }

  /// The position of `address`, or nil where its line is not known.
  ///
  /// - Complexity: O(log n).
  func position(at address: UInt64) -> Position? {
    let index = starts.partitionIndex { $0 > address } - 1
    guard index >= 0, positions[index].line != 0 else { return nil }
    return positions[index]
  }
}
