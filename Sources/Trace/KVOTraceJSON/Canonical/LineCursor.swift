import KVOTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A line is not canonical, or not JSON at all: the general parser (``JSONSyntax``) decides which.
struct NotCanonical: Error {}

/// A position in a line of memory, which only moves forward.
///
/// Unsafe: it reads memory that the caller keeps alive. Invariants that make every read valid:
///
/// 1. The line ends in a `\n` or `\r` that is readable, and so are ``padding`` bytes after it. The code that makes a
///    cursor ensures that.
/// 2. The cursor moves only over bytes that it has compared, and found to be neither. So it is never past the end of
///    the line, whatever the line contains.
/// 3. It reads up to ``padding`` bytes from its position, and no more.
///
/// It never writes, and none of its pointers outlives the closure that lent the memory.
struct LineCursor {
  /// How many bytes after the end of a line must be readable.
  static let padding = 32

  private(set) var position: UnsafeRawPointer

  /// Starts at the beginning of a line, under condition 1.
  init(at position: UnsafeRawPointer) { self.position = position }

  // MARK: Bytes and words

  @inline(__always)
  var byte: UInt8 { position.load(as: UInt8.self) }

  @inline(__always)
  private var word: UInt64 {
    UInt64(littleEndian: position.loadUnaligned(as: UInt64.self))
  }

  /// Steps over `literal`, of up to ``padding`` bytes and without a line end, if it is here.
  @inline(__always)
  mutating func take(_ literal: StaticString) -> Bool {
    guard memcmp(position, literal.utf8Start, literal.utf8CodeUnitCount) == 0 else { return false }
    position += literal.utf8CodeUnitCount
    return true
  }

  @inline(__always)
  mutating func expect(_ literal: StaticString) throws(NotCanonical) {
    if !take(literal) { throw NotCanonical() }
  }

  /// The bytes from here up to and with the next `last`, or nil if that is further than
  /// `byteLimit` bytes or is after `limit`.
  ///
  /// Does not move. Looks past the end of the line, as the one exception from condition 3: up to `limit`, before which
  /// everything is readable.
  @inline(__always)
  func upTo(_ last: UInt8, byteLimit: Int, limit: UnsafeRawPointer) -> UnsafeRawBufferPointer? {
    guard let end = memchr(position, Int32(last), min(byteLimit, limit - position)) else {
      return nil
    }
    return UnsafeRawBufferPointer(start: position, count: UnsafeRawPointer(end) - position + 1)
  }

  /// Steps over `bytes`, which must be here and have no line end in them.
  @inline(__always)
  mutating func skip(_ bytes: UnsafeRawBufferPointer) { position += bytes.count }

  /// Whether `bytes` end at the cursor.
  func isAtEnd(of bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.baseAddress.map { $0 + bytes.count } == position
  }

  /// Steps over the end of the line, `\n`, `\r` or `\r\n`.
  @inline(__always)
  mutating func endLine() throws(NotCanonical) {
    switch byte {
    case 0x0a: position += 1
    // The bytes after a line end can be read, whatever it is.
    case 0x0d: position += position.load(fromByteOffset: 1, as: UInt8.self) == 0x0a ? 2 : 1
    default: throw NotCanonical()
    }
  }

  // MARK: Numbers

  /// Steps over decimal digits.
  ///
  /// - Returns: the number, and how many digits it has; 0 if there are none.
  /// - Throws: if it does not fit.
  @inline(__always)
  mutating func digits() throws(NotCanonical) -> (number: UInt64, count: Int) {
    let (number, count) = eightDigits()
    return count < 8 ? (number, count) : try moreDigits(after: number)
  }

  /// Steps over the digits that follow the eight digits of `number`.
  @inline(__always)
  private mutating func moreDigits(
    after first: UInt64
  ) throws(NotCanonical) -> (number: UInt64, count: Int) {
    var (number, count) = (first, 8)
    while true {
      let (more, moreCount) = eightDigits()
      count += moreCount
      let (product, over) = number.multipliedReportingOverflow(by: Self.powerOfTen(moreCount))
      let (sum, overToo) = product.addingReportingOverflow(more)
      if over || overToo { throw NotCanonical() }
      number = sum
      if moreCount < 8 { return (number, count) }
    }
  }

  /// Steps over up to eight digits at once.
  @inline(__always)
  private mutating func eightDigits() -> (number: UInt64, count: Int) {
    // A digit becomes its value, 0 to 9; anything else 10 or more.
    let values = word ^ 0x3030_3030_3030_3030
    // The lowest set bit is exact: a carry comes only from a byte that is not a digit itself.
    let others = (values &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080
    let count = others.trailingZeroBitCount >> 3
    guard count > 0 else { return (0, 0) }
    position += count
    // Padded with leading zeros; combined in pairs, then fours, then all eight.
    var number = values << UInt64((8 - count) << 3)
    number = number &* 10 &+ number >> 8
    number = ((number & 0x00ff_00ff_00ff_00ff) &* 6_553_601) >> 16
    number = ((number & 0x0000_ffff_0000_ffff) &* 42_949_672_960_001) >> 32
    return (number, count)
  }

  @inline(__always)
  private static func powerOfTen(_ exponent: Int) -> UInt64 {
    switch exponent {
    case 0: 1
    case 1: 10
    case 2: 100
    case 3: 1_000
    case 4: 10_000
    case 5: 100_000
    case 6: 1_000_000
    case 7: 10_000_000
    default: 100_000_000
    }
  }

  /// Steps over 1 to 16 hexadecimal digits.
  mutating func hexadecimal() throws(NotCanonical) -> UInt64 {
    var number: UInt64 = 0
    var count = 0
    while let digit = hexadecimalDigit() {
      number = number << 4 | digit
      count += 1
      if count > 16 { throw NotCanonical() }
    }
    if count == 0 { throw NotCanonical() }
    return number
  }

  @inline(__always)
  mutating func hexadecimalDigit() -> UInt64? {
    let digit: UInt8
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
    default: return nil
    }
    position += 1
    return UInt64(digit)
  }

  // MARK: Texts

  /// A text whose bytes in the line are its value.
  struct Plain {
    var bytes: UnsafeRawBufferPointer
    /// Under ``TextHash/processSeed``.
    var hash: UInt64
  }

  /// Steps over the rest of a text of ASCII without escapes, and its closing quote.
  ///
  /// - Parameter seed: ``TextHash/processSeed``.
  /// - Returns: nil, without moving, if the text is of another kind or does not end.
  @inline(__always)
  mutating func plainText(seed: UInt64) -> Plain? {
    let start = position
    var end = position
    var hash = TextHash(seed: seed)
    while true {
      let word = UInt64(littleEndian: end.loadUnaligned(as: UInt64.self))
      let special = Self.special(word)
      guard special != 0 else {
        hash.combine(word: word)
        end += 8
        continue
      }
      let count = special.trailingZeroBitCount >> 3
      let bits = UInt64(count << 3)
      guard UInt8(truncatingIfNeeded: word >> bits) == UInt8(ascii: "\"") else { return nil }
      end += count
      position = end + 1
      let bytes = UnsafeRawBufferPointer(start: start, count: end - start)
      if bytes.count > TextHash.shortByteLimit {
        return Plain(bytes: bytes, hash: TextHash.of(bytes, seed: seed))
      }
      return Plain(
        bytes: bytes,
        hash: hash.finish(last: word & (1 << bits &- 1), byteCount: bytes.count)
      )
    }
  }

  /// The top bit of each byte that is a quote, a backslash, a control character or not ASCII.
  ///
  /// The lowest one is exact: a borrow goes upward only.
  @inline(__always)
  private static func special(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ 0x2222_2222_2222_2222
    let backslashes = word ^ 0x5c5c_5c5c_5c5c_5c5c
    let found =
      (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
      | (word &- 0x2020_2020_2020_2020) & ~word | word
    return found & 0x8080_8080_8080_8080
  }

  /// Steps over one byte, which must not be a line end.
  @inline(__always)
  mutating func skipByte() { position += 1 }

  /// Steps over a byte of `range`.
  @inline(__always)
  mutating func takeByte(_ range: ClosedRange<UInt8>) throws(NotCanonical) -> UInt8 {
    let byte = byte
    guard range.contains(byte) else { throw NotCanonical() }
    position += 1
    return byte
  }
}
