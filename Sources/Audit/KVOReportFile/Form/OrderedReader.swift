import KVOTraceJSON

/// Reads values from JSON text whose keys are in the order in which this version writes them.
///
/// Reports are large, and nearly all of them were written by this version. What it does not read is not necessarily
/// damaged: keys in another order, keys of later versions, numbers with a fraction. ``ReadReport`` reads those, and says
/// what is wrong with the others.
///
/// Reads each byte once. Its buffer may hold a part of the text: see ``isStarved``.
struct OrderedReader {
  /// The text is not one that it reads, or ends too early.
  struct Refusal: Error {}

  /// The text from some position on, as far as it is known.
  private(set) var bytes: [UInt8]
  /// The index of the next byte.
  var position = 0
  /// Whether the next key is the first of its object: it has no comma before it.
  private var isFirst = true
  private var depth = 0

  /// Deeper text is left to the other reader, which has a limit.
  private static let depthLimit = 128

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether the last refusal may be only for want of bytes: all that there are were looked at.
  var isStarved: Bool { position >= bytes.count }

  /// Returns to `start`, and forgets the bytes before it and that it was refused; then appends `more`.
  mutating func resume(from start: Int, with more: [UInt8]) {
    bytes.removeSubrange(..<start)
    (position, depth) = (0, 0)
    bytes += more
  }

  /// Reads an object.
  mutating func object<Value: ReportFields>(
    _ type: Value.Type = Value.self
  ) throws(Refusal) -> Value {
    try take(UInt8(ascii: "{"))
    depth += 1
    guard depth < Self.depthLimit else { throw Refusal() }
    isFirst = true
    var value = Value.blank
    try value.pass(&self)
    isFirst = false
    depth -= 1
    skipSpace()
    try take(UInt8(ascii: "}"))
    return value
  }

  /// Reads a list; `element` reads each of its elements.
  mutating func list(_ element: (inout Self) throws(Refusal) -> Void) throws(Refusal) {
    try take(UInt8(ascii: "["))
    skipSpace()
    if next == UInt8(ascii: "]") { return position += 1 }
    while true {
      try element(&self)
      skipSpace()
      let end = next
      position += 1
      if end == UInt8(ascii: "]") { return }
      guard end == UInt8(ascii: ",") else { throw Refusal() }
      skipSpace()
    }
  }
}

// MARK: - Tokens

extension OrderedReader {
  /// The next byte; 0 at the end.
  var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

  /// Skips one byte, which must be `byte`.
  mutating func take(_ byte: UInt8) throws(Refusal) {
    guard next == byte else { throw Refusal() }
    position += 1
  }

  /// Skips white space.
  mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0a, 0x0d, 0x09: position += 1
      default: return
      }
    }
  }

  /// Skips `key` and its colon if it is the next one of the object.
  mutating func has(_ key: String) -> Bool {
    let start = position
    if skips(key) {
      isFirst = false
      return true
    }
    // It may be the next one if bytes are wanting: the position stays at their end.
    if !isStarved { position = start }
    return false
  }

  private mutating func skips(_ key: String) -> Bool {
    skipSpace()
    if !isFirst {
      guard skips(UInt8(ascii: ",")) else { return false }
      skipSpace()
    }
    guard skips(UInt8(ascii: "\"")) else { return false }
    for byte in key.utf8 where !skips(byte) { return false }
    guard skips(UInt8(ascii: "\"")) else { return false }
    skipSpace()
    guard skips(UInt8(ascii: ":")) else { return false }
    skipSpace()
    return true
  }

  private mutating func skips(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  /// Skips the key of a value that must be there.
  mutating func demand(_ key: String) throws(Refusal) {
    guard has(key) else { throw Refusal() }
  }

  /// Skips `null` if it is next.
  mutating func hasNull() throws(Refusal) -> Bool {
    guard next == UInt8(ascii: "n") else { return false }
    try take("null")
    return true
  }

  /// Skips `word`.
  mutating func take(_ word: StaticString) throws(Refusal) {
    for offset in 0..<word.utf8CodeUnitCount {
      try take(word.withUTF8Buffer { $0[offset] })
    }
  }

  /// Reads a whole number.
  mutating func number<Number: FixedWidthInteger>() throws(Refusal) -> Number {
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let start = position
    var number: Number = 0
    while case let digit = next &- UInt8(ascii: "0"), digit < 10 {
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) =
        isNegative
        ? product.subtractingReportingOverflow(Number(digit))
        : product.addingReportingOverflow(Number(digit))
      if isTooLarge || isLarger { throw Refusal() }
      number = sum
      position += 1
    }
    let count = position - start
    // A number at the end of the bytes may go on.
    guard count > 0, position < bytes.count, count == 1 || bytes[start] != UInt8(ascii: "0") else {
      throw Refusal()
    }
    return number
  }

  /// Reads a string.
  mutating func string() throws(Refusal) -> String {
    try take(UInt8(ascii: "\""))
    let start = position
    var isASCII = true
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        let text = bytes[start..<position]
        position += 1
        if isASCII { return String(decoding: text, as: UTF8.self) }
        guard let text = String(validating: text, as: UTF8.self) else { throw Refusal() }
        return text
      }
      if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
      if byte < 0x20 { throw Refusal() }
      if byte >= 0x80 { isASCII = false }
      position += 1
    }
    throw Refusal()
  }

  /// Reads the rest of a string, which begins at `start`, from its first escape on.
  private mutating func escapedString(from start: Int) throws(Refusal) -> String {
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: text, as: UTF8.self) else { throw Refusal() }
        return text
      case UInt8(ascii: "\\"): text += try escape()
      case ..<0x20: throw Refusal()
      default: text.append(byte)
      }
    }
    throw Refusal()
  }

  /// Reads an escape after its backslash.
  private mutating func escape() throws(Refusal) -> [UInt8] {
    let letter = next
    position += 1
    if let byte = JSONEscape.byte(letter) { return [byte] }
    guard letter == UInt8(ascii: "u") else { throw Refusal() }
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return Array(String(scalar).utf8) }
    guard 0xd800..<0xdc00 ~= unit else { throw Refusal() }
    try take("\\u")
    guard let scalar = JSONEscape.scalar(unit, try codeUnit()) else { throw Refusal() }
    return Array(String(scalar).utf8)
  }

  private mutating func codeUnit() throws(Refusal) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(next)).hexDigitValue else { throw Refusal() }
      value = value << 4 + UInt32(digit)
      position += 1
    }
    return value
  }

  /// Skips a value of any kind.
  mutating func skipValue() throws(Refusal) {
    switch next {
    case UInt8(ascii: "{"):
      position += 1
      skipSpace()
      if next == UInt8(ascii: "}") { return position += 1 }
      position -= 1
      try skipMembers()
    case UInt8(ascii: "["):
      depth += 1
      guard depth < Self.depthLimit else { throw Refusal() }
      try list { reader throws(Refusal) in try reader.skipValue() }
      depth -= 1
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"): try take("true")
    case UInt8(ascii: "f"): try take("false")
    case UInt8(ascii: "n"): try take("null")
    case UInt8(ascii: "-"): let _: Int = try number()
    default: let _: UInt64 = try number()
    }
  }

  private mutating func skipMembers() throws(Refusal) {
    depth += 1
    guard depth < Self.depthLimit else { throw Refusal() }
    repeat {
      position += 1
      skipSpace()
      _ = try string()
      skipSpace()
      try take(UInt8(ascii: ":"))
      skipSpace()
      try skipValue()
      skipSpace()
    } while next == UInt8(ascii: ",")
    try take(UInt8(ascii: "}"))
    depth -= 1
  }
}
