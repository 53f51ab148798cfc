/// String literals in the lists that code declares, passes or returns.
extension SourceContext {
  /// How far above a literal its list may begin, in lines.
  private static let listReach = 30

  /// Whether the words after `before` in `line` are a literal of a list that code opens above it.
  ///
  /// The lists of a notification or a log have no declaration before them.
  func isListed(_ before: ArraySlice<UInt8>, _ line: Int) -> Bool {
    guard before.contains(where: { "\"'`".utf8.contains($0) }) else { return false }
    for above in (max(0, line - Self.listReach)..<line).reversed() {
      let bytes = FrameLine.trimmed(text.bytes[text.lineRange(above)])
      if isComment(line: above) { continue }
      guard let last = bytes.last else { return false }
      if "([{".utf8.contains(last) {
        let name = bytes.lastIndex { !"([{@&".utf8.contains($0) } ?? bytes.startIndex - 1
        let opener = FrameLine.trimmed(bytes[...name])
        // A list in a list, or under a label in it.
        if opener.isEmpty || opener.last == UInt8(ascii: ":") { continue }
        return opener.ends(with: "return") || Self.declares(opener)
          || bytes[(name + 1)...].contains(UInt8(ascii: "("))
            && Self.isCall(last == UInt8(ascii: "(") ? opener : Self.method(of: opener))
      }
      guard last == UInt8(ascii: ",") || bytes.allSatisfy({ ")]},".utf8.contains($0) }) else {
        return false
      }
    }
    return false
  }

  /// Whether `code` is the key of an entry in a printed dictionary: a name alone in `line`, between other entries, below
  /// the brace of a list that no code opens.
  ///
  /// Dictionaries are printed as `{`, `line = 12;`, `message = "…";`, `}`.
  func isEntry(_ code: ArraySlice<UInt8>, _ line: Int) -> Bool {
    guard Self.isKey(code) else { return false }
    for above in (max(0, line - Self.listReach)..<line).reversed() {
      let bytes = FrameLine.trimmed(text.bytes[text.lineRange(above)])
      if isComment(line: above) { return false }
      if bytes.last == UInt8(ascii: "{") { return opensDictionary(bytes.dropLast(), above) }
      let isEnd = !bytes.isEmpty && bytes.allSatisfy { ")};".utf8.contains($0) }
      guard isEnd || Self.isKeyed(bytes) else { return false }
    }
    return false
  }

  /// `message =`.
  private static func isKey(_ code: ArraySlice<UInt8>) -> Bool {
    let name = FrameLine.trimmed(code.dropLast())
    return code.last == UInt8(ascii: "=") && !name.isEmpty
      && name.allSatisfy { $0.isNamePart && $0 != UInt8(ascii: ".") }
  }

  /// `line = 12;`.
  private static func isKeyed(_ entry: ArraySlice<UInt8>) -> Bool {
    guard let sign = entry.firstIndex(of: UInt8(ascii: "=")), let last = entry.last else {
      return false
    }
    return isKey(entry[...sign]) && ";{(".utf8.contains(last)
  }

  /// Words of code before a brace that opens a block.
  private static let blocks: Set<String> = [
    "namespace", "extern", "interface", "enum", "union", "module", "object", "record", "package",
  ]

  /// Whether the words before a brace are what a log prints there: the key of the dictionary, or a title of several words.
  private func opensDictionary(_ words: ArraySlice<UInt8>, _ line: Int) -> Bool {
    let title = FrameLine.trimmed(words)
    guard !Self.isCode(FrameLine.trimmed(text.bytes[text.lineRange(line)])) else { return false }
    if title.last == UInt8(ascii: "=") || title.last == UInt8(ascii: ":") {
      return !Self.isDeclaration(title)
    }
    let parts = title.split(separator: 0x20)
    return parts.count > 1 && parts.allSatisfy { $0.allSatisfy(\.isNamePart) }
      && !Self.blocks.contains(String(decoding: parts[0], as: UTF8.self))
  }

  /// `start` of `Service.start`: a printed value with such a name has no list in braces.
  private static func method(of code: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    code[(code.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? code.startIndex)...]
  }

  private static let declarators: Set<String> = [
    "let", "var", "const", "static", "val", "auto", "char", "final", "NSArray", "NSDictionary",
    "NSSet", "String[]", "List<String>",
  ]

  /// Whether `code` assigns to what it declares: `static let names: [String] =`, `var names = []string`.
  private static func declares(_ code: ArraySlice<UInt8>) -> Bool {
    guard let sign = code.firstIndex(of: UInt8(ascii: "=")) else { return false }
    if isConstant(code[...sign]) { return true }
    return code[..<sign].split(separator: 0x20).contains {
      declarators.contains(String(decoding: $0, as: UTF8.self))
    }
  }
}
