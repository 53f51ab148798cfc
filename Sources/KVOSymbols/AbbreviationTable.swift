import CElfutils

/// Which attributes the entries of a unit have, by the code that each entry begins with.
///
/// Mutable state: the abbreviations read so far. They are read up to the one asked for, so that a
/// unit costs no more of a table that it shares with others than it uses.
struct AbbreviationTable {
  /// What an entry is to the search for functions.
  enum Kind {
    /// A function that has code of its own, or only a declaration.
    case function
    case inlinedCall
    /// What may have functions inside it.
    case container
    case other
  }

  struct Attribute {
    var name: UInt64
    var form: UInt64
  }

  struct Abbreviation {
    var kind = Kind.other
    var hasChildren = false
    /// The attributes of a function or inlined call, in ``AbbreviationTable/attributes``.
    var attributes = 0..<0
    /// How an entry of another kind is passed over, in ``AbbreviationTable/steps``.
    var steps = 0..<0
  }

  /// Bytes whose number is known, and behind them a value that says its own size.
  struct Step {
    var byteCount: UInt64
    /// The form of that value; 0 where there is none.
    var form: UInt64
  }

  private(set) var attributes: [Attribute] = []
  private(set) var steps: [Step] = []
  private let layout: UnitLayout
  private var reader: ByteReader
  /// By code, less one, as compilers count them.
  private var ordered: [Abbreviation] = []
  /// All others by code.
  private var others: [UInt64: Abbreviation] = [:]

  init(of layout: UnitLayout, in section: SectionBytes) {
    self.layout = layout
    let start = Int(exactly: layout.abbreviationsOffset) ?? section.bytes.count
    reader = ByteReader(section, min(start, section.bytes.count)..<section.bytes.count)
  }

  /// The abbreviation with the given code, which is not 0, or nil where the table has none.
  ///
  /// - Complexity: O(1), besides reading each abbreviation once.
  mutating func abbreviation(_ code: UInt64) -> Abbreviation? {
    if code <= UInt64(ordered.count) { return ordered[Int(code) - 1] }
    if let known = others[code] { return known }
    while !reader.isAtEnd {
      let next = reader.unsigned()
      // The end of the table is a code of 0: whoever asks again finds it again.
      guard next != 0 else {
        reader.skip(.max)
        return nil
      }
      let read = readAbbreviation()
      guard !reader.hasFailed else { return nil }
      if next == UInt64(ordered.count) + 1 {
        ordered.append(read)
      } else if next > UInt64(ordered.count), others[next] == nil {
        others[next] = read
      }
      if next == code { return read }
    }
    return nil
  }

  private mutating func readAbbreviation() -> Abbreviation {
    var abbreviation = Abbreviation()
    abbreviation.kind = Self.kind(of: reader.unsigned())
    abbreviation.hasChildren = reader.byte() != 0
    let isFunction = abbreviation.kind == .function || abbreviation.kind == .inlinedCall
    let firstAttribute = attributes.count
    let firstStep = steps.count
    var byteCount: UInt64 = 0
    while true {
      let name = reader.unsigned()
      let form = reader.unsigned()
      if form == UInt64(DW_FORM_implicit_const) { _ = reader.signed() }
      guard name != 0 || form != 0, !reader.hasFailed else { break }
      if isFunction {
        attributes.append(Attribute(name: name, form: form))
      } else if let count = layout.forms.byteCount(of: form) {
        byteCount += UInt64(count)
      } else {
        steps.append(Step(byteCount: byteCount, form: form))
        byteCount = 0
      }
    }
    if byteCount > 0 { steps.append(Step(byteCount: byteCount, form: 0)) }
    abbreviation.attributes = firstAttribute..<attributes.count
    abbreviation.steps = firstStep..<steps.count
    return abbreviation
  }

  private static func kind(of tag: UInt64) -> Kind {
    switch Int(truncatingIfNeeded: tag) {
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
