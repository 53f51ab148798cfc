/// The decoded bytes of a compressed input.
///
/// Memory is bounded by the decoder's and two chunks. Not synchronized.
final class DecodedBytes {
  /// Where the input ends too early or is damaged, if that is known already.
  private(set) var damage: (offset: Int, reason: String)?

  private let decoder: any InputDecoder
  private let byteLimit: Int
  private var pending: ArraySlice<UInt8>
  private var isAtEnd = false
  private var buffer: [UInt8]
  /// How many bytes were consumed, and how many came out.
  private var consumedCount = 0
  private var producedCount = 0

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - head: the bytes that were read already.
  ///   - decoder: of its form.
  ///   - byteLimit: how many bytes may come out.
  init(head: [UInt8], decoder: any InputDecoder, byteLimit: Int) {
    pending = head[...]
    self.decoder = decoder
    self.byteLimit = byteLimit
    buffer = [UInt8](repeating: 0, count: ByteSource.chunkByteCount)
  }

  /// The next decoded bytes; none at the end, and where the input is damaged.
  ///
  /// - Parameter more: the next bytes of the input, none at its end.
  /// - Returns: no more than a chunk.
  /// - Throws: what `more` does.
  func read(_ more: () throws(InputFailure) -> [UInt8]) throws(InputFailure) -> [UInt8] {
    while damage == nil {
      if pending.isEmpty, !isAtEnd {
        pending = try more()[...]
        isAtEnd = pending.isEmpty
      }
      let step = decode()
      pending = pending.dropFirst(step.consumedCount)
      consumedCount += step.consumedCount
      if let failure = step.failure { damage = (consumedCount, failure) }
      if step.producedCount > 0 { return take(step.producedCount) }
      if damage != nil { break }
      if isAtEnd, pending.isEmpty {
        if !decoder.isComplete {
          damage = (consumedCount, "ends in the middle of its \(decoder.form) data")
        }
        break
      }
    }
    return []
  }

  private func decode() -> InputDecoding {
    let (decoder, input, isLast) = (decoder, pending, isAtEnd)
    return buffer.withUnsafeMutableBytes { output in
      input.withUnsafeBytes { decoder.decode($0, isLast: isLast, into: output) }
    }
  }

  private func take(_ count: Int) -> [UInt8] {
    let room = byteLimit - producedCount
    producedCount += min(count, room)
    if count > room {
      damage = (
        consumedCount,
        "has more than \(Self.size(byteLimit)) after decompression, and the rest is not read; "
          + "decompress it, and name the file that results"
      )
    }
    return Array(buffer[..<min(count, room)])
  }

  private static func size(_ byteCount: Int) -> String {
    byteCount >= 1 << 30 ? "\(byteCount >> 30) GiB" : "\(byteCount) bytes"
  }
}
