import CElfutils
import KVOTrace

/// One compile unit of the debug information, read when an address first falls into it.
///
/// Mutable state: `content`, created at the first query and kept.
final class CompileUnit {
  private let dwarf: OpaquePointer
  private let die: Dwarf_Die
  private let code: CodeRanges
  private let names: FunctionNames
  private let texts: DebugTexts
  private var content: UnitFrames?

  /// Makes a unit that has read nothing yet.
  ///
  /// - Parameters:
  ///   - die: the unit's entry, which is valid as long as `dwarf`.
  ///   - dwarf: must outlive the unit.
  ///   - code: the code of the image.
  ///   - names: the names of the image, which the unit adds to.
  ///   - texts: the texts of the file.
  init(
    die: Dwarf_Die,
    dwarf: OpaquePointer,
    code: CodeRanges,
    names: FunctionNames,
    texts: DebugTexts
  ) {
    self.die = die
    self.dwarf = dwarf
    self.code = code
    self.names = names
    self.texts = texts
  }

  /// The addresses of the unit's code, from its entry; from its functions, if the entry has none.
  func ranges() -> [Range<UInt64>] {
    var ranges: [Range<UInt64>] = []
    var die = die
    code.forEachRange(of: &die) { ranges.append($0) }
    guard ranges.isEmpty, dwarf_haschildren(&die) == 1 else { return ranges }
    load()
    guard let map = content?.scopes.innermost else { return [] }
    for index in map.starts.indices.dropLast() where map.values[index] != RangeMap.none {
      ranges.append(map.starts[index]..<map.starts[index + 1])
    }
    return ranges
  }

  /// The frames at `address`, innermost first; one without a function if only the line is known.
  ///
  /// - Complexity: O(log n) in the size of the unit, after the first call.
  func frames(at address: UInt64) -> [SourceFrame] {
    load()
    return content?.frames(at: address) ?? []
  }

  /// The names of the parameters and variables of the function at `address`.
  func variables(at address: UInt64) -> [String] {
    load()
    return content?.variables(at: address) ?? []
  }

  /// All that the unit knows, for one use: what is read now is not kept.
  func loaded() -> UnitFrames {
    content ?? UnitFrames(of: die, dwarf, code: code, names: names, texts: texts)
  }

  // Not a lazy property: that would return a copy, and a query would copy the whole unit.
  private func load() {
    guard content == nil else { return }
    content = UnitFrames(of: die, dwarf, code: code, names: names, texts: texts)
  }
}
