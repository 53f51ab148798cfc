import CElfutils

/// The functions of one compile unit and their inlined calls.
struct ScopeTable {
  /// A function that has its own code, or one inlined call in it.
  struct Scope {
    /// The offset of the debug information entry; names are read from there on demand.
    var entry: Dwarf_Off
    /// The scope that this one was inlined into, or ``RangeMap/none``.
    var parent: Int32
  }

  private(set) var scopes: [Scope] = []
  /// The index of the innermost scope at an address.
  private(set) var innermost = RangeMap()

  /// Entries nested deeper than this are omitted, so that the number of frames of an address is bounded.
  private static let levelLimit = 200

  /// Traverses the entries of the unit whose own entry `unit` is.
  ///
  /// libdw goes from sibling to sibling, and reads inner entries once more for each level around them.
  ///
  /// - Parameters:
  ///   - unit: valid as long as its handle of libdw.
  ///   - code: the ranges outside of which an address is that of a dropped function.
  /// - Complexity: O(n × levels) in the bytes of the unit.
  init(of unit: Dwarf_Die, code: CodeRanges) {
    var entries: [RangeMap.Entry] = []
    addScopes(in: unit, parent: RangeMap.none, level: 0, code, &entries)
    innermost = RangeMap(entries)
  }

  private mutating func addScopes(
    in outer: Dwarf_Die,
    parent: Int32,
    level: Int,
    _ code: CodeRanges,
    _ entries: inout [RangeMap.Entry]
  ) {
    var outer = outer
    var die = Dwarf_Die()
    guard level < Self.levelLimit, dwarf_child(&outer, &die) == 0 else { return }
    while true {
      let kind = Self.kind(of: &die)
      var inner = parent
      if kind == .function || kind == .inlinedCall {
        let index = Int32(truncatingIfNeeded: scopes.count)
        let known = entries.count
        code.forEachRange(of: &die) { entries.append(RangeMap.Entry(range: $0, value: index)) }
        if entries.count > known {
          scopes.append(
            Scope(
              entry: dwarf_dieoffset(&die),
              parent: kind == .inlinedCall ? parent : RangeMap.none
            )
          )
          inner = index
        }
      }
      if kind != .other {
        addScopes(in: die, parent: inner, level: level + 1, code, &entries)
      }
      var next = Dwarf_Die()
      guard dwarf_siblingof(&die, &next) == 0 else { return }
      die = next
    }
  }

  /// The role of an entry in a search for functions.
  private enum Kind {
    case function
    case inlinedCall
    /// May contain functions.
    case container
    case other
  }

  private static func kind(of die: inout Dwarf_Die) -> Kind {
    switch Int(dwarf_tag(&die)) {
    case Int(DW_TAG_subprogram): .function
    case Int(DW_TAG_inlined_subroutine): .inlinedCall
    case Int(DW_TAG_lexical_block), Int(DW_TAG_namespace), Int(DW_TAG_module),
      Int(DW_TAG_structure_type), Int(DW_TAG_class_type), Int(DW_TAG_enumeration_type),
      Int(DW_TAG_union_type), Int(DW_TAG_try_block), Int(DW_TAG_catch_block):
      .container
    default: .other
    }
  }
}
