private import CZstd
internal import KVOAudit

/// Decodes Zstandard, also of several frames after each other, with libzstd.
///
/// Source: RFC 8878. libzstd takes windows of up to 128 MiB by itself.
final class ZstandardDecoder: InputDecoder {
  let form = "zstd"
  /// Whether a frame has ended, and no other one has begun.
  private(set) var isComplete = false
  private let stream: OpaquePointer

  init?() {
    guard let stream = ZSTD_createDStream() else { return nil }
    self.stream = stream
  }

  deinit { ZSTD_freeDStream(stream) }

  func decode(
    _ input: UnsafeRawBufferPointer,
    isLast: Bool,
    into output: UnsafeMutableRawBufferPointer
  ) -> InputDecoding {
    if isComplete, input.isEmpty { return InputDecoding() }
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let hint = ZSTD_decompressStream(stream, &target, &source)
    isComplete = hint == 0
    return InputDecoding(
      consumedCount: source.pos,
      producedCount: target.pos,
      failure: ZSTD_isError(hint) == 0 ? nil : failure(hint)
    )
  }

  private func failure(_ code: Int) -> String {
    switch ZSTD_getErrorCode(code) {
    case ZSTD_error_frameParameter_windowTooLarge:
      return "needs more than 128 MiB of memory to decompress; decompress it by zstd --long=31"
    case ZSTD_error_prefix_unknown: return "what follows is not zstd"
    default:
      let why = ZSTD_getErrorName(code).map { String(cString: $0) } ?? "no reason is known"
      return "its zstd data is damaged: \(why)"
    }
  }
}
