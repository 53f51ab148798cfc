/// The fixed numbers of the binary form (`Documentation/BinaryLogFormat.md`).
package enum BinaryFormat {
  /// The version that this code writes, and the highest that it reads.
  package static let version: UInt32 = 1
  /// The first bytes of a file: not text, and spoilt by whoever takes it for text.
  package static let magic: [UInt8] = [0x89, 0x4b, 0x56, 0x4f, 0x4c, 0x0d, 0x0a, 0x1a]
  /// The first bytes of a segment, `KVSG`, as a little-endian number.
  package static let segmentMagic: UInt32 = 0x4753_564b
  /// The size of the file header; segments begin at and are as long as a multiple of it.
  package static let pageByteCount = 4096
  /// The size of the header of a segment.
  package static let segmentHeaderByteCount = 64

  /// The kinds of records.
  ///
  /// Up to 34 they are the events, in the order of `Event.Body.names`.
  package enum Record: UInt8, CaseIterable, Sendable {
    case process = 1
    case module
    case threadName
    case live
    case register
    case registerEnd
    case refused
    case remove
    case removeEnd
    case cancel
    case willChange
    case didChange
    case notify
    case notifyEnd
    case attach
    case detach
    case `deinit`
    case deinitEnd
    case write
    case hold
    case drop
    case walkBegin
    case walkEnd
    case expectDeinit
    case scopeBegin
    case scopeEnd
    case lock
    case unlock
    case classChanged
    case declares
    case crash
    case dropped
    case exit
    case expects

    /// A text and the id that records name it by.
    case string = 48
    /// Addresses and the id that records name them by.
    case stack
    /// A stack of which more is known than its addresses.
    case describedStack
    /// The scope of the events that follow.
    case scope
    /// The thread of the events that follow.
    case thread
  }

  /// The bits of a kind byte that hold the ``Record``.
  package static let kindMask: UInt8 = 0x3f
  /// An order follows.
  package static let orderBit: UInt8 = 0x40
  /// A flags byte follows.
  package static let flagsBit: UInt8 = 0x80

  /// The bits of a flags byte.
  package enum Flags {
    /// A stack id follows.
    package static let stack: UInt8 = 1
    /// The event has no time.
    package static let timeless: UInt8 = 2
    /// The time is given whole, not as a difference.
    package static let wholeTime: UInt8 = 4
    package static let all: UInt8 = 7
  }

  /// The low bits of an encoded id.
  package enum IDTag {
    package static let number: UInt64 = 0
    package static let text: UInt64 = 1
    package static let generation: UInt64 = 2
    package static let mask: UInt64 = 3
  }

  /// What a segment holds; the raw values are those of the file.
  package enum SegmentType: UInt16, Sendable {
    case tables = 1
    case events = 2
  }

  /// `byteCount` rounded up to whole pages.
  package static func pages(of byteCount: Int) -> Int {
    (byteCount + pageByteCount - 1) / pageByteCount * pageByteCount
  }
}
