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
    let letter = byte
    if let byte = JSONEscape.byte(letter) {
      skipByte()
      text.append(byte)
    } else {
      guard letter == UInt8(ascii: "u") else { throw NotCanonical() }
      skipByte()
      text.append(contentsOf: String(Character(try escapedScalar())).utf8)
    }
  }

  /// The scalar of one `\u` escape, or of the two that a surrogate pair takes.
  private mutating func escapedScalar() throws(NotCanonical) -> Unicode.Scalar {
    let unit = try fourDigits()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard 0xd800...0xdbff ~= unit, take(#"\u"#) else { throw NotCanonical() }
    guard let scalar = JSONEscape.scalar(unit, try fourDigits()) else { throw NotCanonical() }
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
