/// Finds line ends, 32 bytes at a time.
///
/// Unsafe: it reads the slice's memory by its address. Every read lies inside the slice, by the
/// conditions of the two loops. It never writes and keeps no address.
enum LineEnds {
  /// The first `\n` or `\r` of `bytes`.
  ///
  /// Complexity: O(length).
  static func first(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.withUnsafeBytes { bytes -> Int? in
      var offset = 0
      while offset + 32 <= bytes.count {
        let found =
          ends(bytes, offset) | ends(bytes, offset + 8) | ends(bytes, offset + 16)
          | ends(bytes, offset + 24)
        if found != 0 { break }
        offset += 32
      }
      while offset < bytes.count {
        if isEnd(bytes[offset]) { return offset }
        offset += 1
      }
      return nil
    }.map { bytes.startIndex + $0 }
  }

  /// The last `\n` or `\r` of `bytes`.
  ///
  /// Complexity: O(bytes after it).
  static func last(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.withUnsafeBytes { bytes -> Int? in
      var end = bytes.count
      while end >= 32 {
        let found =
          ends(bytes, end - 8) | ends(bytes, end - 16) | ends(bytes, end - 24)
          | ends(bytes, end - 32)
        if found != 0 { break }
        end -= 32
      }
      while end > 0 {
        end -= 1
        if isEnd(bytes[end]) { return end }
      }
      return nil
    }.map { bytes.startIndex + $0 }
  }

  private static func isEnd(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

  /// Not zero if one of the eight bytes at `offset` is a line end.
  @inline(__always)
  private static func ends(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let feeds = word ^ 0x0a0a_0a0a_0a0a_0a0a
    let returns = word ^ 0x0d0d_0d0d_0d0d_0d0d
    let found = (feeds &- ones) & ~feeds | (returns &- ones) & ~returns
    return found & 0x8080_8080_8080_8080
  }
}
