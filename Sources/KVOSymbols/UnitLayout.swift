import CElfutils

/// Where a compile unit stands in its section, and the sizes of numbers in it.
struct UnitLayout {
  let forms: FormSizes
  /// Where the unit's abbreviations begin in their section.
  let abbreviationsOffset: UInt64
  /// The entries, from the unit's own on, in the section of information.
  let entries: Range<Int>

  /// Reads the layout of the unit whose own entry `die` is; nil where its header says nonsense.
  init?(of die: Dwarf_Die, in information: SectionBytes) {
    guard let unit = die.cu else { return nil }
    var die = die
    var own = Dwarf_Die()
    var version: Dwarf_Half = 0
    var abbreviations: Dwarf_Off = 0
    var addressByteCount: UInt8 = 0
    var offsetByteCount: UInt8 = 0
    guard
      dwarf_cu_die(
        unit,
        &own,
        &version,
        &abbreviations,
        &addressByteCount,
        &offsetByteCount,
        nil,
        nil
      ) != nil,
      let first = Int(exactly: dwarf_dieoffset(&die)),
      let start = Int(exactly: dwarf_dieoffset(&die) &- dwarf_cuoffset(&die)), start <= first,
      first <= information.bytes.count
    else { return nil }
    var header = ByteReader(information, start..<first)
    if offsetByteCount == 8 { header.skip(4) }
    let length = header.number(byteCount: Int(offsetByteCount))
    guard !header.hasFailed, let count = Int(exactly: length),
      count <= information.bytes.count, header.position + count > first
    else { return nil }
    forms = FormSizes(
      version: Int(version),
      addressByteCount: Int(addressByteCount),
      offsetByteCount: Int(offsetByteCount)
    )
    abbreviationsOffset = abbreviations
    entries = first..<min(header.position + count, information.bytes.count)
  }
}
