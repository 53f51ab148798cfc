private import CZlib

/// How large bytes are after compression.
package enum GzipSize {
  /// How many bytes `bytes` have as a gzip file.
  ///
  /// Source: `deflate` of zlib, at the level that gzip has by default.
  ///
  /// - Complexity: O(n); the compressed bytes are not kept.
  package static func byteCount(of bytes: [UInt8]) -> Int {
    var stream = z_stream()
    let windowWithGzipHeader = MAX_WBITS + 16
    guard
      deflateInit2_(
        &stream,
        Z_DEFAULT_COMPRESSION,
        Z_DEFLATED,
        windowWithGzipHeader,
        8,
        Z_DEFAULT_STRATEGY,
        ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)
      ) == Z_OK
    else { return bytes.count }
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: 1 << 16)
    var byteCount = 0
    var input = bytes
    input.withUnsafeMutableBufferPointer { input in
      // Its lengths have 32 bits.
      var start = 0
      var status = Z_OK
      while status == Z_OK {
        let part = min(input.count - start, 1 << 30)
        stream.next_in = input.baseAddress.map { $0 + start }
        stream.avail_in = uInt(part)
        start += part
        let flush = start == input.count ? Z_FINISH : Z_NO_FLUSH
        repeat {
          output.withUnsafeMutableBufferPointer { output in
            stream.next_out = output.baseAddress
            stream.avail_out = uInt(output.count)
            status = deflate(&stream, flush)
            byteCount += output.count - Int(stream.avail_out)
          }
        } while stream.avail_out == 0 && status == Z_OK
      }
    }
    return byteCount
  }
}
