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
    /// By index of the scope.
    var calls: [Call?]

    init(of unit: Dwarf_Die, code: CodeRanges) {
      scopes = ScopeTable(of: unit, code: code)
      files = FileTable(of: unit)
      lines = LineTable(of: unit, files: &files, innermost: scopes.innermost)
      calls = Array(repeating: nil, count: scopes.scopes.count)
    }
  }

  /// What an entry says of a function and of the place that it was inlined at.
  private final class Call {
    /// The function's frame, without a position.
    let frame: SourceFrame
    let file: String?
    let line: Int
    /// The number of frames from here to the function that has code of its own.
    let depth: Int

    init(frame: SourceFrame, file: String?, line: Int, depth: Int) {
      self.frame = frame
      self.file = file
      self.line = line
      self.depth = depth
    }
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
      let call = call(of: Int(scope), in: content)
      if frames.isEmpty { frames.reserveCapacity(call.depth) }
      frames.append(call.frame)
      frames[frames.count - 1].file = file
      frames[frames.count - 1].line = line
      file = call.file
      line = call.line
      scope = content.scopes.scopes[Int(scope)].parent
    }
    return frames
  }

  private func loaded() -> Content {
    if let content { return content }
    let content = Content(of: die, code: code)
    self.content = content
    return content
  }

  private func call(of scope: Int, in content: Content) -> Call {
    if let known = content.calls[scope] { return known }
    let parent = content.scopes.scopes[scope].parent
    let isInlined = parent != RangeMap.none
    var frame = SourceFrame(
      function: "",
      swiftModule: nil,
      file: nil,
      line: 0,
      isInlined: isInlined
    )
    var file: String?
    var line = 0
    var die = Dwarf_Die()
    if dwarf_offdie(dwarf, content.scopes.scopes[scope].entry, &die) != nil {
      if let name = Self.name(of: &die).map({ names[$0] }) {
        frame.function = name.text
        frame.swiftModule = name.swiftModule
      }
      if let number = Self.number(DW_AT_call_line, of: &die), number > 0,
        let fileNumber = Self.number(DW_AT_call_file, of: &die)
      {
        file = content.files[Int32(truncatingIfNeeded: fileNumber)]
        line = file == nil ? 0 : Int(number)
      }
    }
    let depth = isInlined ? call(of: Int(parent), in: content).depth + 1 : 1
    let call = Call(frame: frame, file: file, line: line, depth: depth)
    content.calls[scope] = call
    return call
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
