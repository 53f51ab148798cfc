import CElfutils
import Glibc
import KVOTrace

/// The functions, lines and files of one compile unit, and the frames that were made of them.
///
/// Mutable state, which grows with the queries, up to the size of the unit: the paths of files, and for each scope its
/// name and the location that it was inlined at.
struct UnitFrames {
  private let dwarf: OpaquePointer
  private let names: FunctionNames
  private let texts: DebugTexts
  private(set) var scopes: ScopeTable
  private(set) var lines = LineTable()
  private var files = FileTable()
  /// By index of the scope; three arrays, so that a lookup copies only its result.
  private var isRead: [Bool]
  /// The frame of each function, without a position.
  private var templates: [SourceFrame]
  private var sites: [Site]

  /// The location that a function was inlined at.
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
  ///   - code: the code of the image.
  ///   - names: the names of the image, which the unit adds to.
  ///   - texts: the texts of the file.
  /// - Complexity: that of ``ScopeTable`` and ``LineTable``.
  init(
    of die: Dwarf_Die,
    _ dwarf: OpaquePointer,
    code: CodeRanges,
    names: FunctionNames,
    texts: DebugTexts
  ) {
    self.dwarf = dwarf
    self.names = names
    self.texts = texts
    scopes = ScopeTable(of: die, code: code)
    let count = scopes.scopes.count
    isRead = Array(repeating: false, count: count)
    templates = Array(repeating: Self.blank, count: count)
    sites = Array(repeating: Site(file: nil, line: 0), count: count)

    var unit = die
    let folder = Self.text(DW_AT_comp_dir, of: &unit)
    // libdw reads this text when it joins names of files to it.
    if let folder, !texts.isWhole(folder) { return }
    files = FileTable(of: &unit, folder: folder.map { String(cString: $0) })
    lines = LineTable(of: &unit, scopes: scopes, code: code)
  }

  /// The frames at `address`, innermost first; one without a function if only the line is known.
  ///
  /// - Complexity: O(log n) in the size of the unit.
  mutating func frames(at address: UInt64) -> [SourceFrame] {
    var file: String?
    var line = 0
    if let position = lines.position(at: address) {
      file = position.file.flatMap { files[$0] }
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
    let entry = entry(of: scope)
    templates[scope].isInlined = scopes.scopes[scope].parent != RangeMap.none
    if let name = entry.name.map({ names[$0] }) {
      templates[scope].function = name.text
      templates[scope].swiftModule = name.swiftModule
    }
    if let call = entry.call, let file = files[call.file] {
      sites[scope] = Site(file: file, line: call.line)
    }
  }

  /// What the debug information says of a function or inlined call.
  struct Entry {
    /// The mangled name, or nil.
    var name: UnsafePointer<CChar>?
    /// The number of the file and the line that an inlined call is at, if both are said.
    var call: (file: Int, line: Int)?
  }

  /// Reads the entry of the scope with that index.
  func entry(of scope: Int) -> Entry {
    var die = Dwarf_Die()
    guard dwarf_offdie(dwarf, scopes.scopes[scope].entry, &die) != nil else { return Entry() }
    var entry = Entry(name: name(of: &die))
    guard scopes.scopes[scope].parent != RangeMap.none else { return entry }
    if let line = Self.number(DW_AT_call_line, of: die).flatMap(Int.init(exactly:)), line > 0,
      let file = Self.number(DW_AT_call_file, of: die).flatMap(Int.init(exactly:))
    {
      entry.call = (file, line)
    }
    return entry
  }

  /// The names of the parameters and variables of the function at `address`, which is not an inlined one.
  ///
  /// A partial application has those of the closure that is inlined into it, too.
  ///
  /// - Complexity: O(n) in the entries of the function.
  func variables(at address: UInt64) -> [String] {
    var scope = scopes.innermost[address]
    guard scope != RangeMap.none else { return [] }
    while scopes.scopes[Int(scope)].parent != RangeMap.none {
      scope = scopes.scopes[Int(scope)].parent
    }
    var die = Dwarf_Die()
    guard dwarf_offdie(dwarf, scopes.scopes[Int(scope)].entry, &die) != nil else { return [] }
    var variables: [String] = []
    let function = name(of: &die).map { String(cString: $0) } ?? ""
    addVariables(in: die, of: function, level: 0, to: &variables)
    return variables
  }

  /// Entries nested deeper than this are omitted.
  private static let levelLimit = 200

  private func addVariables(
    in outer: Dwarf_Die,
    of function: String,
    level: Int,
    to variables: inout [String]
  ) {
    var outer = outer
    var die = Dwarf_Die()
    guard level < Self.levelLimit, dwarf_child(&outer, &die) == 0 else { return }
    while true {
      switch Int(dwarf_tag(&die)) {
      case Int(DW_TAG_formal_parameter), Int(DW_TAG_variable):
        if let name = dwarf_diename(&die), texts.isWhole(name) {
          variables.append(String(cString: name))
        }
      case Int(DW_TAG_lexical_block):
        addVariables(in: die, of: function, level: level + 1, to: &variables)
      case Int(DW_TAG_inlined_subroutine):
        // `TA`: the mangled name of a partial application.
        if let name = name(of: &die), String(cString: name) + "TA" == function {
          addVariables(in: die, of: function, level: level + 1, to: &variables)
        }
      default: break
      }
      var next = Dwarf_Die()
      guard dwarf_siblingof(&die, &next) == 0 else { return }
      die = next
    }
  }

  /// The path of a file that ``lines`` names, or nil.
  mutating func path(of file: UnsafePointer<CChar>) -> String? { files[file] }

  /// The path of the file with `number`, or nil.
  mutating func path(ofNumber number: Int) -> String? { files[number] }

  /// The mangled name, or the plain one in a language that does not mangle.
  private func name(of die: inout Dwarf_Die) -> UnsafePointer<CChar>? {
    for code in [DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name] {
      if let name = Self.text(code, of: &die) { return texts.isWhole(name) ? name : nil }
    }
    return nil
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

  /// The text of an attribute, also of the entry that `die` completes; it may have no end.
  private static func text(_ code: Int, of die: inout Dwarf_Die) -> UnsafePointer<CChar>? {
    var attribute = Dwarf_Attribute()
    guard dwarf_attr_integrate(&die, UInt32(code), &attribute) != nil else { return nil }
    return dwarf_formstring(&attribute)
  }
}
