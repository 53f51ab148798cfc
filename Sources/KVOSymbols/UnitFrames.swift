import CElfutils
import Glibc
import KVORules

/// The functions, lines and files of one compile unit, and the frames that were made of them.
///
/// Mutable state, which grows with the questions and not beyond the unit: the paths of files, and for
/// each scope its name and the place that it was inlined at.
struct UnitFrames {
  private let dwarf: OpaquePointer
  private let names: FunctionNames
  private(set) var scopes: ScopeTable
  private var lines = LineTable()
  private var files = FileTable()
  /// By index of the scope; three arrays, so that a look-up copies nothing but what it returns.
  private var isRead: [Bool]
  /// The frame of each function, without a position.
  private var templates: [SourceFrame]
  private var sites: [Site]

  /// The place that a function was inlined at.
  private struct Site {
    var file: String?
    var line: Int
  }

  private static let blank = SourceFrame(
    function: "",
    swiftModule: nil,
    file: nil,
    line: 0,
    isInlined: false
  )

  /// Reads the unit whose own entry `die` is.
  ///
  /// - Parameters:
  ///   - die: valid as long as `dwarf`.
  ///   - dwarf: must outlive the frames.
  ///   - sections: those of the same file.
  ///   - code: the code of the image.
  ///   - names: the names of the image, which the unit adds to.
  /// - Complexity: O(n) in the bytes of the unit and of its line program.
  init(
    of die: Dwarf_Die,
    _ dwarf: OpaquePointer,
    _ sections: DebugSections,
    code: CodeRanges,
    names: FunctionNames
  ) {
    self.dwarf = dwarf
    self.names = names
    scopes =
      UnitLayout(of: die, in: sections.information)
      .map { ScopeTable(of: $0, in: sections, dwarf, code: code) } ?? ScopeTable()
    let count = scopes.scopes.count
    isRead = Array(repeating: false, count: count)
    templates = Array(repeating: Self.blank, count: count)
    sites = Array(repeating: Site(file: nil, line: 0), count: count)

    let folder = Self.text(DW_AT_comp_dir, of: die)
    guard let offset = Self.number(DW_AT_stmt_list, of: die),
      var header = LineHeader(at: offset, in: sections, compilerFolder: folder)
    else { return }
    let program = LineProgram(of: &header, in: sections.lines, code: code)
    files = FileTable(of: header, folder: folder)
    lines = LineTable(of: program, files: files, scopes: scopes)
  }

  /// The frames at `address`, innermost first; one without a function where only the line is known.
  ///
  /// - Complexity: O(log n) in the size of the unit.
  mutating func frames(at address: UInt64) -> [SourceFrame] {
    var file: String?
    var line = 0
    if let position = lines.position(at: address) {
      file = files[position.file]
      line = Int(position.line)
    }
    var scope = scopes.innermost[address]
    guard scope != RangeMap.none else {
      return [SourceFrame(function: "", swiftModule: nil, file: file, line: line, isInlined: false)]
    }
    var frames: [SourceFrame] = []
    while scope != RangeMap.none {
      let index = Int(scope)
      if !isRead[index] { read(index) }
      frames.append(templates[index])
      frames[frames.count - 1].file = file
      frames[frames.count - 1].line = line
      scope = scopes.scopes[index].parent
      guard scope != RangeMap.none else { break }
      file = sites[index].file
      line = sites[index].line
    }
    return frames
  }

  private mutating func read(_ scope: Int) {
    isRead[scope] = true
    let isInlined = scopes.scopes[scope].parent != RangeMap.none
    templates[scope].isInlined = isInlined
    var die = Dwarf_Die()
    guard dwarf_offdie(dwarf, scopes.scopes[scope].entry, &die) != nil else { return }
    if let name = Self.name(of: &die).map({ names[$0] }) {
      templates[scope].function = name.text
      templates[scope].swiftModule = name.swiftModule
    }
    guard isInlined else { return }
    if let line = Self.number(DW_AT_call_line, of: die).flatMap(Int.init(exactly:)), line > 0,
      let number = Self.number(DW_AT_call_file, of: die).flatMap(Int32.init(exactly:)),
      let file = files[number]
    {
      sites[scope] = Site(file: file, line: line)
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

  private static func number(_ code: Int, of die: Dwarf_Die) -> UInt64? {
    var die = die
    var attribute = Dwarf_Attribute()
    var value: Dwarf_Word = 0
    guard dwarf_attr(&die, UInt32(code), &attribute) != nil,
      dwarf_formudata(&attribute, &value) == 0
    else { return nil }
    return value
  }

  private static func text(_ code: Int, of die: Dwarf_Die) -> UnsafeRawBufferPointer? {
    var die = die
    var attribute = Dwarf_Attribute()
    guard dwarf_attr(&die, UInt32(code), &attribute) != nil,
      let text = dwarf_formstring(&attribute)
    else { return nil }
    return UnsafeRawBufferPointer(start: text, count: strlen(text))
  }
}
