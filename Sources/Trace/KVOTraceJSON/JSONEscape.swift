/// What the escapes of JSON's strings stand for (RFC 8259, 7).
package enum JSONEscape {
  /// The byte that a backslash and `letter` stand for; nil if they are not an escape, or `u`.
  package static func byte(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// The character of two code units of UTF-16; nil if they are not a surrogate pair.
  package static func scalar(_ lead: UInt32, _ trail: UInt32) -> Unicode.Scalar? {
    guard 0xd800...0xdbff ~= lead, 0xdc00...0xdfff ~= trail else { return nil }
    return Unicode.Scalar(0x1_0000 + (lead - 0xd800) << 10 + (trail - 0xdc00))
  }
}
