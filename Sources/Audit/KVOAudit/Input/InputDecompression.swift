/// Recognizes compressed inputs.
///
/// A protocol, so that test bundles, which audit logs too, do not link the libraries that decompress.
package protocol InputDecompression: Sendable {
  /// How many bytes an input may have after decompression.
  ///
  /// A few kilobytes may stand for terabytes.
  var byteLimit: Int { get }

  /// A decoder of an input that begins with `head`, or nil if it is not compressed in a known form.
  ///
  /// - Parameter head: at least the first ``magicByteCount`` bytes, or the whole input.
  /// - Returns: a decoder that has consumed nothing yet.
  func decoder(head: [UInt8]) -> (any InputDecoder)?
}

extension InputDecompression {
  /// How many bytes are enough to recognize each form.
  package static var magicByteCount: Int { 6 }
}

/// Decompresses one input, in pieces.
///
/// Its memory is bounded. Not synchronized.
package protocol InputDecoder: AnyObject {
  /// The name of the form.
  var form: String { get }
  /// Whether the input may end after what was decoded so far.
  var isComplete: Bool { get }

  /// Decodes as much of `input` as fits into `output`.
  ///
  /// - Parameters:
  ///   - input: the bytes after those that were consumed before; empty only if `isLast`.
  ///   - isLast: whether the input ends after them.
  ///   - output: receives the decoded bytes; not empty.
  /// - Returns: what was done, with a failure if the input is damaged or asks for too much memory.
  func decode(
    _ input: UnsafeRawBufferPointer,
    isLast: Bool,
    into output: UnsafeMutableRawBufferPointer
  ) -> InputDecoding
}

/// What a decoder did at once.
package struct InputDecoding {
  /// How many bytes of the input were consumed.
  package var consumedCount = 0
  /// How many bytes were written; this and the other one are 0 if the end is reached.
  package var producedCount = 0
  /// Why nothing can be decoded after those, without a full stop, or nil.
  package var failure: String?

  package init(consumedCount: Int = 0, producedCount: Int = 0, failure: String? = nil) {
    self.consumedCount = consumedCount
    self.producedCount = producedCount
    self.failure = failure
  }
}
