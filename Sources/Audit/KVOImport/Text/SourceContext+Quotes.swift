/// String literals in other marks than those of C, and the code around literals of any kind.
extension SourceContext {
  /// Whether the words between `before` and `after` are in single quotation marks or backticks, with the code that uses
  /// such a literal around them.
  ///
  /// A runtime puts the reason of an exception into single marks, after a colon; Markdown puts it into backticks.
  func isQuoted(_ before: ArraySlice<UInt8>, after: ArraySlice<UInt8>) -> Bool {
    guard
      let open = before.lastIndex(where: { $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "`") }),
      before.endIndex - open <= Self.reach, let close = after.lastIndex(of: before[open])
    else { return false }
    var code = before[..<open]
    // A raw string or bytes of Python.
    if let mark = code.last, "rbfu".utf8.contains(mark), code.dropLast().last?.isNamePart != true {
      code = code.dropLast()
    }
    code = FrameLine.trimmed(code)
    let tail = FrameLine.trimmed(after[(close + 1)...])
    if Self.isCommand(code) || Self.isConstant(code) { return true }
    switch code.last {
    case UInt8(ascii: "("):
      return tail.first == UInt8(ascii: ")")
        && (Self.isCall(code.dropLast()) || Self.isMade(code.dropLast()))
    // Test runners describe an exception so: `NSException { name=NSRangeException; reason='…'; userInfo=(null) }`.
    case UInt8(ascii: "=") where code.ends(with: "; reason="): return false
    case UInt8(ascii: "="), UInt8(ascii: "+"):
      return tail.first == UInt8(ascii: ";") || Self.isDeclaration(code)
    default: return code.ends(with: "return")
    }
  }

  /// How far before its sentence a literal may begin.
  private static let reach = 120

  /// Whether `code` is a command or a keyword whose argument is a literal: `grep -q`, `assert`.
  static func isCommand(_ code: ArraySlice<UInt8>) -> Bool {
    if ["assert", "echo", "msgid", "msgstr", "throw", "raise", "print", "puts"].contains(where: {
      code.elementsEqual($0.utf8)
    }) {
      return true
    }
    // Options may be between the command and its argument.
    let words = code.split(separator: 0x20)
    return words.first.map {
      ["grep", "egrep", "rg", "ack"].contains(String(decoding: $0, as: UTF8.self))
    } == true
      && words.dropFirst().allSatisfy { $0.first == UInt8(ascii: "-") }
  }

  /// Whether `code` assigns to a constant that is named as scripts name theirs: `MSG =`.
  static func isConstant(_ code: ArraySlice<UInt8>) -> Bool {
    guard code.last == UInt8(ascii: "=") else { return false }
    let name = FrameLine.trimmed(code.dropLast())
    return name.count > 1 && name.contains(where: \.isASCIILetter)
      && name.allSatisfy {
        (0x41...0x5a).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "_")
      }
  }

  /// Whether `code` makes an object of a literal: `throw new Exception`, or a row of a table: `INSERT INTO a VALUES`.
  static func isMade(_ code: ArraySlice<UInt8>) -> Bool {
    if code.starts(with: "throw ".utf8) || code.starts(with: "INSERT INTO ".utf8) { return true }
    let words = code.split(separator: 0x20)
    return words.count > 1 && words[words.count - 2].elementsEqual("new".utf8)
  }

  /// The word that ends a literal of several lines that begins after `line`, as shells and Ruby have them: `<<~EOS`.
  static func label(ofBlock line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let start = FrameLine.first("<<", in: line) else { return nil }
    let rest = line[(start + 2)...].drop { "~-'\"".utf8.contains($0) }
    let label = rest.prefix { (0x41...0x5a).contains($0) || $0 == UInt8(ascii: "_") }
    let end = FrameLine.trimmed(rest.dropFirst(label.count).drop { "'\"".utf8.contains($0) })
    return label.count > 1 && end.isEmpty ? label : nil
  }

  /// Whether one of `lines` is `label` alone.
  func isClosed(_ label: ArraySlice<UInt8>, _ lines: Range<Int>) -> Bool {
    lines.contains { FrameLine.trimmed(text.bytes[text.lineRange($0)]).elementsEqual(label) }
  }
}
