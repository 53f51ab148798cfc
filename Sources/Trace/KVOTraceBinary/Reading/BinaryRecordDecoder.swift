import KVOTrace

/// Decodes the records of one segment after the other.
///
/// Reads without checking whether any bytes are left: ``SegmentBuffer`` keeps zeros after the bytes, and the caller
/// that requests a record checks ``isSound`` after it. Only lists, which could run past those zeros, check as they go.
/// The pointers are into a `SegmentBuffer` and two `NumberMap`s that ``BinaryTables`` and the stream keep alive; the
/// maps no longer change once events are read.
struct BinaryRecordDecoder {
  private(set) var at: UnsafePointer<UInt8>
  private(set) var end: UnsafePointer<UInt8>
  private var isMalformed = false
  private var hasLostString = false

  private let tables: BinaryTables
  private var strings: UnsafeMutablePointer<UInt32>
  private var stringCount: UInt64

  init(_ records: UnsafeRawBufferPointer, tables: BinaryTables) {
    // A buffer has its slack after it, and so a base address even when it is empty.
    let start = records.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
    at = start
    end = start + records.count
    self.tables = tables
    strings = tables.strings.dense
    stringCount = tables.strings.denseCount
  }

  /// Updates the string pointers, after some were defined.
  mutating func refreshTables() {
    strings = tables.strings.dense
    stringCount = tables.strings.denseCount
  }

  /// Continues with other records.
  mutating func begin(_ records: UnsafeRawBufferPointer) {
    self = BinaryRecordDecoder(records, tables: tables)
  }

  /// Whether everything that was decoded was present and well-formed.
  @inline(__always)
  var isSound: Bool { !isMalformed && at <= end }

  /// How many bytes are left; 0 if too many were taken already.
  var leftByteCount: UInt64 { UInt64(max(0, end - at)) }

  mutating func markMalformed() { isMalformed = true }

  mutating func noteLostString() { hasLostString = true }

  /// Whether a string was missing since the last call.
  @inline(__always)
  mutating func takeHasLostString() -> Bool {
    let result = hasLostString
    hasLostString = false
    return result
  }
}

// MARK: - Fields

extension BinaryRecordDecoder {
  @inline(__always)
  mutating func byte() -> UInt8 {
    let byte = at.pointee
    at += 1
    return byte
  }

  @inline(__always)
  mutating func varint() -> UInt64 {
    let first = at[0]
    if first < 0x80 {
      at += 1
      return UInt64(first)
    }
    let second = at[1]
    if second < 0x80 {
      at += 2
      return UInt64(first & 0x7f) | UInt64(second) << 7
    }
    let third = at[2]
    if third < 0x80 {
      at += 3
      return UInt64(first & 0x7f) | UInt64(second & 0x7f) << 7 | UInt64(third) << 14
    }
    return longVarint()
  }

  @inline(never)
  private mutating func longVarint() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 63 {
      let byte = self.byte()
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    // The tenth byte has space for one more bit.
    let last = byte()
    if last > 1 { isMalformed = true }
    return value | UInt64(last & 1) << 63
  }

  @inline(__always)
  mutating func zigzag() -> Int64 {
    let value = varint()
    return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
  }

  /// A count or size up to `limit`; 0 for one above.
  mutating func count(upTo limit: UInt64 = UInt64(Int.max)) -> Int {
    let value = varint()
    guard value <= limit else {
      isMalformed = true
      return 0
    }
    return Int(truncatingIfNeeded: value)
  }

  /// A line of a source file.
  mutating func line() -> UInt32 {
    UInt32(truncatingIfNeeded: count(upTo: UInt64(UInt32.max)))
  }

  mutating func flag() -> Bool {
    let value = varint()
    if value > 1 { isMalformed = true }
    return value == 1
  }

  mutating func choice<Choice: BinaryNumbered>(_ fallback: Choice) -> Choice {
    choice(varint(), fallback)
  }

  @inline(__always)
  mutating func choice<Choice: BinaryNumbered>(_ number: UInt64, _ fallback: Choice) -> Choice {
    if let choice = Choice(binaryNumber: number) { return choice }
    isMalformed = true
    return fallback
  }

  /// A choice whose number 0 says that there is none.
  mutating func optionalChoice<Choice: BinaryNumbered>(
    _ number: UInt64,
    _ fallback: Choice
  ) -> Choice? {
    number == 0 ? nil : choice(number, fallback)
  }

  /// A flag of two bits: 0 not said, 1 false, 2 true.
  @inline(__always)
  mutating func optionalFlag(_ number: UInt64) -> Bool? {
    if number > 2 { isMalformed = true }
    return number == 0 ? nil : number == 2
  }

  /// Bits that say what follows; one above `mask` is unknown.
  @inline(__always)
  mutating func shape(_ mask: UInt64) -> UInt64 {
    let value = varint()
    if value & ~mask != 0 { isMalformed = true }
    return value
  }

  /// UTF-8, repaired if it is not valid.
  ///
  /// `byteCount` must be at most ``leftByteCount``.
  mutating func text(byteCount: Int) -> String {
    let text = String(
      decoding: UnsafeBufferPointer(start: at, count: byteCount),
      as: UTF8.self
    )
    at += byteCount
    return text
  }

  @inline(__always)
  mutating func string() -> StringID { string(varint()) }

  @inline(__always)
  private mutating func string(_ number: UInt64) -> StringID {
    if number < stringCount {
      let id = strings[Int(truncatingIfNeeded: number)]
      if id != NumberMap.missing { return StringID(rawValue: id) }
    }
    return rareString(number)
  }

  @inline(never)
  private mutating func rareString(_ number: UInt64) -> StringID {
    let id = tables.strings[number]
    if id != NumberMap.missing { return StringID(rawValue: id) }
    hasLostString = true
    return .none
  }

  /// A string that the events of a process or a module hold as a text.
  mutating func spelledString() -> String { tables.text(string()) }

  /// Nil if the stack is missing.
  mutating func stack() -> StackID? {
    let id = tables.stacks[varint()]
    return id == NumberMap.missing ? nil : StackID(rawValue: id)
  }

  @inline(__always)
  mutating func identifier<Tag>() -> Identifier<Tag> { identifier(varint()) }

  /// None for 0, else the id of the number before.
  mutating func optionalIdentifier<Tag>() -> Identifier<Tag>? {
    optionalIdentifier(varint())
  }

  mutating func optionalIdentifier<Tag>(_ value: UInt64) -> Identifier<Tag>? {
    value == 0 ? nil : identifier(value - 1)
  }

  @inline(__always)
  private mutating func identifier<Tag>(_ value: UInt64) -> Identifier<Tag> {
    if value & BinaryFormat.IDTag.mask == BinaryFormat.IDTag.number {
      return Identifier(value >> 2)
    }
    return rareIdentifier(value)
  }

  @inline(never)
  private mutating func rareIdentifier<Tag>(_ value: UInt64) -> Identifier<Tag> {
    switch value & BinaryFormat.IDTag.mask {
    case BinaryFormat.IDTag.generation: return Identifier(generation: value >> 2)
    case BinaryFormat.IDTag.text where value >> 2 != 0:
      let name = string(value >> 2)
      // A number in letters is that number: ids are distinguished by their spelling.
      if let number = tables.numerals[name] { return Identifier(number) }
      return Identifier(named: name)
    default:
      isMalformed = true
      return Identifier(0)
    }
  }

  @inline(__always)
  mutating func object() -> ObjectRef {
    let id: ObjectID = identifier()
    let value = varint()
    return ObjectRef(id: id, className: string(value >> 2), kind: choice(value & 3, .object))
  }

  /// The two lowest bits of `number` say whether a name follows.
  mutating func context(_ number: UInt64) -> Context {
    switch number & 3 {
    case 0: return .unspecified
    case 1: return .null
    case 2: return .named(string())
    default:
      markMalformed()
      return .unspecified
    }
  }

  mutating func objects() -> [ObjectRef] {
    var objects: [ObjectRef] = []
    // An object takes two bytes at least.
    let count = self.count(upTo: leftByteCount / 2)
    for _ in 0..<count where isSound { objects.append(object()) }
    return objects
  }

  mutating func stringList() -> [StringID] {
    var strings: [StringID] = []
    let count = self.count(upTo: leftByteCount)
    for _ in 0..<count where isSound { strings.append(string()) }
    return strings
  }

  /// Key paths, whose keys need no definition of their own.
  mutating func keyPathList() -> [AffectingPath] {
    stringList().map(tables.affectingPath)
  }

  /// The numbers of rules.
  mutating func ruleList() -> [UInt16] {
    var rules: [UInt16] = []
    let count = self.count(upTo: leftByteCount)
    for _ in 0..<count where isSound { rules.append(UInt16(self.count(upTo: 999))) }
    return rules
  }
}
