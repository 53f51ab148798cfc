/// Reads and shortens what the demangler of the Swift runtime writes.
///
/// Pure text work over bytes: the grammar it relies on is `NodePrinter.cpp` of the Swift compiler.
enum SwiftNameText {
  // MARK: - Shortening

  /// Drops from a name in the runtime's short form what a reader of a stack does not need.
  ///
  /// - Generic arguments and parameters: `Array<A>.biggest()` is `Array.biggest()`.
  /// - `__deallocating_deinit` is `deinit` and `__allocating_init` is `init`: the two halves stand
  ///   for one declaration.
  /// - The fixity of an operator: `Vec.+ infix(_:_:)` is `Vec.+(_:_:)`.
  /// - The number of the first local function of its name: `local #1 (_:)` is `local(_:)`.
  static func shortened(_ name: String) -> String {
    var text = withoutGenericLists(name)
    for (long, short) in replacements where text.contains(long) {
      text.replace(long, with: short)
    }
    return text
  }

  private static let replacements = [
    ("__isolated_deallocating_deinit", "deinit"),
    ("__deallocating_deinit", "deinit"),
    ("__allocating_init", "init"),
    (" infix(", "("),
    (" prefix(", "("),
    (" postfix(", "("),
    (" #1 (", "("),
  ]

  private static func withoutGenericLists(_ name: String) -> String {
    let bytes = Array(name.utf8)
    guard bytes.contains(UInt8(ascii: "<")) else { return name }
    var kept: [UInt8] = []
    var depth = 0
    var previous: UInt8 = 0
    for byte in bytes {
      // An operator's own angle bracket stands behind a space or a dot, or opens the name.
      if byte == UInt8(ascii: "<"), depth > 0 || isIdentifierPart(previous) {
        depth += 1
      } else if byte == UInt8(ascii: ">"), depth > 0 {
        if previous != UInt8(ascii: "-") { depth -= 1 }
      } else if depth == 0 {
        kept.append(byte)
      }
      previous = byte
    }
    // Brackets that do not pair are an operator after all.
    return depth == 0 ? String(decoding: kept, as: UTF8.self) : name
  }

  private static func isIdentifierPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...:
      true
    default: false
    }
  }

  // MARK: - The module

  /// The module whose code a function is, from the name in the runtime's full form.
  ///
  /// - A closure, a local function, an accessor, a specialisation or an async piece belongs to the
  ///   function that it comes from.
  /// - A member of an extension belongs to the module of the extension.
  /// - A protocol witness belongs to the module of the conformance.
  /// - A thunk that only converts calling conventions, and what the importer made of C, belongs to
  ///   none.
  static func module(inFull name: String) -> String? {
    let words = topLevelWords(of: name)
    if name.hasPrefix("protocol witness for "), let last = words.lastIndex(of: "in"),
      last + 1 < words.count
    {
      return swiftModule(words[last + 1])
    }
    var index = 0
    while index < words.count {
      let word = words[index]
      if word == "reabstraction" { return nil }
      if isOrdinal(word), let next = words[index...].firstIndex(of: "in") {
        // The signature of a closure or local function stands between its number and its context.
        index = next + 1
        continue
      }
      if let module = extensionModule(words[index...]) { return swiftModule(module) }
      if let dot = word.firstIndex(of: "."), dot != word.startIndex,
        !word[..<dot].contains(where: { "(<[@".contains($0) })
      {
        return swiftModule(word[..<dot])
      }
      index += 1
    }
    return nil
  }

  /// The name's words, where what stands in brackets is part of the word around it.
  private static func topLevelWords(of name: String) -> [Substring] {
    var words: [Substring] = []
    var depth = 0
    var start = name.startIndex
    var previous: UInt8 = 0
    let bytes = name.utf8
    for index in bytes.indices {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "<") where isIdentifierPart(previous) || previous == UInt8(ascii: " "):
        depth += 1
      case UInt8(ascii: ">") where previous != UInt8(ascii: "-") && depth > 0:
        depth -= 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"):
        depth = max(0, depth - 1)
      case UInt8(ascii: " ") where depth == 0:
        if start < index { words.append(name[start..<index]) }
        start = bytes.index(after: index)
      default:
        break
      }
      previous = byte
    }
    if start < name.endIndex { words.append(name[start...]) }
    return words
  }

  private static func isOrdinal(_ word: Substring) -> Bool {
    word.first == "#" && word.count > 1 && word.dropFirst().allSatisfy(\.isWholeNumber)
  }

  /// The module in `(extension in demo):Swift.String.loud`, which is one word.
  private static func extensionModule(_ words: ArraySlice<Substring>) -> Substring? {
    let opening = "(extension in "
    guard let word = words.first, word.hasPrefix(opening), let end = word.firstIndex(of: ")") else {
      return nil
    }
    return word[word.index(word.startIndex, offsetBy: opening.count)..<end]
  }

  /// `__C` and `__ObjC` are the names of what Clang imported, which is no Swift module.
  private static func swiftModule(_ name: Substring) -> String? {
    name == "__C" || name == "__ObjC" || name == "__C_Synthesized" || name == "Builtin"
      ? nil : String(name)
  }

  /// The module that a mangled name starts with, for names whose text does not say it, such as that
  /// of a global's initializer.
  static func leadingModule(ofMangled name: String) -> String? {
    guard let dollar = name.utf8.firstIndex(of: UInt8(ascii: "$")) else { return nil }
    let rest = name.utf8[dollar...].dropFirst(2)
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard digits.first != UInt8(ascii: "0"), let length = Int(Substring(digits)), length > 0,
      length <= rest.count - digits.count
    else { return nil }
    return String(Substring(rest.dropFirst(digits.count).prefix(length)))
  }
}
