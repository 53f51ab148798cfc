/// Texts with escapes or letters beyond ASCII, byte by byte.
extension LineCursor {
  /// Steps over the rest of a text and its closing quote, and appends its value to `text`.
  ///
  /// The appended bytes are valid UTF-8. Complexity: O(length).
  ///
  /// - Throws: if the text does not end in the line, is not valid UTF-8, contains a control character, an unknown
  ///   escape or half of a surrogate pair; and if it contains a byte order mark, because Foundation drops some of
  ///   these.
  mutating func text(into text: inout [UInt8]) throws(NotCanonical) {
    while true {
      let byte = byte
      switch byte {
      case UInt8(ascii: "\""):
        skipByte()
        return
      case UInt8(ascii: "\\"):
        skipByte()
        try escape(into: &text)
      case 0x20..<0x80:
        skipByte()
        text.append(byte)
      default: try scalar(into: &text)
      }
    }
  }

  /// One scalar of two to four bytes: the table of well-formed sequences of the Unicode standard, 3.9, which excludes
  /// surrogates and overlong encodings.
  private mutating func scalar(into text: inout [UInt8]) throws(NotCanonical) {
    let first = try takeByte(0xc2...0xf4)
    text.append(first)
    let second: UInt8
    switch first {
    case 0xe0: second = try takeByte(0xa0...0xbf)
    case 0xed: second = try takeByte(0x80...0x9f)
    case 0xf0: second = try takeByte(0x90...0xbf)
    case 0xf4: second = try takeByte(0x80...0x8f)
    default: second = try takeByte(0x80...0xbf)
    }
    text.append(second)
    guard first >= 0xe0 else { return }
    let third = try takeByte(0x80...0xbf)
    if first == 0xef, second == 0xbb, third == 0xbf { throw NotCanonical() }
    text.append(third)
    if first >= 0xf0 { text.append(try takeByte(0x80...0xbf)) }
  }

  /// The rest of an escape after the backslash.
  private mutating func escape(into text: inout [UInt8]) throws(NotCanonical) {
    let byte = byte
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      skipByte()
      text.append(contentsOf: String(Character(try escapedScalar())).utf8)
      return
    default: throw NotCanonical()
    }
    skipByte()
  }

  /// The scalar of one `\u` escape, or of the two that a surrogate pair takes.
  private mutating func escapedScalar() throws(NotCanonical) -> Unicode.Scalar {
    let unit = try fourDigits()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard 0xd800...0xdbff ~= unit, take(#"\u"#) else { throw NotCanonical() }
    let second = try fourDigits()
    guard 0xdc00...0xdfff ~= second,
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (second - 0xdc00))
    else { throw NotCanonical() }
    return scalar
  }

  private mutating func fourDigits() throws(NotCanonical) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = hexadecimalDigit() else { throw NotCanonical() }
      number = number << 4 | UInt32(digit)
    }
    return number
  }
}
