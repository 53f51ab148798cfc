/// Receives the fields of records, each a number.
///
/// The fields of an event and their order are in a generated extension, once for all types that write
/// the binary form: into memory for a conversion, or straight into the log of a running process.
package protocol RecordFieldWriter {
  /// Receives the next field.
  mutating func number(_ value: UInt64)
  /// The number of a string in the log.
  mutating func number(of string: StringID) -> UInt64
  /// The number in the log of a text that is not an interned string.
  mutating func number(ofText text: String) -> UInt64
}

extension RecordFieldWriter {
  /// A count or size, which the grammar guarantees to be nonnegative.
  mutating func number(_ value: Int) { number(UInt64(clamping: value)) }

  mutating func number(zigzag value: Int64) {
    number(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func flag(_ value: Bool) { number(value ? 1 : UInt64(0)) }

  mutating func choice(_ value: some BinaryNumbered) { number(value.binaryNumber) }

  mutating func string(_ value: StringID) { number(number(of: value)) }

  mutating func strings(_ values: [StringID]) {
    number(values.count)
    for value in values { string(value) }
  }

  mutating func keyPaths(_ values: [AffectingPath]) { strings(values.map(\.text)) }

  mutating func text(_ value: String) { number(number(ofText: value)) }

  mutating func identifier<Tag>(_ value: Identifier<Tag>) { number(encoded(value)) }

  mutating func object(_ value: ObjectRef) {
    identifier(value.id)
    number(number(of: value.className) << 2 | value.kind.binaryNumber)
  }

  mutating func objects(_ values: [ObjectRef]) {
    number(values.count)
    for value in values { object(value) }
  }

  mutating func rules(_ values: [UInt16]) {
    number(values.count)
    for value in values { number(UInt64(value)) }
  }

  /// A number, a text or a reader's number, distinguished by the two lowest bits.
  package mutating func encoded<Tag>(_ value: Identifier<Tag>) -> UInt64 {
    if let name = value.name { return number(of: name) << 2 | BinaryFormat.IDTag.text }
    if let generation = value.generation {
      return generation << 2 | BinaryFormat.IDTag.generation
    }
    return (value.number ?? 0) << 2 | BinaryFormat.IDTag.number
  }
}

extension Context {
  /// The bit as in the shape of a record.
  var shapeNumber: UInt64 {
    switch self {
    case .unspecified: 0
    case .null: 1
    case .named: 2
    }
  }
}
