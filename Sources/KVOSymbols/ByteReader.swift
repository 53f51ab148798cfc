/// Reads numbers and texts one behind the other from the bytes of a section.
///
/// Nothing outside the bytes is read: behind their end every number is 0, every text is nil, and
/// ``hasFailed`` is true. A loop over damaged input therefore ends if it asks for ``isAtEnd``.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private let isBigEndian: Bool
  /// The offset of the next byte, from the start of the section.
  private(set) var position: Int
  /// The offset behind the last byte that may be read.
  let end: Int
  /// Whether something was asked for that the bytes do not hold.
  private(set) var hasFailed = false

  /// Makes a reader of the part of `section` that `range` says, cut off where the section ends.
  init(_ section: SectionBytes, _ range: Range<Int>) {
    bytes = section.bytes
    isBigEndian = section.isBigEndian
    end = min(max(0, range.upperBound), bytes.count)
    position = min(max(0, range.lowerBound), end)
  }

  var isAtEnd: Bool { position >= end }

  /// Passes over bytes.
  @inline(__always)
  mutating func skip(_ count: UInt64) {
    guard count <= UInt64(end - position) else { return fail() }
    position += Int(count)
  }

  @inline(__always)
  mutating func byte() -> UInt8 { number() }

  /// Reads a number of 1, 2, 4 or 8 bytes.
  @inline(__always)
  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number {
    guard end - position >= MemoryLayout<Number>.size else {
      fail()
      return 0
    }
    let raw = bytes.loadUnaligned(fromByteOffset: position, as: Number.self)
    position += MemoryLayout<Number>.size
    return isBigEndian ? raw.bigEndian : raw.littleEndian
  }

  /// Reads a number of as many bytes; of none where that is not 1, 2, 4 or 8.
  mutating func number(byteCount: Int) -> UInt64 {
    switch byteCount {
    case 1: return UInt64(number(UInt8.self))
    case 2: return UInt64(number(UInt16.self))
    case 4: return UInt64(number(UInt32.self))
    case 8: return number(UInt64.self)
    default:
      fail()
      return 0
    }
  }

  /// Reads an unsigned LEB128 number; bits above the 64th are lost.
  @inline(__always)
  mutating func unsigned() -> UInt64 {
    if position < end {
      let first = bytes[position]
      if first < 0x80 {
        position += 1
        return UInt64(first)
      }
    }
    return longUnsigned().value
  }

  /// Reads a signed LEB128 number; bits above the 64th are lost.
  mutating func signed() -> Int64 {
    let (value, bitCount, last) = longUnsigned()
    guard last & 0x40 != 0, bitCount < 64 else { return Int64(bitPattern: value) }
    return Int64(bitPattern: value | (UInt64.max << UInt64(bitCount)))
  }

  private mutating func longUnsigned() -> (value: UInt64, bitCount: Int, last: UInt8) {
    var value: UInt64 = 0
    var bitCount = 0
    while position < end {
      let next = bytes[position]
      position += 1
      // A smart shift: 0 from the 64th bit on.
      value |= UInt64(next & 0x7F) << bitCount
      bitCount += 7
      if next < 0x80 { return (value, bitCount, next) }
    }
    fail()
    return (0, 64, 0)
  }

  /// Reads a text up to its zero, which must stand in the bytes too.
  mutating func text() -> UnsafeRawBufferPointer? {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
    guard let length = rest.firstIndex(of: 0) else {
      fail()
      return nil
    }
    position += length + 1
    return UnsafeRawBufferPointer(rebasing: rest[..<length])
  }

  private mutating func fail() {
    hasFailed = true
    position = end
  }
}
