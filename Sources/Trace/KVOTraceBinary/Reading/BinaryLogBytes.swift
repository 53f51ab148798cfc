import KVOTrace

/// The bytes of a binary log, wherever they are.
///
/// The reader requests each segment once or twice, mostly at ascending offsets, and keeps only its own copy: if a file
/// shrinks or changes during reading, only the affected data is lost.
package protocol BinaryLogBytes {
  /// How many bytes there are; queried once, when reading begins.
  var byteCount: Int { get }

  /// Copies bytes from `offset` on into `buffer`.
  ///
  /// - Returns: how many; fewer than requested if the bytes end there or cannot be read.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int

  /// The first offset from `offset` on that may hold anything but zeros; `offset` if that is not known. A sparse file
  /// knows it.
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
