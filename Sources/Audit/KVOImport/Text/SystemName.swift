/// Finds the name of an operating system in prose.
enum SystemName {
  private static let names = [
    "iOS", "macOS", "iPadOS", "tvOS", "watchOS", "visionOS", "OS X", "iPhone OS",
  ]

  /// A mention of a system with its version.
  private struct Mention {
    var system: String
    /// Whether other versions follow: `iOS 8, 9 and 10`.
    var isList: Bool
  }

  /// The system that `text` says the crash happened on; nil if it names several, or none.
  ///
  /// What a program was built for, and where it does not crash, says nothing of it.
  ///
  /// Complexity: O(length).
  static func stated(in text: CleanText) -> String? {
    var system: String?
    for name in names {
      let bytes = Array(name.utf8)
      var position = 0
      while let start = text.bytes[position...].firstIndex(of: bytes[0]) {
        position = start + 1
        guard text.bytes.has(bytes, at: start), start == 0 || !text.bytes[start - 1].isNamePart,
          let mention = mention(of: name, endingAt: start + bytes.count, from: start, in: text)
        else { continue }
        if mention.isList { return nil }
        guard let known = system else {
          system = mention.system
          continue
        }
        // One may have more parts of the version: `iOS 10`, `iOS 10.3.3`.
        if mention.system.hasPrefix(known + ".") {
          system = mention.system
        } else if mention.system != known, !known.hasPrefix(mention.system + ".") {
          return nil
        }
      }
    }
    return system
  }

  private static func mention(
    of name: String,
    endingAt end: Int,
    from start: Int,
    in text: CleanText
  ) -> Mention? {
    let rest = text.bytes[end...].prefix(24).drop { $0.isBlank || $0 == UInt8(ascii: ":") }
    let version = rest.prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    guard let first = version.first, first.isASCIIDigit, first != UInt8(ascii: "0"),
      version.count < 9,
      !isOfBuilder(text.line(at: start), in: text)
    else { return nil }
    let line = text.lineRange(text.line(at: start))
    let lead = words(text.bytes[line.lowerBound..<start].suffix(80))
    let before = lead.split(separator: ". ").last.map { " " + $0 } ?? lead
    let after = words(
      text.bytes[version.endIndex..<max(version.endIndex, line.upperBound)].prefix(40)
    )
    let isLabeled = before.hasSuffix(" os version ") || before.hasSuffix(" os version: ")
    guard isLabeled || !limits.contains(where: before.contains), !isRange(after) else { return nil }
    var number = String(decoding: version, as: UTF8.self)
    while number.hasSuffix(".") { number.removeLast() }
    let system = name == "OS X" ? "macOS" : name == "iPhone OS" ? "iOS" : name
    return Mention(system: "\(system) \(number)", isList: isList(after))
  }

  /// Whether the line is below the heading with which an editor lists the system that it runs on.
  private static func isOfBuilder(_ line: Int, in text: CleanText) -> Bool {
    for above in (max(0, line - 3)..<line).reversed() {
      let bytes = text.bytes[text.lineRange(above)].drop(while: \.isBlank)
      if !bytes.isEmpty { return FactReader.isToolHeading(bytes) }
    }
    return false
  }

  /// The words of `bytes` in lower case, with one blank before, between and after them.
  private static func words(_ bytes: ArraySlice<UInt8>) -> String {
    let text = bytes.map { $0 == 0x0a || $0 == 0x09 ? 0x20 : $0 }.split(separator: 0x20)
    return " "
      + text.map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: " ")
      + " "
  }

  /// Words before a system that is not the crash's.
  private static let limits = [
    "target", "minimum", " min ", " min. ", "sdk", " supports ", " supported ", " requires ",
    " not ",
    "n't ", " never ", " since ", " before ", " below ", " until ", " prior to ", " fine on ",
    " works on ", " ok on ", " platform :", " only from ", " introduced in ", " available in ",
  ]

  /// Whether the words after a version make it the first or last of several, or a kit to build with.
  private static func isRange(_ words: String) -> Bool {
    if words.hasPrefix(" +") || words.hasPrefix("+") { return true }
    return [
      " and later", " or later", " and above", " or above", " and up", " and newer", " or newer",
      " and higher", " or higher", " and earlier", " or earlier", " and below", " and older",
      " sdk",
      " + ", " is fine", " works", " onwards", " does not", " doesn't",
    ].contains(where: words.hasPrefix)
  }

  /// Whether more versions follow: `, 9 or 8`, `/9`.
  private static func isList(_ words: String) -> Bool {
    let rest = words.drop { $0 == " " }
    for separator in [", ", ",", "/", "or ", "and ", "y ", "& "] where rest.hasPrefix(separator) {
      let next = rest.dropFirst(separator.count)
      let number = next.prefix { $0.isNumber || $0 == "." }
      if !number.isEmpty, number.count < 7, next.dropFirst(number.count).first?.isLetter != true {
        return true
      }
    }
    return false
  }
}
