/// The encoding in which mail sends text: lines of 76 bytes at most, broken after an equals sign, and bytes as `=3D`.
enum QuotedPrintable {
  /// The lengths of lines that mailers break, with the equals sign.
  private static let widths = 70...76

  /// Whether `source` is in this encoding: it says so, or has a line that ends as only a broken one does.
  ///
  /// Complexity: O(length).
  static func isUsed(in source: ArraySlice<UInt8>) -> Bool {
    var start = source.startIndex
    while let end = source[start...].firstIndex(of: 0x0a) {
      let line = source[start..<end]
      let text = line.last == 0x0d ? line.dropLast() : line
      if text.last == UInt8(ascii: "="), widths.contains(text.count), !text.contains(0x09) {
        return true
      }
      if text.first.map({ $0 | 0x20 }) == UInt8(ascii: "c"),
        FrameLine.first("quoted-printable", in: text) != nil
      {
        return true
      }
      start = end + 1
    }
    return false
  }

  /// The byte that `digits` stand for; nil if they are not two hexadecimal digits in upper case.
  static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = digit(high), let low = digit(low) else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    if byte.isASCIIDigit { return byte - 0x30 }
    return (0x41...0x46).contains(byte) ? byte - 0x37 : nil
  }
}
