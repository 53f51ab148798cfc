/// Sequences for a terminal, which build services and tools put into the lines of a log.
///
/// See ECMA-48.
enum TerminalEscape {
  /// What begins a string for an application, a device or the operating system, and a private message.
  private static let introducers = "_]P^".utf8
  /// How long such a string may be.
  private static let stringLimit = 256
  private static let colorLimit = 16

  /// Where the sequence ends whose escape is before `start`; `start` if it is of another kind.
  static func end(in bytes: ArraySlice<UInt8>, from start: Int) -> Int {
    guard let kind = bytes[start...].first else { return start }
    if introducers.contains(kind) { return endOfString(in: bytes, from: start) ?? start }
    return kind == UInt8(ascii: "[") ? endOfColor(in: bytes, from: start + 1) : start
  }

  /// After a string, as in `\e_bk;t=1700000000000\a`; nil: it does not end in its line.
  private static func endOfString(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
    for position in bytes[start...].prefix(stringLimit).indices {
      switch bytes[position] {
      case 0x07: return position + 1
      case 0x1b where bytes[(position + 1)...].first == UInt8(ascii: "\\"): return position + 2
      case 0x0a: return nil
      default: break
      }
    }
    return nil
  }

  /// After a color, as in `\e[1;31m`.
  private static func endOfColor(in bytes: ArraySlice<UInt8>, from start: Int) -> Int {
    let digits = bytes[start...].prefix(colorLimit).prefix {
      $0.isASCIIDigit || $0 == UInt8(ascii: ";")
    }
    let end = digits.endIndex
    return bytes[end...].first?.isASCIILetter == true ? end + 1 : end
  }
}
