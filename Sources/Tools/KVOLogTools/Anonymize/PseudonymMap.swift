package import KVOAudit

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// Which pseudonyms replace which names: kept private by the person who anonymized the log.
package struct PseudonymMap: Codable, Sendable, Equatable {
  /// The version of the form; higher ones are refused.
  package static let schema = 1
  private static let file = FileKind("a map of names", byteLimit: FileKind.outputByteLimit)

  package let schema: Int
  /// Names by pseudonym.
  package var names: [String: String]

  init(names: [String: String]) {
    schema = Self.schema
    self.names = names
  }

  /// The map as a JSON object, with its keys sorted.
  package var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Strings and a number cannot fail to be written.
    return Array(((try? encoder.encode(self)) ?? Data()) + [0x0a])
  }

  /// Reads a map.
  ///
  /// - Throws: ``InputFailure`` if the file cannot be read, is not a map, or is of a later version.
  package init(contentsOf path: String) throws(InputFailure) {
    try self.init(ByteSource.contents(of: path, as: Self.file), label: path)
  }

  init(_ bytes: [UInt8], label: String) throws(InputFailure) {
    guard let map = try? JSONDecoder().decode(PseudonymMap.self, from: Data(bytes)) else {
      throw InputFailure(
        input: label,
        reason: "not a map of names, as `kvo-audit anonymize --map` writes it"
      )
    }
    guard map.schema <= Self.schema else {
      throw InputFailure(
        input: label,
        reason: "a map of schema \(map.schema); this kvo-audit reads schema \(Self.schema)"
      )
    }
    self = map
  }
}
