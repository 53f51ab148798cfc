private import CZlib
internal import KVOAudit

/// Decodes gzip, also of several members after each other, with zlib.
///
/// Source: RFC 1952. A window has 32 KiB.
final class GzipDecoder: InputDecoder {
  let form = "gzip"
  /// Whether a member has ended, and no other one has begun.
  private(set) var isComplete = false
  private var stream = z_stream()

  init?() {
    let windowWithGzipHeader = MAX_WBITS + 16
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(&stream, windowWithGzipHeader, ZLIB_VERSION, size) == Z_OK else {
      return nil
    }
  }

  deinit { inflateEnd(&stream) }

  func decode(
    _ input: UnsafeRawBufferPointer,
    isLast: Bool,
    into output: UnsafeMutableRawBufferPointer
  ) -> InputDecoding {
    if isComplete {
      guard let first = input.first else { return InputDecoding() }
      // Tapes are filled up with zeroes.
      if first == 0 { return InputDecoding(consumedCount: input.prefix { $0 == 0 }.count) }
      guard first == 0x1f else { return InputDecoding(failure: "what follows is not gzip") }
      inflateReset(&stream)
      isComplete = false
    }
    stream.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    )
    stream.avail_in = uInt(input.count)
    stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = uInt(output.count)
    var failure: String?
    switch inflate(&stream, Z_NO_FLUSH) {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isComplete = true
    default:
      let why = stream.msg.map { String(cString: $0) } ?? "no reason is known"
      failure = "its gzip data is damaged: \(why)"
    }
    return InputDecoding(
      consumedCount: input.count - Int(stream.avail_in),
      producedCount: output.count - Int(stream.avail_out),
      failure: failure
    )
  }
}
