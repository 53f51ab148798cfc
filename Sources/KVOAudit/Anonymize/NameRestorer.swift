/// Puts the names back that pseudonyms stand for.
struct NameRestorer: NameMapping {
  /// How long a pseudonym is, and what stands for a build-id.
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
  ///   - isLast: whether nothing follows; otherwise a pseudonym may go on behind the end.
  /// - Returns: the text with the names, and what of `bytes` is to be given again with what follows.
  func restored(
    _ bytes: ArraySlice<UInt8>,
    isEscaped: Bool,
    isLast: Bool
  ) -> (text: [UInt8], rest: ArraySlice<UInt8>) {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = bytes.startIndex
    while place < bytes.endIndex, isLast || bytes.endIndex - place >= Self.buildIDByteCount {
      if let name = name(at: place, in: bytes) {
        result += isEscaped ? Self.escaped(name) : Array(name.utf8)
        place += Self.byteCount
      } else if let buildID = buildID(at: place, in: bytes) {
        result += Array(buildID.utf8)
        place += Self.buildIDByteCount
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return (result, bytes[place...])
  }

  private func name(at place: Int, in bytes: ArraySlice<UInt8>) -> String? {
    let first = bytes[place]
    guard first | 0x20 == UInt8(ascii: "n"), bytes.endIndex - place >= Self.byteCount,
      bytes[(place + 1)..<(place + Self.byteCount)].allSatisfy({ isLetter[Int($0)] })
    else { return nil }
    let text = String(decoding: bytes[place..<(place + Self.byteCount)], as: UTF8.self)
    if let name = names[text] { return name }
    // A hint names a variable after a class.
    guard first == UInt8(ascii: "n"), let name = names["N" + text.dropFirst()] else { return nil }
    return name.prefix(1).lowercased() + name.dropFirst()
  }

  private func buildID(at place: Int, in bytes: ArraySlice<UInt8>) -> String? {
    let end = place + Self.buildIDByteCount
    guard end <= bytes.endIndex, place == bytes.startIndex || bytes[place - 1] < 0x30,
      bytes[place..<end].allSatisfy({ $0 < 0x3a || (0x61...0x66).contains($0) })
    else { return nil }
    return names[String(decoding: bytes[place..<end], as: UTF8.self)]
  }

  /// As JSON has it between quotes.
  private static func escaped(_ name: String) -> [UInt8] {
    var text = JSONText()
    text.value(name)
    return Array(text.bytes.dropFirst().dropLast())
  }
}
