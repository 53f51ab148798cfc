/// The pieces of JSON text, appended to a buffer that the caller uses again and again.
///
/// Nothing here allocates but the growth of the buffer itself.
extension [UInt8] {
  /// Appends `text` as a JSON string with its quotes.
  ///
  /// Control characters, quotes and backslashes are escaped; all else goes out as its UTF-8.
  ///
  /// Complexity: O(length).
  package mutating func append(jsonString text: String) {
    append(UInt8(ascii: "\""))
    // Most strings need no escape and are copied in one piece.
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }
    if isPlain {
      append(contentsOf: text.utf8)
    } else {
      for byte in text.utf8 { append(escaped: byte) }
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func append(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(contentsOf: #"\""#.utf8)
    case UInt8(ascii: "\\"): append(contentsOf: #"\\"#.utf8)
    case 0x08: append(contentsOf: #"\b"#.utf8)
    case 0x09: append(contentsOf: #"\t"#.utf8)
    case 0x0a: append(contentsOf: #"\n"#.utf8)
    case 0x0c: append(contentsOf: #"\f"#.utf8)
    case 0x0d: append(contentsOf: #"\r"#.utf8)
    case ..<0x20:
      append(contentsOf: #"\u00"#.utf8)
      append(hexDigit: byte >> 4)
      append(hexDigit: byte & 15)
    default: append(byte)
    }
  }

  /// Appends `number` in decimal.
  package mutating func append(decimal number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    var rest = number
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  /// Appends `number` in decimal, with its sign where it is negative.
  package mutating func append(decimal number: Int) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(decimal: UInt64(number.magnitude))
  }

  /// Appends `address` as a JSON string (`"0x55d0c0de"`).
  package mutating func append(jsonAddress address: UInt64) {
    append(contentsOf: "\"0x".utf8)
    var shift = Swift.max(0, (63 - address.leadingZeroBitCount) / 4 * 4)
    if address == 0 { shift = 0 }
    while shift >= 0 {
      append(hexDigit: UInt8(truncatingIfNeeded: address >> UInt64(shift)) & 15)
      shift -= 4
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func append(hexDigit digit: UInt8) {
    append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }
}
