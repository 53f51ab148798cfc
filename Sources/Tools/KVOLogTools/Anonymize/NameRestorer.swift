import KVOText

/// Restores the names that pseudonyms replaced.
struct NameRestorer: NameMapping {
  /// How long a pseudonym is, and what replaces a build-id.
  private static let byteCount = 1 + Pseudonyms.digitCount
  private static let buildIDByteCount = Pseudonyms.buildIDDigitCount

  private let names: [String: String]
  private let isLetter: [Bool]

  init(_ map: PseudonymMap) {
    names = map.names
    isLetter = (0..<256).map { Pseudonyms.alphabet.contains(UInt8($0)) }
  }

  mutating func mapped(_ text: String, as role: NameRole) -> String {
    if role == .buildID { return names[text] ?? text }
    let bytes = restored(Array(text.utf8)[...], isEscaped: false, isLast: true).text
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Puts names for the pseudonyms in `bytes`.
  ///
  /// Complexity: O(bytes).
  ///
  /// - Parameters:
  ///   - bytes: a text.
  ///   - isEscaped: whether it is JSON, in the strings of which a name is escaped.
  ///   - isLast: whether nothing follows; otherwise a pseudonym may continue after the end.
  /// - Returns: the text with the names, and what of `bytes` is to be given again with what follows.
  func restored(
    _ bytes: ArraySlice<UInt8>,
    isEscaped: Bool,
    isLast: Bool
  ) -> (text: [UInt8], rest: ArraySlice<UInt8>) {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex, isLast || bytes.endIndex - index >= Self.buildIDByteCount {
      if let name = name(at: index, in: bytes) {
        result += isEscaped ? Self.escaped(name) : Array(name.utf8)
        index += Self.byteCount
      } else if let buildID = buildID(at: index, in: bytes) {
        result += Array(buildID.utf8)
        index += Self.buildIDByteCount
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return (result, bytes[index...])
  }

  private func name(at index: Int, in bytes: ArraySlice<UInt8>) -> String? {
    let first = bytes[index]
    guard first | 0x20 == UInt8(ascii: "n"), bytes.endIndex - index >= Self.byteCount,
      bytes[(index + 1)..<(index + Self.byteCount)].allSatisfy({ isLetter[Int($0)] })
    else { return nil }
    let text = String(decoding: bytes[index..<(index + Self.byteCount)], as: UTF8.self)
    if let name = names[text] { return name }
    // A hint names a variable after a class.
    guard first == UInt8(ascii: "n"), let name = names["N" + text.dropFirst()] else { return nil }
    return name.prefix(1).lowercased() + name.dropFirst()
  }

  private func buildID(at index: Int, in bytes: ArraySlice<UInt8>) -> String? {
    let end = index + Self.buildIDByteCount
    guard end <= bytes.endIndex, index == bytes.startIndex || bytes[index - 1] < 0x30,
      bytes[index..<end].allSatisfy({ $0 < 0x3a || (0x61...0x66).contains($0) })
    else { return nil }
    return names[String(decoding: bytes[index..<end], as: UTF8.self)]
  }

  /// As JSON has it between quotes.
  private static func escaped(_ name: String) -> [UInt8] {
    var text = JSONText()
    text.value(name)
    return Array(text.bytes.dropFirst().dropLast())
  }
}
