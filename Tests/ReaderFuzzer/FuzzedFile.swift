import Glibc
import KVOTrace
import KVOTraceBinary

/// A file in memory, for readers that open a path.
///
/// Mutable state: the content of the one file. libFuzzer calls with one input at a time.
enum FuzzedFile {
  private static let descriptor: Int32 = {
    var name = Array("/dev/shm/kvo-fuzzed-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    precondition(descriptor >= 0, "there is no file in memory")
    unlink(name)
    return descriptor
  }()

  /// The path of the file, which has `bytes` until the next call.
  static func path(of bytes: [UInt8]) -> String {
    ftruncate(descriptor, 0)
    let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    precondition(written == bytes.count, "the file in memory cannot be written")
    return "/proc/self/fd/\(descriptor)"
  }
}

extension FuzzedReader {
  /// The log with the checksums of what is in it: otherwise the reader refuses all that is changed.
  static func sealed(_ log: [UInt8]) -> [UInt8] {
    var log = log
    var start = 0
    let headerCount = 64
    while start + headerCount <= log.count {
      defer { start += BinaryFormat.pageByteCount }
      guard integer(log, start, UInt32.self) == BinaryFormat.segmentMagic,
        let type = BinaryFormat.SegmentType(rawValue: integer(log, start + 8, UInt16.self))
      else { continue }
      var header = BinarySegmentHeader(
        byteCount: integer(log, start + 4, UInt32.self),
        type: type,
        index: integer(log, start + 12, UInt32.self),
        thread: integer(log, start + 16, UInt64.self),
        usedByteCount: integer(log, start + 48, UInt64.self),
        checksum: integer(log, start + 56, UInt64.self)
      )
      header.base.tick = integer(log, start + 24, UInt64.self)
      header.base.nanoseconds = integer(log, start + 32, UInt64.self)
      let records = start + headerCount
      if header.checksum != 0, header.usedByteCount <= UInt64(log.count - records) {
        let used = log[records..<(records + Int(header.usedByteCount))]
        header.checksum = used.withUnsafeBytes(BinarySegmentHeader.checksum(of:))
      }
      log.replaceSubrange(start..<records, with: header.bytes)
    }
    return log
  }

  private static func integer<Number: FixedWidthInteger>(
    _ bytes: [UInt8],
    _ offset: Int,
    _: Number.Type
  ) -> Number {
    (0..<MemoryLayout<Number>.size).reduce(0) { number, index in
      number | Number(truncatingIfNeeded: Int(bytes[offset + index])) << Number(8 * index)
    }
  }
}
