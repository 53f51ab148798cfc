import KVOTrace

/// The pieces of JSON text, appended to a buffer that the caller reuses.
///
/// Nothing here allocates except for the growth of the buffer itself.
extension [UInt8] {
  /// Appends `text` as a JSON string with its quotes.
  ///
  /// Control characters, quotes and backslashes are escaped, and beyond JSON's requirements what a terminal acts on
  /// (``Swift/Unicode/Scalar/actsOnTerminals``), because people read JSON there, too; everything else is written as its
  /// UTF-8.
  ///
  /// Complexity: O(length).
  package mutating func append(jsonString text: String) {
    append(UInt8(ascii: "\""))
    // Most strings need no escape and are copied in one piece.
    let wasCopied = text.utf8.withContiguousStorageIfAvailable { bytes in
      for byte in bytes where Self.mayNeedEscape(byte) { return false }
      append(contentsOf: bytes)
      return true
    }
    if wasCopied != true {
      for scalar in text.unicodeScalars {
        if let byte = UInt8(exactly: scalar.value), byte < 0x7f {
          append(escaped: byte)
        } else if scalar.actsOnTerminals {
          append(unit: UInt16(truncatingIfNeeded: scalar.value))
        } else {
          append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
      }
    }
    append(UInt8(ascii: "\""))
  }

  /// Whether a byte is escaped, or begins a character that may be.
  private static func mayNeedEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5c || byte == 0x7f
      || byte == 0xc2 || byte == 0xd8 || byte == 0xe2
  }

  /// Appends a text that is already JSON, such as a key or a bracket.
  package mutating func append(json text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }

  private mutating func append(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(json: #"\""#)
    case UInt8(ascii: "\\"): append(json: #"\\"#)
    case 0x08: append(json: #"\b"#)
    case 0x09: append(json: #"\t"#)
    case 0x0a: append(json: #"\n"#)
    case 0x0c: append(json: #"\f"#)
    case 0x0d: append(json: #"\r"#)
    case ..<0x20: append(unit: UInt16(byte))
    default: append(byte)
    }
  }

  /// Appends the escape of a code unit of UTF-16.
  private mutating func append(unit: UInt16) {
    append(json: #"\u"#)
    for shift in [12, 8, 4, 0] {
      append(Self.hexDigit(UInt8(truncatingIfNeeded: unit >> shift & 15)))
    }
  }

  /// Appends `number` in decimal.
  package mutating func append(decimal number: UInt64) {
    appendDigits { digits in
      // Dividing by a constant is a multiplication.
      var rest = number
      var at = digits.count
      repeat {
        at -= 1
        digits[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      return at
    }
  }

  /// Appends `number` in decimal, with its sign if it is negative.
  package mutating func append(decimal number: Int) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(decimal: UInt64(number.magnitude))
  }

  /// Appends `address` as a JSON string (`"0x55d0c0de"`).
  package mutating func append(jsonAddress address: UInt64) {
    append(json: "\"0x")
    appendDigits { digits in
      var rest = address
      var at = digits.count
      repeat {
        at -= 1
        digits[at] = Self.hexDigit(UInt8(truncatingIfNeeded: rest & 15))
        rest >>= 4
      } while rest > 0
      return at
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends the digits of one number in one piece: `write` fills a buffer of 24 bytes from its end and returns the
  /// offset of the first digit.
  private mutating func appendDigits(_ write: (UnsafeMutableRawBufferPointer) -> Int) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    Swift.withUnsafeMutableBytes(of: &digits) { buffer in
      let first = write(buffer)
      append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[first...]))
    }
  }

  private static func hexDigit(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
