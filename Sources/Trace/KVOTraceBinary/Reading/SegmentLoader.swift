import KVOTrace

/// Loads the records of one segment after the other into memory, as far as they can be trusted.
final class SegmentLoader {
  /// The usable part of a segment.
  enum Content {
    /// Sealed, and its checksum is right: it is as it was written.
    case sealed(UnsafeRawBufferPointer)
    /// Being written when the log ended. The records end at a kind byte of 0, and not before
    /// `leastByteCount`.
    case open(UnsafeRawBufferPointer, leastByteCount: Int)
    /// Nothing can be trusted, for the given reason.
    case lost(String)
  }

  private let source: any BinaryLogBytes
  private let buffer = SegmentBuffer()

  init(_ source: any BinaryLogBytes) { self.source = source }

  /// The records of `entry`, valid until the next call.
  ///
  /// Complexity: O(bytes).
  func load(_ entry: SegmentIndex.Entry) -> Content {
    let header = entry.header
    let head = BinaryFormat.segmentHeaderByteCount
    let room = UInt64(Int(header.byteCount) - head)
    // 1. The fields about the records are not part of the header's checksum: they may contradict each other.
    guard header.usedByteCount <= room, header.usedByteCount > 0 || header.checksum == 0 else {
      return .lost("its header contradicts itself")
    }
    let isSealed = header.checksum != 0
    let wanted = isSealed ? Int(header.usedByteCount) : Int(room)
    let available = max(0, min(wanted, entry.availableByteCount - head))
    // 2. A sealed segment counts as a whole or not at all.
    if isSealed, available < wanted { return .lost("the log ends inside it") }
    buffer.load(source, at: entry.offset + head, count: available)
    guard isSealed else {
      return .open(buffer.bytes, leastByteCount: Int(header.usedByteCount))
    }
    guard buffer.bytes.count == wanted else { return .lost("it cannot be read") }
    guard BinarySegmentHeader.checksum(of: buffer.bytes) == header.checksum else {
      return .lost("its checksum is wrong")
    }
    return .sealed(buffer.bytes)
  }
}
