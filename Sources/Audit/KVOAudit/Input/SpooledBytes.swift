#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Bytes that are appended, and read at any offset: in memory while they are few, then in a temporary file without a
/// name.
///
/// Owns its file, and closes it. Not synchronized.
package final class SpooledBytes {
  /// The last bytes, which are not in the file.
  private var tail: [UInt8] = []
  private var fileByteCount = 0
  private var file: Int32 = -1
  private let limit: Int
  private let label: String

  /// - Parameters:
  ///   - label: the bytes in messages.
  ///   - limit: how many bytes are kept in memory.
  package init(label: String, limit: Int = 16 << 20) {
    self.label = label
    self.limit = limit
  }

  deinit {
    if file >= 0 { close(file) }
  }

  /// How many bytes there are.
  package var byteCount: Int { fileByteCount + tail.count }

  /// Appends `bytes`.
  ///
  /// - Returns: their offset.
  /// - Throws: ``InputFailure`` if there is no space.
  package func append(_ bytes: [UInt8]) throws(InputFailure) -> Int {
    if tail.count + bytes.count > limit { try flush() }
    let offset = byteCount
    tail += bytes
    return offset
  }

  /// Some bytes that were appended together.
  ///
  /// - Throws: ``InputFailure`` if they cannot be read.
  package func bytes(at offset: Int, count: Int) throws(InputFailure) -> [UInt8] {
    if offset >= fileByteCount {
      return Array(tail[(offset - fileByteCount)..<(offset - fileByteCount + count)])
    }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(
          UnsafeMutableBufferPointer(rebasing: buffer[filled..<count])
        )
        let result = pread(file, rest.baseAddress, rest.count, off_t(offset + filled))
        if result < 0, errno == EINTR { continue }
        if result <= 0 {
          code = result < 0 ? errno : EIO
          return
        }
        filled += result
      }
    }
    guard code == 0 else { throw failure(code) }
    return bytes
  }

  /// Writes the bytes in memory to the file.
  private func flush() throws(InputFailure) {
    if file < 0 {
      file = TemporaryFile.make()
      guard file >= 0 else { throw failure(errno) }
    }
    let code = tail.withUnsafeBytes { TemporaryFile.write($0, to: file, at: fileByteCount) }
    guard code == 0 else { throw failure(code) }
    fileByteCount += tail.count
    tail.removeAll(keepingCapacity: true)
  }

  private func failure(_ code: Int32) -> InputFailure {
    TemporaryFile.failure(label, "cannot be kept in", code)
  }
}
