/// A copy of one segment, in memory that is used again for the next one.
///
/// Behind the bytes stand ``slackByteCount`` zeros, so that whoever decodes a record checks once,
/// behind it, whether it ended in time: no field but a list is longer than what is left to read.
/// Owns its memory; pointers into it are good until the next ``load(_:at:count:)``.
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

  /// Copies `count` bytes from `offset` on, fewer where there are no more.
  ///
  /// `count` must be at most what the log has from `offset` on, because memory is taken for it.
  func load(_ source: any BinaryLogBytes, at offset: Int, count: Int) {
    let needed = count + Self.slackByteCount
    // Two and a half times more than needed is given back: one large text among small segments.
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
