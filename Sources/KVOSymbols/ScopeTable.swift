import CElfutils

/// The functions of one compile unit and what was inlined into them.
///
/// The entries are passed over here, in the order in which they stand, because libdw has no way to
/// go through them other than from sibling to sibling, which reads the inner ones once more for each
/// level around them. It is asked for what is not a plain address: lists of ranges, names, origins.
struct ScopeTable {
  /// A function that has code of its own, or one inlined call in it.
  struct Scope {
    /// Where the entry of the debug information stands; names are read from there when asked for.
    var entry: Dwarf_Off
    /// The scope that this one was inlined into, or ``RangeMap/none``.
    var parent: Int32
  }

  private(set) var scopes: [Scope] = []
  /// The index of the innermost scope at an address.
  private(set) var innermost = RangeMap()

  /// Entries nested deeper than this are left out, so that no address has frames without end.
  private static let levelLimit = 200
  /// The parent of what stands in an entry that no function is looked for in.
  private static let ignored: Int32 = -2

  init() {}

  /// Passes over the entries of the unit once.
  ///
  /// - Parameters:
  ///   - layout: where the unit's entries stand.
  ///   - sections: the debug information of its file.
  ///   - dwarf: libdw's handle of the same file.
  ///   - code: the ranges outside of which an address is that of a dropped function.
  /// - Complexity: O(n) in the bytes of the unit.
  init(
    of layout: UnitLayout,
    in sections: DebugSections,
    _ dwarf: OpaquePointer,
    code: CodeRanges
  ) {
    var abbreviations = AbbreviationTable(of: layout, in: sections.abbreviations)
    var reader = ByteReader(sections.information, layout.entries)
    var entries: [RangeMap.Entry] = []
    var outer: [Int32] = []
    var parent = RangeMap.none
    while !reader.isAtEnd {
      let start = reader.position
      let abbreviationCode = reader.unsigned()
      if abbreviationCode == 0 {
        guard let last = outer.popLast() else { break }
        parent = last
        continue
      }
      // What follows an entry of unknown size cannot be found.
      guard let abbreviation = abbreviations.abbreviation(abbreviationCode) else { break }
      // The unit's own entry is a container whatever it says of itself.
      var inner = outer.isEmpty ? RangeMap.none : parent
      switch abbreviation.kind {
      case .function, .inlinedCall:
        let place = Place(abbreviation, abbreviations.attributes, layout, &reader)
        guard parent != Self.ignored, !outer.isEmpty else { break }
        let index = Int32(truncatingIfNeeded: scopes.count)
        let known = entries.count
        place.forEachRange(entry: Dwarf_Off(start), dwarf, code) {
          entries.append(RangeMap.Entry(range: $0, value: index))
        }
        guard entries.count > known else { break }
        let isInlined = abbreviation.kind == .inlinedCall
        scopes.append(
          Scope(entry: Dwarf_Off(start), parent: isInlined ? parent : RangeMap.none)
        )
        inner = index
      case .container, .other:
        if abbreviation.kind == .other, !outer.isEmpty { inner = Self.ignored }
        for step in abbreviation.steps {
          reader.skip(abbreviations.steps[step].byteCount)
          if abbreviations.steps[step].form != 0 {
            layout.forms.skip(abbreviations.steps[step].form, in: &reader)
          }
        }
      }
      if abbreviation.hasChildren {
        outer.append(parent)
        parent = outer.count > Self.levelLimit ? Self.ignored : inner
      } else if outer.isEmpty {
        break
      }
    }
    innermost = RangeMap(entries)
  }
}

/// Where the code of a function or inlined call is, as its entry says.
private struct Place {
  private var low: UInt64?
  private var high: UInt64?
  /// Whether `high` counts from `low`.
  private var isSize = false
  /// Whether libdw has to read it.
  private var isIndirect = false

  init(
    _ abbreviation: AbbreviationTable.Abbreviation,
    _ attributes: [AbbreviationTable.Attribute],
    _ layout: UnitLayout,
    _ reader: inout ByteReader
  ) {
    for index in abbreviation.attributes {
      let form = attributes[index].form
      switch (Int(truncatingIfNeeded: attributes[index].name), Int(truncatingIfNeeded: form)) {
      case (Int(DW_AT_low_pc), Int(DW_FORM_addr)):
        low = reader.number(byteCount: layout.forms.addressByteCount)
      case (Int(DW_AT_high_pc), Int(DW_FORM_addr)):
        high = reader.number(byteCount: layout.forms.addressByteCount)
      case (Int(DW_AT_high_pc), Int(DW_FORM_data4)):
        high = UInt64(reader.number(UInt32.self))
        isSize = true
      case (Int(DW_AT_high_pc), Int(DW_FORM_data8)):
        high = reader.number(UInt64.self)
        isSize = true
      case (Int(DW_AT_high_pc), _), (Int(DW_AT_low_pc), _), (Int(DW_AT_ranges), _):
        isIndirect = true
        layout.forms.skip(form, in: &reader)
      default:
        layout.forms.skip(form, in: &reader)
      }
    }
  }

  func forEachRange(
    entry: Dwarf_Off,
    _ dwarf: OpaquePointer,
    _ code: CodeRanges,
    _ body: (Range<UInt64>) -> Void
  ) {
    if isIndirect {
      var die = Dwarf_Die()
      guard dwarf_offdie(dwarf, entry, &die) != nil else { return }
      code.forEachRange(of: &die, body)
    } else if let low, let high {
      let end = isSize ? low &+ high : high
      if low < end, code.contains(low..<end) { body(low..<end) }
    }
  }
}
