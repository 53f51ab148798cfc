/// The fixed numbers of the binary form (`Documentation/BinaryLogFormat.md`).
@usableFromInline
package enum BinaryFormat {
  /// The version that this code writes, and the highest that it reads.
  @inlinable package static var version: UInt32 { 1 }
  /// The first bytes of a file: not text, and corrupted by code that treats it as text.
  package static let magic: [UInt8] = [0x89, 0x4b, 0x56, 0x4f, 0x4c, 0x0d, 0x0a, 0x1a]
  /// The first bytes of a segment, `KVSG`, as a little-endian number.
  @inlinable package static var segmentMagic: UInt32 { 0x4753_564b }
  /// The size of the file header; segments begin at and are as long as a multiple of it.
  @inlinable package static var pageByteCount: Int { 4096 }
  /// The size of the header of a segment.
  @inlinable package static var segmentHeaderByteCount: Int { 64 }

  /// The bits of a kind byte that hold the ``Record``.
  @inlinable package static var kindMask: UInt8 { 0x3f }
  /// An order follows.
  @inlinable package static var orderBit: UInt8 { 0x40 }
  /// A flags byte follows.
  @inlinable package static var flagsBit: UInt8 { 0x80 }

  /// The bits of a flags byte.
  @usableFromInline
  package enum Flags {
    /// A stack id follows.
    @inlinable package static var stack: UInt8 { 1 }
    /// The event has no time.
    @inlinable package static var timeless: UInt8 { 2 }
    /// The time is absolute, not a difference.
    @inlinable package static var wholeTime: UInt8 { 4 }
    @inlinable package static var all: UInt8 { 7 }
  }

  /// The low bits of an encoded id.
  @usableFromInline
  package enum IDTag {
    @inlinable package static var number: UInt64 { 0 }
    @inlinable package static var text: UInt64 { 1 }
    @inlinable package static var generation: UInt64 { 2 }
    @inlinable package static var mask: UInt64 { 3 }
  }

  /// The content of a segment; the raw values are those of the file.
  @usableFromInline
  package enum SegmentType: UInt16, Sendable {
    case tables = 1
    case events = 2
  }

  /// `byteCount` rounded up to whole pages.
  package static func pages(of byteCount: Int) -> Int {
    (byteCount + pageByteCount - 1) / pageByteCount * pageByteCount
  }
}
