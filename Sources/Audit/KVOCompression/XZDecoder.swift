private import CLzma
internal import KVOAudit

/// Decodes xz, also of several streams after each other, with liblzma.
final class XZDecoder: InputDecoder {
  let form = "xz"
  private(set) var isComplete = false
  private var stream = lzma_stream()

  /// How much memory a decoder may take: `xz -9` needs 65 MiB.
  private static let memoryLimit: UInt64 = 256 << 20

  init?() {
    guard
      lzma_stream_decoder(&stream, Self.memoryLimit, kvos_lzma_concatenated) == LZMA_OK
    else { return nil }
  }

  deinit { lzma_end(&stream) }

  func decode(
    _ input: UnsafeRawBufferPointer,
    isLast: Bool,
    into output: UnsafeMutableRawBufferPointer
  ) -> InputDecoding {
    if isComplete { return InputDecoding() }
    stream.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_in = input.count
    stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = output.count
    let code = lzma_code(&stream, isLast ? LZMA_FINISH : LZMA_RUN)
    isComplete = code == LZMA_STREAM_END
    return InputDecoding(
      consumedCount: input.count - stream.avail_in,
      producedCount: output.count - stream.avail_out,
      failure: failure(code)
    )
  }

  private func failure(_ code: lzma_ret) -> String? {
    switch code {
    // Without more input there is nothing to be done, which is not a failure until the input ends.
    case LZMA_OK, LZMA_BUF_ERROR, LZMA_STREAM_END: return nil
    case LZMA_MEMLIMIT_ERROR:
      let needed = (lzma_memusage(&stream) + (1 << 20) - 1) >> 20
      return "needs \(needed) MiB of memory to decompress, and no more than "
        + "\(Self.memoryLimit >> 20) MiB are taken; decompress it by xz"
    case LZMA_MEM_ERROR: return "there is no memory to decompress it"
    case LZMA_FORMAT_ERROR: return "what follows is not xz"
    case LZMA_OPTIONS_ERROR: return "uses options of xz that this liblzma does not know"
    default: return "its xz data is damaged"
    }
  }
}
