import BenchmarkHarness
import Foundation

/// The use of the bytes in a binary log, according to the headers of its segments.
///
/// Documentation/BinaryLogFormat.md describes their layout.
struct LogLayout {
  static let pageByteCount = 4_096
  private static let segmentHeadByteCount = 64

  private(set) var byteCount = 0
  /// Records that define strings, stacks, images and the process.
  private(set) var tableByteCount = 0
  /// Records of events.
  private(set) var eventByteCount = 0
  private(set) var segmentCount = 0

  /// Reads the log at `path`, which must have been ended.
  init(path: String) throws {
    let bytes = try Data(contentsOf: URL(filePath: path))
    byteCount = bytes.count
    func number(at offset: Int, byteCount: Int) -> Int {
      (0..<byteCount).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    var offset = Self.pageByteCount
    while offset + Self.segmentHeadByteCount <= bytes.count {
      guard bytes[offset..<offset + 4].elementsEqual("KVSG".utf8) else {
        offset += Self.pageByteCount
        continue
      }
      let used = number(at: offset + 48, byteCount: 8)
      if number(at: offset + 8, byteCount: 2) == 1 {
        tableByteCount += used
      } else {
        eventByteCount += used
      }
      segmentCount += 1
      offset += max(number(at: offset + 4, byteCount: 4), Self.pageByteCount)
    }
    guard segmentCount > 0 else { throw BenchmarkFailure("\(path) has no segments") }
  }

  /// Bytes outside of records: headers, and the unused ends of segments.
  var otherByteCount: Int {
    byteCount - Self.pageByteCount - tableByteCount - eventByteCount
  }
}
