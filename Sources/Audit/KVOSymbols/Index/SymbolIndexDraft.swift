import Glibc

/// The content of a ``SymbolIndex`` under construction: the frames of an image at each address, as
/// rows of numbers.
///
/// Rows are created from the tables that ``UnitFrames`` and ``ImageSymbols`` use, so that both have
/// the same frames: a row begins where a scope, a line or, if neither has the function's name, a
/// symbol begins or ends.
struct SymbolIndexDraft {
  /// The frames from an address on, up to that of the next row; the numbers are those of
  /// ``SymbolIndexLayout``, before names are known.
  struct Row {
    var start: UInt64
    var scope: UInt32
    var file: UInt32
    var line: UInt32

    func isSame(as other: Row) -> Bool {
      scope == other.scope && file == other.file && line == other.line
    }
  }

  /// A function or an inlined call.
  struct Scope: Hashable {
    /// The number of its mangled name, or 0.
    var name: UInt32
    var parent: UInt32
    var callFile: UInt32
    var callLine: UInt32
  }

  /// The rows of each piece of code, separate until all exist.
  private var pieces: [Piece] = []
  private var rows: [Row] = []
  private(set) var scopes: [Scope] = []
  /// The names of functions by number, less 1.
  var names = DemangledNames()
  /// The paths of files by number, less 1.
  private(set) var paths: [String] = []
  private var nameNumbers: [UnsafePointer<CChar>: UInt32] = [:]
  private var pathNumbers: [String: UInt32] = [:]
  /// The scopes that belong to no unit: those with the name of a symbol.
  private var symbolScopes: [Scope: UInt32] = [:]
  /// Whether everything that was read fits into an index.
  private(set) var isExact = true
  private let symbols: SymbolTable
  /// The starts and ends of functions in the symbol table, ascending.
  private let symbolBounds: [UInt64]

  private struct Piece {
    var start: UInt64
    var rows: Range<Int>
  }

  /// Reads all of `symbols`, which has debug information.
  ///
  /// - Complexity: O(n log n) in the image's debug information and symbols.
  init(of symbols: SymbolTable, code: CodeRanges, information: DebugInformation) {
    self.symbols = symbols
    symbolBounds = symbols.bounds
    let map = information.unitIndices
    var ranges: [Int32: [Range<UInt64>]] = [:]
    for range in code.merged {
      var start = range.lowerBound
      var index = map.starts.partitionIndex { $0 > start } - 1
      while start < range.upperBound {
        let end = min(range.upperBound, index + 1 < map.starts.count ? map.starts[index + 1] : .max)
        let unit = index < 0 ? RangeMap.none : map.values[index]
        ranges[unit, default: []].append(start..<end)
        start = end
        index += 1
      }
    }
    for unit in information.units.indices {
      guard let ranges = ranges[Int32(unit)] else { continue }
      var unit = UnitScopes(information.units[unit].loaded())
      for range in ranges { add(range, &unit) }
    }
    for range in ranges[RangeMap.none] ?? [] {
      let first = rows.count
      addSymbols(in: range, file: 0, line: 0)
      pieces.append(Piece(start: range.lowerBound, rows: first..<rows.count))
    }
    // Without a row at the end of the code, the last rows of each range would extend beyond it.
    for range in code.merged {
      pieces.append(Piece(start: range.upperBound, rows: rows.count..<rows.count + 1))
      rows.append(Row(start: range.upperBound, scope: 0, file: 0, line: 0))
    }
  }

  /// The rows by rising addresses, without those that equal the previous one.
  ///
  /// - Complexity: O(n + p log p) for n rows in p pieces.
  func sortedRows() -> [Row] {
    var sorted: [Row] = []
    sorted.reserveCapacity(rows.count)
    // An end of code and the beginning of the next code may have the same address; then the end has
    // no rows.
    let order = pieces.indices.sorted {
      (pieces[$0].start, -$0) < (pieces[$1].start, -$1)
    }
    for piece in order {
      for row in rows[pieces[piece].rows] {
        if let last = sorted.last {
          if last.isSame(as: row) { continue }
          if last.start == row.start { sorted.removeLast() }
        }
        sorted.append(row)
      }
    }
    return sorted
  }
}

extension SymbolIndexDraft {
  /// Adds the rows of `range`, whose addresses all belong to `unit`.
  private mutating func add(_ range: Range<UInt64>, _ unit: inout UnitScopes) {
    let first = rows.count
    defer { pieces.append(Piece(start: range.lowerBound, rows: first..<rows.count)) }
    let scopes = unit.frames.scopes.innermost
    let lines = unit.frames.lines
    var scope = scopes.starts.partitionIndex { $0 > range.lowerBound } - 1
    var line = lines.starts.partitionIndex { $0 > range.lowerBound } - 1
    var start = range.lowerBound
    while start < range.upperBound {
      let scopeEnd = scope + 1 < scopes.starts.count ? scopes.starts[scope + 1] : .max
      let lineEnd = line + 1 < lines.starts.count ? lines.starts[line + 1] : .max
      let end = min(range.upperBound, scopeEnd, lineEnd)
      var file: UInt32 = 0
      var number: UInt32 = 0
      if line >= 0, lines.positions[line].line != 0 {
        let position = lines.positions[line]
        file = position.file.map { self.number(ofFile: $0, &unit) } ?? 0
        number = UInt32(bitPattern: position.line)
      }
      let index = scope < 0 ? RangeMap.none : scopes.values[scope]
      if index == RangeMap.none {
        addSymbols(in: start..<end, file: file, line: number)
      } else {
        let inner = self.number(ofScope: Int(index), &unit)
        if self.scopes[Int(outermost(of: inner)) - 1].name == 0 {
          addSymbols(in: start..<end, scope: inner, file: file, line: number)
        } else {
          add(Row(start: start, scope: inner, file: file, line: number))
        }
      }
      start = end
      if scopeEnd == end { scope += 1 }
      if lineEnd == end { line += 1 }
    }
  }

  /// Adds the rows of `range`, if only the symbol table has the name of its outermost function.
  ///
  /// - Parameters:
  ///   - range: the addresses.
  ///   - scope: its scope in the debug information, or 0.
  ///   - file: the file of the innermost frame.
  ///   - line: its line.
  private mutating func addSymbols(
    in range: Range<UInt64>,
    scope: UInt32 = 0,
    file: UInt32,
    line: UInt32
  ) {
    var start = range.lowerBound
    var bound = symbolBounds.partitionIndex { $0 > start }
    while start < range.upperBound {
      let end =
        bound < symbolBounds.count ? min(range.upperBound, symbolBounds[bound]) : range.upperBound
      let name = symbols.name(at: start).map { number(ofName: $0) } ?? 0
      if name == 0, file == 0 {
        add(Row(start: start, scope: 0, file: 0, line: 0))
      } else {
        add(Row(start: start, scope: named(scope, name), file: file, line: line))
      }
      start = end
      bound += 1
    }
  }

  private mutating func add(_ row: Row) {
    let pieceStart = pieces.last?.rows.upperBound ?? 0
    if rows.count > pieceStart, let last = rows.last, last.isSame(as: row) { return }
    rows.append(row)
  }

  /// The scope that equals `scope`, but whose outermost function has the name with that number.
  private mutating func named(_ scope: UInt32, _ name: UInt32) -> UInt32 {
    if scope != 0, name == 0 { return scope }
    var made = Scope(name: name, parent: 0, callFile: 0, callLine: 0)
    if scope != 0, scopes[Int(scope) - 1].parent != 0 {
      made = scopes[Int(scope) - 1]
      made.parent = named(made.parent, name)
    }
    if let known = symbolScopes[made] { return known }
    scopes.append(made)
    symbolScopes[made] = UInt32(scopes.count)
    return UInt32(scopes.count)
  }

  private func outermost(of scope: UInt32) -> UInt32 {
    var scope = scope
    while scopes[Int(scope) - 1].parent != 0 { scope = scopes[Int(scope) - 1].parent }
    return scope
  }

  /// The number of a scope of `unit`; enclosing scopes get their numbers first.
  private mutating func number(ofScope index: Int, _ unit: inout UnitScopes) -> UInt32 {
    if unit.numbers[index] != 0 { return unit.numbers[index] }
    let outer = unit.frames.scopes.scopes[index].parent
    let parent = outer == RangeMap.none ? 0 : number(ofScope: Int(outer), &unit)
    let entry = unit.frames.entry(of: index)
    var scope = Scope(name: 0, parent: parent, callFile: 0, callLine: 0)
    if let name = entry.name, name.pointee != 0 { scope.name = number(ofName: name) }
    if let call = entry.call {
      scope.callFile = number(ofCallFile: call.file, &unit)
      // A line is recorded only together with a known file.
      if scope.callFile != 0 {
        scope.callLine = UInt32(clamping: call.line)
        if UInt32(exactly: call.line) == nil { isExact = false }
      }
    }
    scopes.append(scope)
    unit.numbers[index] = UInt32(scopes.count)
    return unit.numbers[index]
  }

  private mutating func number(ofName name: UnsafePointer<CChar>) -> UInt32 {
    if let known = nameNumbers[name] { return known }
    names.append(name)
    nameNumbers[name] = UInt32(names.count)
    return UInt32(names.count)
  }

  private mutating func number(
    ofFile file: UnsafePointer<CChar>,
    _ unit: inout UnitScopes
  ) -> UInt32 {
    if file == unit.latestFile { return unit.latestNumber }
    let number =
      unit.fileNumbers[file] ?? unit.frames.path(of: file).map { self.number(ofPath: $0) } ?? 0
    unit.fileNumbers[file] = number
    unit.latestFile = file
    unit.latestNumber = number
    return number
  }

  private mutating func number(ofCallFile file: Int, _ unit: inout UnitScopes) -> UInt32 {
    if let known = unit.callFileNumbers[file] { return known }
    let number = unit.frames.path(ofNumber: file).map { self.number(ofPath: $0) } ?? 0
    unit.callFileNumbers[file] = number
    return number
  }

  private mutating func number(ofPath path: String) -> UInt32 {
    if let known = pathNumbers[path], paths[Int(known) - 1].utf8.elementsEqual(path.utf8) {
      return known
    }
    paths.append(path)
    pathNumbers[path] = UInt32(paths.count)
    return UInt32(paths.count)
  }
}

/// One unit while its rows are created: its tables, and the numbers of its scopes and files.
private struct UnitScopes {
  var frames: UnitFrames
  /// By index of the scope in its unit; 0 for one without a number.
  var numbers: [UInt32]
  var fileNumbers: [UnsafePointer<CChar>: UInt32] = [:]
  var callFileNumbers: [Int: UInt32] = [:]
  var latestFile: UnsafePointer<CChar>?
  var latestNumber: UInt32 = 0

  init(_ frames: UnitFrames) {
    self.frames = frames
    numbers = Array(repeating: 0, count: frames.scopes.scopes.count)
  }
}
