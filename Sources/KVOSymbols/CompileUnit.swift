import CElfutils
import KVORules

/// One compile unit of the debug information, read when an address first falls into it.
///
/// Mutable state, all of it filled on demand and never emptied: `content` (scopes, lines and files,
/// set together), and in it the paths of files and what is known of each scope that was asked for.
final class CompileUnit {
  private let dwarf: OpaquePointer
  private let die: Dwarf_Die
  private let code: CodeRanges
  private let names: FunctionNames
  private var content: Content?

  private final class Content {
    let scopes: ScopeTable
    let lines: LineTable
    var files: FileTable
    /// By index of the scope; three arrays, so that a look-up copies nothing but what it returns.
    var isRead: [Bool]
    /// The frame of each function, without a position.
    var templates: [SourceFrame]
    var sites: [Site]

    private static let blank = SourceFrame(
      function: "",
      swiftModule: nil,
      file: nil,
      line: 0,
      isInlined: false
    )

    init(of unit: Dwarf_Die, code: CodeRanges) {
      scopes = ScopeTable(of: unit, code: code)
      files = FileTable(of: unit)
      lines = LineTable(of: unit, files: &files, innermost: scopes.innermost)
      let count = scopes.scopes.count
      isRead = Array(repeating: false, count: count)
      templates = Array(repeating: Self.blank, count: count)
      sites = Array(repeating: Site(file: nil, line: 0), count: count)
    }
  }

  /// The place that a function was inlined at.
  private struct Site {
    var file: String?
    var line: Int
  }

  /// Makes a unit that has read nothing yet.
  ///
  /// - Parameters:
  ///   - die: the unit's entry, which is valid as long as `dwarf`.
  ///   - dwarf: must outlive the unit.
  ///   - code: the code of the image.
  ///   - names: the names of the image, which the unit adds to.
  init(die: Dwarf_Die, dwarf: OpaquePointer, code: CodeRanges, names: FunctionNames) {
    self.die = die
    self.dwarf = dwarf
    self.code = code
    self.names = names
  }

  /// The addresses that the unit has code at, as its entry says; as its functions do, if that is
  /// silent.
  func ranges() -> [Range<UInt64>] {
    var ranges: [Range<UInt64>] = []
    var die = die
    code.forEachRange(of: &die) { ranges.append($0) }
    guard ranges.isEmpty, dwarf_haschildren(&die) == 1 else { return ranges }
    let map = loaded().scopes.innermost
    for index in map.starts.indices.dropLast() where map.values[index] != RangeMap.none {
      ranges.append(map.starts[index]..<map.starts[index + 1])
    }
    return ranges
  }

  /// The frames at `address`, innermost first; one without a function where only the line is known.
  ///
  /// - Complexity: O(log n) in the size of the unit, after the first call.
  func frames(at address: UInt64) -> [SourceFrame] {
    let content = loaded()
    var file: String?
    var line = 0
    if let row = content.lines.row(at: address) {
      file = content.files[row.file]
      line = Int(row.line)
    }
    var scope = content.scopes.innermost[address]
    guard scope != RangeMap.none else {
      return [SourceFrame(function: "", swiftModule: nil, file: file, line: line, isInlined: false)]
    }
    var frames: [SourceFrame] = []
    while scope != RangeMap.none {
      let index = Int(scope)
      if !content.isRead[index] { read(index, in: content) }
      frames.append(content.templates[index])
      frames[frames.count - 1].file = file
      frames[frames.count - 1].line = line
      scope = content.scopes.scopes[index].parent
      guard scope != RangeMap.none else { break }
      file = content.sites[index].file
      line = content.sites[index].line
    }
    return frames
  }

  private func loaded() -> Content {
    if let content { return content }
    let content = Content(of: die, code: code)
    self.content = content
    return content
  }

  private func read(_ scope: Int, in content: Content) {
    content.isRead[scope] = true
    content.templates[scope].isInlined = content.scopes.scopes[scope].parent != RangeMap.none
    var die = Dwarf_Die()
    guard dwarf_offdie(dwarf, content.scopes.scopes[scope].entry, &die) != nil else { return }
    if let name = Self.name(of: &die).map({ names[$0] }) {
      content.templates[scope].function = name.text
      content.templates[scope].swiftModule = name.swiftModule
    }
    if let line = Self.number(DW_AT_call_line, of: &die), line > 0,
      let number = Self.number(DW_AT_call_file, of: &die),
      let file = content.files[Int32(truncatingIfNeeded: number)]
    {
      content.sites[scope] = Site(file: file, line: Int(line))
    }
  }

  /// The mangled name; the plain one of a language that does not mangle.
  private static func name(of die: inout Dwarf_Die) -> UnsafePointer<CChar>? {
    var attribute = Dwarf_Attribute()
    for code in [DW_AT_linkage_name, DW_AT_MIPS_linkage_name] {
      if dwarf_attr_integrate(&die, UInt32(code), &attribute) != nil,
        let name = dwarf_formstring(&attribute)
      {
        return name
      }
    }
    return dwarf_diename(&die)
  }

  private static func number(_ code: Int, of die: inout Dwarf_Die) -> UInt32? {
    var attribute = Dwarf_Attribute()
    var value: Dwarf_Word = 0
    guard dwarf_attr(&die, UInt32(code), &attribute) != nil,
      dwarf_formudata(&attribute, &value) == 0
    else { return nil }
    return UInt32(exactly: value)
  }
}
