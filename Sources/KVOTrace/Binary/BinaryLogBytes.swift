/// The bytes of a binary log, wherever they are.
///
/// The reader asks for each segment once or twice, in ascending places mostly, and keeps nothing but
/// its own copy: a file that shrinks or changes under it costs what was there and no more.
package protocol BinaryLogBytes {
  /// How many bytes there are; asked once, when reading begins.
  var byteCount: Int { get }

  /// Copies bytes from `offset` on into `buffer`.
  ///
  /// - Returns: how many; fewer than asked for where the bytes end there or cannot be read.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int

  /// The first place from `offset` on that may hold anything but zeros; `offset` where that is not
  /// known. A file with holes knows it.
  func dataOffset(from offset: Int) -> Int
}

extension BinaryLogBytes {
  package func dataOffset(from offset: Int) -> Int { offset }
}

/// A binary log that is in memory as a whole.
package struct BinaryLogMemory: BinaryLogBytes {
  private let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var byteCount: Int { bytes.count }

  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let part = bytes.dropFirst(offset).prefix(buffer.count)
    part.withUnsafeBytes { buffer.copyMemory(from: $0) }
    return part.count
  }
}
