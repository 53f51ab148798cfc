import KVOTrace

/// A copy of one segment, in memory that is reused for the next one.
///
/// The bytes are followed by ``slackByteCount`` zeros, so that code that decodes a record checks once, after it,
/// whether it ended in time: only a list can be longer than the zeros. Owns its memory; pointers into it are valid
/// until the next ``load(_:at:count:)``.
final class SegmentBuffer {
  /// More than the longest record without lists: 24 numbers of 10 bytes, the kind and the flags.
  static let slackByteCount = 256

  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 8)
  private var byteCount = 0

  deinit { memory.deallocate() }

  /// The bytes that were loaded.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<byteCount])
  }

  /// Copies `count` bytes from `offset` on, fewer if there are no more.
  ///
  /// `count` must be at most what the log has from `offset` on, because memory is allocated for it.
  func load(_ source: any BinaryLogBytes, at offset: Int, count: Int) {
    let needed = count + Self.slackByteCount
    // Memory of more than two and a half times the need is freed, as after one large text among small segments.
    if memory.count < needed || memory.count > max(1 << 20, needed * 5 / 2) {
      memory.deallocate()
      memory = UnsafeMutableRawBufferPointer.allocate(byteCount: needed, alignment: 8)
    }
    byteCount = source.read(
      at: offset,
      into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
    )
    UnsafeMutableRawBufferPointer(
      rebasing: memory[byteCount..<(byteCount + Self.slackByteCount)]
    ).initializeMemory(as: UInt8.self, repeating: 0)
  }
}
