/// A run of bytes, read a word at a time.
///
/// Unsafe: it reads memory that the caller keeps alive, and may not outlive the closure that it was made in. It never
/// writes. Every read lies inside the run: the caller of `word(_:)` stays below `wholeWordCount`, which a debug build
/// checks, and `last` reads according to the remaining count.
struct ByteRun {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// How many words of eight bytes there are.
  var wholeWordCount: Int { bytes.count >> 3 }

  /// The word at `index`, little-endian.
  func word(_ index: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index << 3, as: UInt64.self))
  }

  /// The up to seven bytes after the last whole word, little-endian, filled up with zeros.
  var last: UInt64 {
    let start = bytes.count & ~7
    let count = bytes.count & 7
    if count == 0 { return 0 }
    // The word at the end of the run, if the run is that long, with the excess bytes shifted out.
    if start > 0 {
      let word = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      return UInt64(littleEndian: word) >> UInt64((8 - count) << 3)
    }
    if count >= 4 {
      let low = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
      let end = bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      return UInt64(low) | UInt64(UInt32(littleEndian: end)) << UInt64((count - 4) << 3)
    }
    // First, middle and last: two of the three are the same byte if there are fewer.
    return UInt64(bytes[0]) | UInt64(bytes[count >> 1]) << UInt64((count >> 1) << 3)
      | UInt64(bytes[count - 1]) << UInt64((count - 1) << 3)
  }

  /// Whether both runs hold the same bytes.
  ///
  /// Complexity: O(length).
  func isEqual(to other: ByteRun) -> Bool {
    guard bytes.count == other.bytes.count else { return false }
    var index = 0
    // Four at a time: long runs are equal far more often than not.
    while index + 4 <= wholeWordCount {
      let difference =
        (word(index) ^ other.word(index)) | (word(index + 1) ^ other.word(index + 1))
        | (word(index + 2) ^ other.word(index + 2)) | (word(index + 3) ^ other.word(index + 3))
      if difference != 0 { return false }
      index += 4
    }
    while index < wholeWordCount {
      if word(index) != other.word(index) { return false }
      index += 1
    }
    return last == other.last
  }
}
