#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A binary log that was compressed, in a temporary file without a name.
///
/// A binary log is read at offsets, and may be as large as its recorder allows: a file keeps memory bounded. Pages of
/// zeroes, which a recorder reserves and may not fill, take no space in it.
struct SpooledLog {
  /// The file, which is closed with it.
  let bytes: ByteSource

  private static let pageByteCount = 4096

  /// Decompresses an input to its end.
  ///
  /// - Parameters:
  ///   - source: the input.
  ///   - head: what was read of it.
  ///   - label: the input in messages.
  ///   - progress: called with how many bytes of the input are read.
  /// - Throws: ``InputFailure`` if the input cannot be read, or there is no space.
  init(
    of source: ByteSource,
    head: [UInt8],
    label: String,
    progress: (Int) -> Void
  ) throws(InputFailure) {
    func failure(_ code: Int32) -> InputFailure {
      TemporaryFile.failure(label, "cannot be decompressed into", code)
    }
    let file = TemporaryFile.make()
    guard file >= 0 else { throw failure(errno) }
    var byteCount = 0
    do throws(InputFailure) {
      var chunk = head
      while !chunk.isEmpty {
        let code = Self.write(chunk, to: file, at: byteCount)
        guard code == 0 else { throw failure(code) }
        byteCount += chunk.count
        progress(source.takenByteCount)
        chunk = try source.read()
      }
      guard ftruncate(file, off_t(byteCount)) == 0 else { throw failure(errno) }
    } catch {
      close(file)
      throw error
    }
    bytes = ByteSource(label: label, descriptor: file, byteCount: byteCount)
  }

  /// Writes the pages that are not all zeroes; the error number, or 0.
  private static func write(_ chunk: [UInt8], to file: Int32, at offset: Int) -> Int32 {
    chunk.withUnsafeBytes { chunk in
      var start = 0
      while start < chunk.count {
        let page = UnsafeRawBufferPointer(
          rebasing: chunk[start..<min(start + pageByteCount, chunk.count)]
        )
        if !isZero(page) {
          let code = TemporaryFile.write(page, to: file, at: offset + start)
          if code != 0 { return code }
        }
        start += page.count
      }
      return 0
    }
  }

  private static func isZero(_ page: UnsafeRawBufferPointer) -> Bool {
    guard let base = page.baseAddress else { return true }
    return page[0] == 0 && memcmp(base, base + 1, page.count - 1) == 0
  }
}
