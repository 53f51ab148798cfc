/// A strict parser of JSON, as RFC 8259 has it.
///
/// Foundation has one too, but only the half of Foundation that comes with 34 MB of texts of all languages, which every
/// start of `kvo-audit` would load.
package enum JSONSyntax {
  /// How deep values may be nested.
  package static let depthLimit = 512

  /// Parses one line.
  ///
  /// - Parameter line: UTF-8 without a line end.
  /// - Returns: the value. Of two members of an object with one name, the later counts.
  /// - Throws: ``JSONSyntaxError`` if the line is not one JSON value, or one that is nested deeper than ``depthLimit``.
  /// - Complexity: O(length).
  package static func parse(_ line: ArraySlice<UInt8>) throws(JSONSyntaxError) -> JSONValue {
    try line.withUnsafeBufferPointer { bytes in
      Result<JSONValue, JSONSyntaxError> { () throws(JSONSyntaxError) in
        var parser = JSONParser(bytes)
        return try parser.document()
      }
    }
    .get()
  }
}

/// One run over the bytes of a text.
private struct JSONParser {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var depth = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func document() throws(JSONSyntaxError) -> JSONValue {
    // The mark of UTF-8, which some editors put at the start of a file.
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    let value = try self.value()
    skipBlanks()
    guard position == bytes.count else { throw invalid() }
    return value
  }

  // MARK: Values

  private mutating func value() throws(JSONSyntaxError) -> JSONValue {
    skipBlanks()
    guard let first = peek else { throw early() }
    switch first {
    case UInt8(ascii: "{"):
      return try nested { parser throws(JSONSyntaxError) in try parser.object() }
    case UInt8(ascii: "["):
      return try nested { parser throws(JSONSyntaxError) in try parser.list() }
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try word("true", .flag(true))
    case UInt8(ascii: "f"): return try word("false", .flag(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw invalid()
    }
  }

  private mutating func nested(
    _ read: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
  ) throws(JSONSyntaxError) -> JSONValue {
    guard depth < JSONSyntax.depthLimit else {
      throw problem(position, "values are nested deeper than \(JSONSyntax.depthLimit)")
    }
    depth += 1
    position += 1
    let value = try read(&self)
    depth -= 1
    return value
  }

  /// After the brace.
  private mutating func object() throws(JSONSyntaxError) -> JSONValue {
    var members: [String: JSONValue] = [:]
    if skipBlanks(to: UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipBlanks()
      guard let quote = peek else { throw early() }
      guard quote == UInt8(ascii: "\"") else { throw invalid() }
      let name = try string()
      guard try separated(by: UInt8(ascii: ":"), orEndedBy: nil) else { throw invalid() }
      members[name] = try value()
      guard try separated(by: UInt8(ascii: ","), orEndedBy: UInt8(ascii: "}")) else {
        return .object(members)
      }
    }
  }

  /// After the bracket.
  private mutating func list() throws(JSONSyntaxError) -> JSONValue {
    var values: [JSONValue] = []
    if skipBlanks(to: UInt8(ascii: "]")) { return .list(values) }
    while true {
      values.append(try value())
      guard try separated(by: UInt8(ascii: ","), orEndedBy: UInt8(ascii: "]")) else {
        return .list(values)
      }
    }
  }

  /// Reads a separator: true; or the end: false.
  private mutating func separated(
    by separator: UInt8,
    orEndedBy end: UInt8?
  ) throws(JSONSyntaxError) -> Bool {
    skipBlanks()
    guard let byte = peek else { throw early() }
    guard byte == separator || byte == end else { throw invalid() }
    position += 1
    return byte == separator
  }

  private mutating func word(
    _ word: StaticString,
    _ value: JSONValue
  ) throws(JSONSyntaxError) -> JSONValue {
    for index in 0..<word.utf8CodeUnitCount {
      guard let byte = peek else { throw early() }
      guard byte == word.utf8Start[index] else { throw invalid() }
      position += 1
    }
    return value
  }

  // MARK: Numbers

  private mutating func number() throws(JSONSyntaxError) -> JSONValue {
    let start = position
    let isNegative = skip(UInt8(ascii: "-"))
    let firstDigit = position
    if skip(UInt8(ascii: "0")) {
      if peek.map(Self.isDigit) == true { throw problem(position, "number with leading zero") }
    } else {
      try digits()
    }
    var fractionCount = 0
    if skip(UInt8(ascii: ".")) {
      let fraction = position
      try digits()
      fractionCount = position - fraction
    }
    let end = position
    var exponent = 0
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      let isSmall = skip(UInt8(ascii: "-"))
      if !isSmall { _ = skip(UInt8(ascii: "+")) }
      let digit = position
      try digits()
      let magnitude = Int(spelling(from: digit)) ?? .max
      exponent = min(magnitude, Self.exponentLimit) * (isSmall ? -1 : 1)
    }
    if let whole = self.whole(from: firstDigit, to: end, scale: exponent - fractionCount) {
      if !isNegative || whole == 0 { return .whole(whole) }
      if whole <= Int64.min.magnitude { return .negative(Int64(bitPattern: 0 &- whole)) }
    }
    guard let value = Double(spelling(from: start)), value.isFinite else {
      throw problem(start, "a number that is too large")
    }
    return .number(value)
  }

  /// Stands for every larger exponent: more than a text has digits.
  private static let exponentLimit = 1 << 40

  /// The number that the digits from `start` to `end` are times ten to the power of `scale`, if it is whole and fits.
  ///
  /// Not by a Double, which holds 53 bits of it.
  private func whole(from start: Int, to end: Int, scale: Int) -> UInt64? {
    var number: UInt64 = 0
    // Zeros count when another digit follows them: the last ones may undo a fraction.
    var shift = 0
    for byte in bytes[start..<end] where Self.isDigit(byte) {
      shift += 1
      if byte == UInt8(ascii: "0") { continue }
      guard let scaled = Self.scaled(number, by: shift) else { return nil }
      let (sum, overflow) = scaled.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      if overflow { return nil }
      number = sum
      shift = 0
    }
    if number == 0 { return 0 }
    return scale + shift < 0 ? nil : Self.scaled(number, by: scale + shift)
  }

  /// `number` times ten to the power of `exponent`, if that fits.
  private static func scaled(_ number: UInt64, by exponent: Int) -> UInt64? {
    if number == 0 { return 0 }
    // 10^20 does not fit.
    guard exponent < 20 else { return nil }
    var result = number
    for _ in 0..<exponent {
      let (product, overflow) = result.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      result = product
    }
    return result
  }

  /// The bytes from `start` to here, which are ASCII.
  private func spelling(from start: Int) -> String {
    String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(JSONSyntaxError) {
    guard let first = peek else { throw early() }
    guard Self.isDigit(first) else { throw invalid() }
    while let byte = peek, Self.isDigit(byte) { position += 1 }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  // MARK: Strings

  /// From the quotation mark to after the one at the end.
  private mutating func string() throws(JSONSyntaxError) -> String {
    position += 1
    let start = position
    while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    if peek == UInt8(ascii: "\"") {
      defer { position += 1 }
      return try text(Array(bytes[start..<position]), from: start)
    }
    var content = Array(bytes[start..<position])
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return try text(content, from: start)
      case UInt8(ascii: "\\"): try escape(&content)
      case 0: throw problem(position, "a NUL byte")
      case 0..<0x20: throw problem(position, "a control character in a string")
      default:
        content.append(byte)
        position += 1
      }
    }
    throw early()
  }

  private func text(_ content: [UInt8], from start: Int) throws(JSONSyntaxError) -> String {
    guard let text = String(validating: content, as: UTF8.self) else {
      throw problem(start, "a string that is not UTF-8")
    }
    return text
  }

  private mutating func escape(_ content: inout [UInt8]) throws(JSONSyntaxError) {
    let start = position
    position += 1
    guard let letter = peek else { throw early() }
    position += 1
    if let byte = JSONEscape.byte(letter) {
      content.append(byte)
    } else {
      guard letter == UInt8(ascii: "u") else { throw problem(start, "an invalid escape") }
      content += String(try scalar(from: start)).utf8
    }
  }

  /// The character of an escape, or of two that are a surrogate pair.
  private mutating func scalar(from start: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let half = problem(start, "half of a surrogate pair")
    guard 0xd800...0xdbff ~= unit, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")),
      let scalar = JSONEscape.scalar(unit, try codeUnit())
    else { throw half }
    return scalar
  }

  private mutating func codeUnit() throws(JSONSyntaxError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek else { throw early() }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw problem(position, "an invalid escape")
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }

  // MARK: Bytes

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d {
      position += 1
    }
  }

  /// Whether the next byte but blanks is `end`, which is then read.
  private mutating func skipBlanks(to end: UInt8) -> Bool {
    skipBlanks()
    return skip(end)
  }

  // MARK: Errors

  private func problem(_ offset: Int, _ message: String) -> JSONSyntaxError {
    JSONSyntaxError(offset: offset, message: "not JSON: \(message)")
  }

  private func invalid() -> JSONSyntaxError {
    problem(position, peek == 0 ? "a NUL byte" : "invalid value")
  }

  private func early() -> JSONSyntaxError { problem(bytes.count, "the line ends too early") }
}
