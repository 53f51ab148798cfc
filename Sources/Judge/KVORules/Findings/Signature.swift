/// The identity of a finding: `2:` and 32 hexadecimal digits, the first half of a SHA-256.
///
/// The bytes that are hashed are those of the fields, each preceded by its length in bytes, in decimal, and a colon:
/// `6:KVO0017:Account…`. `Documentation/Signatures.md` lists the fields. Eight digits without a prefix are a signature
/// of version 1, as in reports before version 2.
package enum Signature {
  /// The prefix of every signature of this version.
  package static let prefix = "2:"
  /// How many digits follow the prefix.
  package static let digitCount = 32
  /// How many of them text reports show.
  private static let shownDigitCount = 10
  /// The minimum number of digits that identify a signature when typed.
  package static let shortestCount = 8

  /// The signature of `fields`.
  ///
  /// Complexity: O(bytes).
  static func of(_ fields: [String]) -> String {
    var bytes: [UInt8] = []
    for field in fields { bytes += Array("\(field.utf8.count):".utf8) + Array(field.utf8) }
    let digits = Array("0123456789abcdef".utf8)
    let text = SHA256.hash(bytes).prefix(digitCount / 2).flatMap { byte in
      [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return prefix + String(decoding: text, as: UTF8.self)
  }

  /// The short form in text reports: `2:5f0c2a91d3`; one of version 1 as it is.
  package static func short(_ signature: String) -> String {
    isCurrent(signature) ? String(signature.prefix(prefix.count + shownDigitCount)) : signature
  }

  /// Whether it is one of this version, whole or cut short.
  package static func isCurrent(_ signature: String) -> Bool { signature.hasPrefix(prefix) }

  /// Whether it is a signature of version 1.
  package static func isVersion1(_ signature: String) -> Bool {
    signature.utf8.count == 8 && isHexadecimal(signature)
  }

  /// Whether it identifies a signature: one of either version, or a long enough prefix of this version's.
  package static func isName(_ text: String) -> Bool {
    guard isCurrent(text) else { return isVersion1(text) }
    let digits = String(text.dropFirst(prefix.count))
    return (shortestCount...digitCount).contains(digits.utf8.count) && isHexadecimal(digits)
  }

  private static func isHexadecimal(_ text: String) -> Bool {
    text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
  }
}

extension Finding {
  /// A line at which the finding happened.
  package struct Line: Hashable, Sendable {
    /// `Screen.swift:41`, a function if the line is not known, or nil.
    package var location: String?
    /// The signature with the line in it.
    package var signature: String
    /// The version 1 signature of a finding there; nil: unknown.
    package var version1: String?

    package init(location: String?, signature: String, version1: String?) {
      self.location = location
      self.signature = signature
      self.version1 = version1
    }

    fileprivate static func isBefore(_ left: Line, _ right: Line) -> Bool {
      let names = (left.location ?? "", right.location ?? "")
      if names.0 != names.1 { return names.0 < names.1 }
      if left.signature != right.signature { return left.signature < right.signature }
      return (left.version1 ?? "") < (right.version1 ?? "")
    }
  }

  /// The maximum number of lines per finding: the first ones by name, so that the result does not depend on their
  /// order.
  package static let lineLimit = 64

  /// The signature as text reports show it.
  package var shortSignature: String { Signature.short(signature) }

  /// The version 1 signatures of it.
  package var version1Signatures: [String] {
    Signature.isCurrent(signature) ? lines.compactMap(\.version1) : [signature]
  }

  /// Adds lines of the same finding; the lines stay ordered, each once.
  ///
  /// Complexity: O(lines).
  package mutating func add(lines others: [Line]) {
    for line in others where !lines.contains(line) {
      let index = lines.firstIndex { Line.isBefore(line, $0) } ?? lines.count
      lines.insert(line, at: index)
      if lines.count > Self.lineLimit { lines.removeLast() }
    }
  }
}
