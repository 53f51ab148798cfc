import CElfutils
import KVOTrace

/// The DWARF debug information of one file.
///
/// Swift writes no `.debug_aranges`, where libdw's own lookups by address start; so the ranges of all compile units are
/// sorted here, and a unit is read when an address falls into it. Split DWARF (`.dwo`) is not followed: Swift does not
/// write it.
final class DebugInformation {
  private let file: ElfFile
  private let handle: OpaquePointer
  let units: [CompileUnit]
  /// The index of the unit at an address.
  let unitIndices: RangeMap

  /// Reads the list of units of `file`; nil if it has none.
  ///
  /// - Parameters:
  ///   - file: the image, or its separate debug file.
  ///   - code: the code of the image, which a separate debug file may not know.
  ///   - names: the names of the image, which the debug information adds to.
  /// - Complexity: O(n log n) in the number of ranges of the units.
  init?(of file: ElfFile, code: CodeRanges, names: FunctionNames) {
    guard let handle = dwarf_begin_elf(file.handle, DWARF_C_READ, nil) else { return nil }
    // Its own handler exits with status 1, by which kvo-audit says that there are findings.
    _ = dwarf_new_oom_handler(handle) { fatalError("there is no memory for debug information") }
    guard let texts = DebugTexts(of: file) else {
      dwarf_end(handle)
      return nil
    }
    var units: [CompileUnit] = []
    var entries: [RangeMap.Entry] = []
    var unit: OpaquePointer?
    var hasUnits = false
    while true {
      var next: OpaquePointer?
      var version: Dwarf_Half = 0
      var type: UInt8 = 0
      var die = Dwarf_Die()
      // A unit that cannot be read ends the list: the start of the next one is unknown.
      guard dwarf_get_units(handle, unit, &next, &version, &type, &die, nil) == 0 else { break }
      unit = next
      guard Int(type) == Int(DW_UT_compile) else { continue }
      hasUnits = true
      let read = CompileUnit(
        die: die,
        dwarf: handle,
        code: code,
        names: names,
        texts: texts
      )
      let index = Int32(truncatingIfNeeded: units.count)
      entries += read.ranges().map { RangeMap.Entry(range: $0, value: index) }
      units.append(read)
    }
    guard hasUnits else {
      dwarf_end(handle)
      return nil
    }
    self.file = file
    self.handle = handle
    self.units = units
    unitIndices = RangeMap(entries)
  }

  deinit { dwarf_end(handle) }

  /// The frames at `address`, innermost first; none if no unit has code there.
  func frames(at address: UInt64) -> [SourceFrame] {
    let unit = unitIndices[address]
    return unit == RangeMap.none ? [] : units[Int(unit)].frames(at: address)
  }

  /// The names of the parameters and variables of the function at `address`; none if no unit has code there.
  func variables(at address: UInt64) -> [String] {
    let unit = unitIndices[address]
    return unit == RangeMap.none ? [] : units[Int(unit)].variables(at: address)
  }
}
