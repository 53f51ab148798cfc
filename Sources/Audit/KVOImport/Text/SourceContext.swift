/// Distinguishes what a program prints from text in its source code.
///
/// A crash text after comment leaders is often a whole report that was pasted so. It is a comment only if code is next
/// to it. A string literal is one only if the code that uses it surrounds it on its line.
struct SourceContext {
  let text: CleanText
  /// For each line of the text whether it is a comment beside code.
  private let isComment: [Bool]

  /// How far from a comment its code stands, in lines that are neither empty nor comments.
  private static let reach = 6
  /// How many lines are examined for these.
  private static let lineLimit = 60

  /// Complexity: O(length).
  init(_ text: CleanText) {
    self.text = text
    var isComment = text.isComment
    var line = 0
    while line < isComment.count {
      guard isComment[line] else {
        line += 1
        continue
      }
      var end = line
      while end < isComment.count, isComment[end] { end += 1 }
      if !Self.isCode(next: (end..<isComment.count).prefix(Self.lineLimit), in: text),
        !Self.isCode(next: (0..<line).suffix(Self.lineLimit).reversed(), in: text)
      {
        for index in line..<end { isComment[index] = Self.isSearched(text, index) }
      }
      line = end
    }
    self.isComment = isComment
  }

  /// Whether a tool says that the line is one of a file of source code.
  private static func isSearched(_ text: CleanText, _ line: Int) -> Bool {
    let prefix = text.logPrefix(ofLine: line)
    return !prefix.isEmpty && LogPrefix.searched(prefix + Array("//".utf8)) != nil
  }

  /// Whether the first of `lines` that has words is code: after braces alone, a variable or an assignment, the next
  /// decides.
  private static func isCode(next lines: some Sequence<Int>, in text: CleanText) -> Bool {
    var count = 0
    for line in lines {
      let bytes = FrameLine.trimmed(text.bytes[text.lineRange(line)])
      // The sign of a comparison stands alone in an empty line.
      if bytes.isEmpty || text.isComment[line]
        || bytes.count == 1 && "+-".utf8.contains(bytes[bytes.startIndex])
      {
        continue
      }
      if isCode(bytes) { return true }
      count += 1
      guard count < reach, isBrace(bytes) || isVariable(bytes) || isAssignment(bytes) else {
        return false
      }
    }
    return false
  }

  private static func isBrace(_ line: ArraySlice<UInt8>) -> Bool {
    line.allSatisfy { "{}; ".utf8.contains($0) }
  }

  /// `__weak Meter *_meter;`, `stop ;`: a few words of a name and nothing else.
  private static func isVariable(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.last == UInt8(ascii: ";") else { return false }
    let words = line.dropLast().split { $0.isBlank || $0 == UInt8(ascii: "*") }
    return !words.isEmpty && words.count < 6
      && words.allSatisfy { word in word.allSatisfy(\.isNamePart) && word.last != UInt8(ascii: ".")
      }
  }

  /// `view.level = nil`: also a line of a log may be like that.
  private static func isAssignment(_ line: ArraySlice<UInt8>) -> Bool {
    let name = line.prefix(while: \.isNamePart)
    let rest = line[name.endIndex...].drop(while: \.isBlank)
    return name.first.map { $0.isASCIILetter || $0 == UInt8(ascii: "_") } ?? false
      && rest.count > 1 && rest.first == UInt8(ascii: "=")
  }

  private static let starts = [
    "#import", "#include", "#pragma", "#define", "#if", "@interface", "@implementation", "@end",
    "@property", "@protocol", "import ", "func ", "class ", "struct ", "extension ", "let ", "var ",
    "private ", "public ", "override ", "static ", "- (", "+ (", "-(", "+(", "return ", "NS_ASSUME",
    // The cleaner mistakes the sign before a method for a list marker.
    "(void)", "(id)", "(instancetype)", "(BOOL)", "(NSString", "if (", "for (", "while (", "guard ",
    "self.", "[self", "enum ", "break;", "break ;", "continue;",
    "deinit {", "deinit{", "init(", "init?(", "convenience init", "required init", "fileprivate ",
    "internal func ", "internal var ", "internal let ", "internal class ", "final class ",
    "final func ", "mutating func ", "weak var ", "lazy var ", "@objc ", "@IBAction", "@IBOutlet",
    "do {", "defer {", "else {", "} else", "def ",
    // Without the sign of a directive, which the cleaner takes for a heading's.
    "include <", "include \"", "if 0", "ifdef ", "ifndef ", "endif", "pragma mark", "pragma once",
  ]

  /// Whether a line can only be code.
  ///
  /// The lists of a notification end with semicolons, too, so that one alone is not enough.
  static func isCode(_ line: ArraySlice<UInt8>) -> Bool {
    if starts.contains(where: { line.starts(with: $0.utf8) }) { return true }
    let comment = FrameLine.first(" //", in: line) ?? FrameLine.first(" /*", in: line)
    let code = comment.map { FrameLine.trimmed(line[..<$0]) } ?? line
    return isCallWithArguments(code) || isBlockStart(code)
      || [");", "];", "] ;", ") {", "){"].contains {
        $0.utf8.count <= code.count && code.ends(with: $0)
      }
  }

  /// `if target is Meter {`, `for key in keys {`: a block of Swift, whose conditions have no parentheses.
  private static func isBlockStart(_ line: ArraySlice<UInt8>) -> Bool {
    line.last == UInt8(ascii: "{")
      && ["if ", "for ", "while ", "switch ", "guard ", "catch "].contains {
        line.starts(with: $0.utf8)
      }
  }

  /// `bar.removeObserver(self, forKeyPath: "name")`: a call of Swift, whose statements end without a sign.
  ///
  /// The functions of a stack have no arguments with values.
  private static func isCallWithArguments(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.last == UInt8(ascii: ")"), let first = line.first,
      (0x61...0x7a).contains(first) || first == UInt8(ascii: "_")
    else { return false }
    let name = line.prefix {
      $0.isNamePart || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "!")
    }
    let arguments = line[name.endIndex...]
    guard arguments.first == UInt8(ascii: "(") else { return false }
    return FrameLine.first(": ", in: arguments) != nil
      || FrameLine.first("\"", in: arguments) != nil
      || FrameLine.first("(self)", in: arguments) != nil
  }

  /// Whether the words before a comment at the end of their line are code.
  private static func isStatement(_ words: ArraySlice<UInt8>) -> Bool {
    guard let last = words.last else { return false }
    return isCode(words) || last == UInt8(ascii: ";") || last == UInt8(ascii: "{")
      || last == UInt8(ascii: "}") || isAssignment(words) || isLabel(words)
  }

  /// `case "Meter":`, `default:`.
  private static func isLabel(_ words: ArraySlice<UInt8>) -> Bool {
    words.last == UInt8(ascii: ":")
      && (words.starts(with: "case ".utf8) || words.elementsEqual("default:".utf8))
  }

  /// Whether the line is a comment beside code.
  func isComment(line: Int) -> Bool { isComment.indices.contains(line) && isComment[line] }

  /// Whether the words at `position` are in a comment or a string literal of source code.
  ///
  /// Complexity: O(length of the lines around).
  func isSource(at position: Int) -> Bool {
    let line = text.line(at: position)
    if isComment(line: line) { return true }
    let range = text.lineRange(line)
    let before = text.bytes[range.lowerBound..<max(range.lowerBound, position)].suffix(300)
    if let slashes = FrameLine.first("//", in: before),
      slashes == before.startIndex || before[slashes - 1] != UInt8(ascii: ":"),
      Self.isStatement(FrameLine.trimmed(before[..<slashes]))
    {
      return true
    }
    // The sign of the directive may be taken for a heading's.
    if FrameLine.trimmed(before).drop(while: { $0 == UInt8(ascii: "#") })
      .starts(with: "pragma mark".utf8)
    {
      return true
    }
    let after = text.bytes[position..<max(position, range.upperBound)]
    return isLiteral(before, after: after, line) || isQuoted(before, after: after)
      || isInBlock(line) || isListed(before, line)
  }

  // MARK: - String literals

  private func isLiteral(
    _ before: ArraySlice<UInt8>,
    after: ArraySlice<UInt8>,
    _ line: Int
  ) -> Bool {
    guard let quote = before.lastIndex(of: UInt8(ascii: "\"")) else { return false }
    var code = before[..<quote]
    let isObjectiveC = code.last == UInt8(ascii: "@")
    while let last = code.last, last == UInt8(ascii: "@") || last == UInt8(ascii: "#") {
      code = code.dropLast()
    }
    if code.last == UInt8(ascii: "r") || code.last == UInt8(ascii: "L"),
      code.dropLast().last.map({ !$0.isNamePart }) ?? true
    {
      code = code.dropLast()
    }
    // The other marks of a literal of several lines that has only one.
    while code.last == UInt8(ascii: "\"") { code = code.dropLast() }
    code = FrameLine.trimmed(code)
    if code.isEmpty { return isContinued(line) }
    if Self.isCommand(code) || Self.isConstant(code) { return true }
    if code.last == UInt8(ascii: ":") {
      return isObjectiveC || isBuilt(from: after.startIndex, code, line)
    }
    let tail = FrameLine.trimmed(after.suffix(200))
    let isStatement = tail.ends(with: ";") || tail.ends(with: ")") || tail.ends(with: ",")
    switch code.last {
    case UInt8(ascii: "("):
      return Self.isCall(code.dropLast()) || Self.isMade(code.dropLast())
    case UInt8(ascii: ","): return isStatement && Self.hasCall(code)
    case UInt8(ascii: "="), UInt8(ascii: "+"):
      return tail.ends(with: ";") && !isEntry(code, line) || Self.isDeclaration(code)
    default: return code.ends(with: "return")
    }
  }

  /// The methods that make a string of a literal.
  private static let conversions = [
    ".into(", ".to_owned(", ".to_string(", ".to_vec(", ".format(", ".as_bytes(",
  ]

  /// Whether the literal of a field that `position` is in is code: a method is called on it, or it is the only thing
  /// after the name of the field and goes on after a backslash at the end of the line.
  ///
  /// Logs have fields, too, but nothing of this.
  private func isBuilt(from position: Int, _ code: ArraySlice<UInt8>, _ line: Int) -> Bool {
    let name = FrameLine.trimmed(code.dropLast())
    if text.isContinued(line: line), !name.isEmpty, name.allSatisfy(\.isNamePart) { return true }
    let end = text.lineRange(min(line + 6, text.lineStarts.count - 1)).upperBound
    let near = text.bytes[position..<max(position, min(end, position + 2_000))]
    return near.indices.contains { index in
      guard near[index] == UInt8(ascii: "\"") else { return false }
      let next = near[(index + 1)...].drop { $0.isBlank || $0 == 0x0a }
      return next.first == UInt8(ascii: ".")
        && Self.conversions.contains { next.starts(with: $0.utf8) }
    }
  }

  /// Whether `line`, which begins with a literal, continues what code above it opened: a call, an
  /// assignment, or a list that is assigned.
  private func isContinued(_ line: Int) -> Bool {
    var above = line - 1
    while above >= 0, line - above < 30, isLiteralAlone(above) { above -= 1 }
    guard above >= 0 else { return false }
    let previous = FrameLine.trimmed(text.bytes[text.lineRange(above)])
    if previous.ends(with: "format:") || previous.ends(with: "=") { return true }
    guard previous.last == UInt8(ascii: "(") || previous.last == UInt8(ascii: "[") else {
      return false
    }
    let opened = FrameLine.trimmed(previous.dropLast())
    return opened.last == UInt8(ascii: "=")
      || previous.last == UInt8(ascii: "(") && Self.isCall(opened)
  }

  /// Whether the line is a literal alone, perhaps with the comma of a list.
  private func isLiteralAlone(_ line: Int) -> Bool {
    let bytes = FrameLine.trimmed(text.bytes[text.lineRange(line)])
    let first = bytes.first == UInt8(ascii: "@") ? bytes.dropFirst().first : bytes.first
    return bytes.count > 2 && first == UInt8(ascii: "\"")
      && (bytes.ends(with: "\"") || bytes.ends(with: "\","))
  }

  /// Whether a function is called whose name ends `code`; a type that wraps a printed value is not a function.
  static func isCall(_ code: ArraySlice<UInt8>) -> Bool {
    let name = code.reversed().prefix { $0.isNamePart || $0 == UInt8(ascii: "!") }.reversed()
    // A method of what another call returns has a dot before it.
    guard let first = name.first(where: { $0 != UInt8(ascii: ".") }) else { return false }
    if first >= 0x61, first <= 0x7a { return true }
    return ["NSLog", "XCTAssert", "XCTFail", "NSAssert", "DLog", "CPLog"].contains {
      name.starts(with: $0.utf8)
    }
  }

  private static func hasCall(_ code: ArraySlice<UInt8>) -> Bool {
    guard let open = code.firstIndex(of: UInt8(ascii: "(")) else { return false }
    return isCall(code[..<open])
  }

  static func isDeclaration(_ code: ArraySlice<UInt8>) -> Bool {
    ["let ", "var ", "const ", "static ", "String ", "NSString", "char ", "auto ", "val "].contains
    {
      FrameLine.trimmed(code).starts(with: $0.utf8)
    }
  }

  /// Whether the line is in a literal of many lines, which code opens above it.
  private func isInBlock(_ line: Int) -> Bool {
    for above in (max(0, line - 30)..<line).reversed() {
      let bytes = FrameLine.trimmed(text.bytes[text.lineRange(above)])
      if bytes.starts(with: "\"\"\"".utf8) {
        // The words that describe a function of Python follow its first line, and may begin beside the marks.
        return bytes.count > 3 && !bytes.dropFirst(3).ends(with: "\"\"\"") && above > 0
          && Self.isCode(FrameLine.trimmed(text.bytes[text.lineRange(above - 1)]))
      }
      if let label = Self.label(ofBlock: bytes) { return !isClosed(label, above..<line) }
      if bytes.ends(with: "\"\"\"") || bytes.ends(with: "r#\"") || bytes.ends(with: "#\"\"\"") {
        return Self.isDeclaration(bytes) || Self.hasCall(bytes)
      }
    }
    return false
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes of `word` are the last.
  func ends(with word: String) -> Bool { suffix(word.utf8.count).elementsEqual(word.utf8) }
}
