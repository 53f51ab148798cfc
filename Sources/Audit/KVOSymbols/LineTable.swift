import CElfutils

/// The source position of every instruction of one compile unit.
struct LineTable {
  struct Position {
    /// 1-based; 0 if the instruction has no line.
    var line: Int32
    /// libdw's name of the file; nil if there is none.
    var file: UnsafePointer<CChar>?
  }

  /// Where another position begins, ascending; apart from the positions, so that a search reads
  /// little memory.
  private(set) var starts: [UInt64] = []
  private(set) var positions: [Position] = []

  /// Makes a table that knows no line.
  init() {}

  /// Makes the table of a unit.
  ///
  /// The compiler gives line 0, or the file `<compiler-generated>`, to code without a source line, such as the release
  /// of a local at the end of its life. Such a row takes the position of the nearest row before it in the same function
  /// or inlined call, if there is one.
  ///
  /// - Parameters:
  ///   - unit: the unit's own entry.
  ///   - scopes: the functions and inlined calls of the unit.
  ///   - code: the ranges outside of which a row is that of a dropped function.
  /// - Complexity: O(n log n) in the rows, which libdw sorts.
  init(of unit: inout Dwarf_Die, scopes: ScopeTable, code: CodeRanges) {
    var lines: OpaquePointer?
    var count = 0
    guard dwarf_getsrclines(&unit, &lines, &count) == 0, let lines else { return }
    starts.reserveCapacity(count)
    positions.reserveCapacity(count)
    let unknown = Position(line: 0, file: nil)
    var last = Array(repeating: unknown, count: scopes.scopes.count)
    var boundary = 0
    let boundaries = scopes.innermost.starts
    let innermost = scopes.innermost.values
    // Consecutive rows are mostly of one file.
    var file: UnsafePointer<CChar>?
    var isSource = false
    for index in 0..<count {
      guard let row = dwarf_onesrcline(lines, index) else { break }
      var address: Dwarf_Addr = 0
      var line: Int32 = 0
      var isEnd = false
      guard dwarf_lineaddr(row, &address) == 0, dwarf_lineno(row, &line) == 0,
        dwarf_lineendsequence(row, &isEnd) == 0, isEnd || code.contains(address)
      else { continue }
      let name = dwarf_linesrc(row, nil, nil)
      if name != file {
        file = name
        isSource = FileTable.isSource(name)
      }
      var position = unknown
      if !isEnd, isSource { position = Position(line: line, file: file) }
      while boundary < boundaries.count, boundaries[boundary] <= address { boundary += 1 }
      if !isEnd, boundary > 0, innermost[boundary - 1] != RangeMap.none {
        let scope = Int(innermost[boundary - 1])
        if position.line != 0 {
          last[scope] = position
        } else {
          position = last[scope]
        }
      }
      guard starts.last == address else {
        starts.append(address)
        positions.append(position)
        continue
      }
      // Of rows with the same address the last one is used, as it does for debuggers; the end of a sequence only
      // matters if no other begins there.
      if !isEnd { positions[positions.count - 1] = position }
    }
  }

  /// The position of `address`, or nil if its line is not known.
  ///
  /// - Complexity: O(log n).
  func position(at address: UInt64) -> Position? {
    let index = starts.partitionIndex { $0 > address } - 1
    guard index >= 0, positions[index].line != 0 else { return nil }
    return positions[index]
  }
}
