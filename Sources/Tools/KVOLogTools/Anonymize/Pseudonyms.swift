/// The pseudonyms, and the names that they replace.
///
/// A pseudonym is `n` or, for what began with a capital letter, `N`, and twelve digits and letters. Whether
/// a name is a type's stays visible by that. Two names of a million have one pseudonym in less than one log
/// of a million.
///
/// Memory is bounded by the distinct names.
struct Pseudonyms {
  private let key: AnonymizationKey
  private var known: [String: String] = [:]
  /// A word may be spelled like one of them.
  private var knownBuildIDs: [String: String] = [:]
  /// The name that each pseudonym replaces.
  private(set) var originals: [String: String] = [:]

  init(key: AnonymizationKey) { self.key = key }

  /// The letters of pseudonyms: those that are mistaken for a digit or another are left out.
  static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  static let digitCount = 12
  static let buildIDDigitCount = 32

  /// The pseudonym of `name`.
  ///
  /// Complexity: O(length).
  mutating func pseudonym(of name: some StringProtocol) -> String {
    let name = String(name)
    if let known = known[name] { return known }
    var rest = key.digits(of: name)
    let isCapital = name.unicodeScalars.first?.properties.isUppercase == true
    var letters = [UInt8(ascii: isCapital ? "N" : "n")]
    for _ in 0..<Self.digitCount {
      letters.append(Self.alphabet[Int(rest & 31)])
      rest >>= 5
    }
    let pseudonym = String(decoding: letters, as: UTF8.self)
    known[name] = pseudonym
    originals[pseudonym] = name
    return pseudonym
  }

  /// The pseudonym of a build-id: digits of the same kind.
  mutating func buildID(for original: String) -> String {
    if let known = knownBuildIDs[original] { return known }
    let digits = [original, "\(original)+"].map { text in
      let digits = String(key.digits(of: text), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    let pseudonym = digits.joined()
    knownBuildIDs[original] = pseudonym
    originals[pseudonym] = original
    return pseudonym
  }
}
