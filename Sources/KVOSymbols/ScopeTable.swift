import CElfutils

/// The functions of one compile unit and what was inlined into them.
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

  /// Walks the entries of the unit once.
  ///
  /// - Parameters:
  ///   - unit: the unit's own entry.
  ///   - code: the ranges outside of which an address is that of a dropped function.
  /// - Complexity: O(n) in the number of entries of the unit.
  init(of unit: Dwarf_Die, code: CodeRanges) {
    var entries: [RangeMap.Entry] = []
    walk(unit, parent: RangeMap.none, level: 0, code: code, entries: &entries)
    innermost = RangeMap(entries)
  }

  /// Entries nested deeper than this are left out: a damaged file must not exhaust the stack.
  private static let levelLimit = 200

  private mutating func walk(
    _ die: Dwarf_Die,
    parent: Int32,
    level: Int,
    code: CodeRanges,
    entries: inout [RangeMap.Entry]
  ) {
    var die = die
    var child = Dwarf_Die()
    guard level < Self.levelLimit, dwarf_child(&die, &child) == 0 else { return }
    while true {
      let tag = dwarf_tag(&child)
      switch Int(tag) {
      case Int(DW_TAG_subprogram), Int(DW_TAG_inlined_subroutine):
        let isInlined = Int(tag) == Int(DW_TAG_inlined_subroutine)
        let index = Int32(truncatingIfNeeded: scopes.count)
        let rangeCount = entries.count
        code.forEachRange(of: &child) { entries.append(RangeMap.Entry(range: $0, value: index)) }
        var scope = parent
        if entries.count > rangeCount {
          scopes.append(
            Scope(entry: dwarf_dieoffset(&child), parent: isInlined ? parent : RangeMap.none)
          )
          scope = index
        }
        walk(child, parent: scope, level: level + 1, code: code, entries: &entries)
      case Int(DW_TAG_lexical_block), Int(DW_TAG_namespace), Int(DW_TAG_module),
        Int(DW_TAG_structure_type), Int(DW_TAG_class_type), Int(DW_TAG_enumeration_type),
        Int(DW_TAG_union_type), Int(DW_TAG_try_block), Int(DW_TAG_catch_block):
        walk(child, parent: parent, level: level + 1, code: code, entries: &entries)
      default:
        break
      }
      // A damaged reference to the next sibling may point backwards, in a circle.
      var sibling = Dwarf_Die()
      guard dwarf_siblingof(&child, &sibling) == 0,
        dwarf_dieoffset(&sibling) > dwarf_dieoffset(&child)
      else { return }
      child = sibling
    }
  }
}
