package import KVOAudit

/// Recognizes gzip, xz and Zstandard by their first bytes.
package struct Decompression: InputDecompression {
  package let byteLimit: Int

  /// Makes a recognizer.
  ///
  /// - Parameter byteLimit: how many bytes an input may have after decompression; eight times what a log keeps by
  ///   default.
  package init(byteLimit: Int = 8 << 30) { self.byteLimit = byteLimit }

  package func decoder(head: [UInt8]) -> (any InputDecoder)? {
    if head.starts(with: [0x1f, 0x8b, 8]) { return GzipDecoder() }
    if head.starts(with: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]) { return XZDecoder() }
    if head.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) || Self.isSkippable(head) {
      return ZstandardDecoder()
    }
    return nil
  }

  /// Whether a frame that decoders skip comes first: pzstd writes one before each of its frames.
  ///
  /// Source: RFC 8878, section 3.1.2; the first byte is 0x50 to 0x5f.
  private static func isSkippable(_ head: [UInt8]) -> Bool {
    head.first.map { $0 & 0xf0 == 0x50 } ?? false
      && head.dropFirst().starts(with: [0x2a, 0x4d, 0x18])
  }
}
