package import KVOTrace

/// The 64 bytes before a segment's records.
package struct BinarySegmentHeader: Hashable, Sendable {
  /// Of the whole segment, header included: a multiple of the page size.
  package var byteCount: UInt32
  package var type: BinaryFormat.SegmentType
  /// Its index among the segments of its thread, or of the tables, from 0.
  package var index: UInt32
  /// 0: none, else an encoded id + 1.
  package var thread: UInt64
  /// When the segment was begun; times of records are counted from here.
  package var base: BinaryFileHeader.Moment
  /// How many bytes the records take; 0 while the segment is open.
  package var usedByteCount: UInt64
  /// Of the records; 0 while the segment is not sealed.
  package var checksum: UInt64

  package init(
    byteCount: UInt32,
    type: BinaryFormat.SegmentType,
    index: UInt32,
    thread: UInt64 = 0,
    base: BinaryFileHeader.Moment = BinaryFileHeader.Moment(),
    usedByteCount: UInt64 = 0,
    checksum: UInt64 = 0
  ) {
    self.byteCount = byteCount
    self.type = type
    self.index = index
    self.thread = thread
    self.base = base
    self.usedByteCount = usedByteCount
    self.checksum = checksum
  }

  private static let checkedByteCount = 40

  /// The header's bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: BinaryFormat.segmentMagic)
    bytes.append(littleEndian: byteCount)
    bytes.append(littleEndian: type.rawValue)
    bytes.append(littleEndian: UInt16(0))
    bytes.append(littleEndian: index)
    bytes.append(littleEndian: thread)
    bytes.append(littleEndian: base.tick)
    bytes.append(littleEndian: base.nanoseconds)
    bytes.append(littleEndian: bytes.withUnsafeBytes { XXH64.hash($0) })
    bytes.append(littleEndian: usedByteCount)
    bytes.append(littleEndian: checksum)
    return bytes
  }

  /// Reads a header, or returns nil if `bytes`, of which there are 64, are not one.
  ///
  /// `usedByteCount` and `checksum` are as stored: they may be wrong, and are not part of the checksum of the header
  /// because they are written later.
  init?(_ bytes: UnsafeRawBufferPointer) {
    // 1. The magic, which is written last: without it nothing else is meaningful.
    guard bytes.littleEndian(at: 0) == BinaryFormat.segmentMagic else { return nil }
    // 2. The checksum, before any of the fields is trusted.
    let checked = UnsafeRawBufferPointer(rebasing: bytes[..<Self.checkedByteCount])
    guard bytes.littleEndian(at: Self.checkedByteCount) == XXH64.hash(checked) else { return nil }
    // 3. The fields, because a header may be well-formed and hostile.
    byteCount = bytes.littleEndian(at: 4)
    guard byteCount > 0, Int(byteCount) % BinaryFormat.pageByteCount == 0,
      let type = BinaryFormat.SegmentType(rawValue: bytes.littleEndian(at: 8)),
      bytes.littleEndian(at: 10, as: UInt16.self) == 0
    else { return nil }
    self.type = type
    index = bytes.littleEndian(at: 12)
    thread = bytes.littleEndian(at: 16)
    base = BinaryFileHeader.Moment(
      tick: bytes.littleEndian(at: 24),
      nanoseconds: bytes.littleEndian(at: 32)
    )
    usedByteCount = bytes.littleEndian(at: 48)
    checksum = bytes.littleEndian(at: 56)
  }

  /// The checksum of a segment's records, which is never 0.
  package static func checksum(of records: UnsafeRawBufferPointer) -> UInt64 {
    let hash = XXH64.hash(records)
    return hash == 0 ? 1 : hash
  }

  /// A whole sealed segment around `records`, filled up to the page.
  ///
  /// - Parameters:
  ///   - records: at most 4 GiB less a page; more traps.
  ///   - type: what they are.
  ///   - index: the index among the segments of its thread, or of the tables.
  /// - Returns: the segment's bytes.
  package static func sealed(
    _ records: [UInt8],
    type: BinaryFormat.SegmentType,
    index: UInt32
  ) -> [UInt8] {
    let byteCount = BinaryFormat.pages(of: BinaryFormat.segmentHeaderByteCount + records.count)
    var segment = BinarySegmentHeader(
      byteCount: UInt32(byteCount),
      type: type,
      index: index,
      usedByteCount: UInt64(records.count),
      checksum: records.withUnsafeBytes(checksum(of:))
    ).bytes
    segment.reserveCapacity(byteCount)
    segment.append(contentsOf: records)
    segment.append(contentsOf: [UInt8](repeating: 0, count: byteCount - segment.count))
    return segment
  }
}
