package import KVOAudit
import KVOText

/// What names are replaced under: logs that were anonymized with one key can be compared.
package struct AnonymizationKey: Sendable {
  /// How long a key must be at least.
  static let leastByteCount = 16
  private static let file = FileKind(
    "a key",
    byteLimit: FileKind.settingByteLimit,
    isText: false
  )

  private let hash: SipHash

  /// The key in `bytes`, or nil if they are fewer than ``leastByteCount``.
  ///
  /// Complexity: O(bytes).
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.leastByteCount else { return nil }
    // However long the key is, and however its bits are spread: 128 bits of it.
    hash = SipHash(
      key: (SipHash(key: (0, 0))(bytes), SipHash(key: (1, 0))(bytes))
    )
  }

  /// Reads a key.
  ///
  /// - Throws: ``InputFailure`` if the file cannot be read, or is too short or too long.
  package init(contentsOf path: String) throws(InputFailure) {
    let bytes = try ByteSource.contents(of: path, as: Self.file)
    guard let key = AnonymizationKey(bytes) else {
      throw InputFailure(
        input: path,
        reason: "too short for a key: it has \(Wording.count(bytes.count, "byte")), and needs "
          + "\(Self.leastByteCount); name a file that is not there, and one is made"
      )
    }
    self = key
  }

  /// The bytes of a new random key.
  package static func randomBytes() -> [UInt8] {
    (0..<2 * leastByteCount).map { _ in UInt8.random(in: .min ... .max) }
  }

  /// Sixty bits that represent `text`.
  func digits(of text: some StringProtocol) -> UInt64 { hash(Array(text.utf8)) >> 4 }
}
