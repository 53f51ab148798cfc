/// Removes the damage from a passage, byte by byte.
///
/// Every rule looks at most a few bytes ahead, so that a line of any length costs a linear scan.
struct TextCleaner {
  let source: ArraySlice<UInt8>
  var position: Int
  private(set) var line: Int
  var isAtLineStart = true
  /// Whether a comment of C is open over several lines.
  private var isInComment = false
  /// Whether the line before had the leader of a script's comment.
  private var isAfterComment = false
  /// Whether the text is encoded as mail is.
  private let isQuotedPrintable: Bool
  /// What an unknown tool puts before each line.
  private let leaders: [LineLeader]

  init(source: ArraySlice<UInt8>, line: Int, leaders: [LineLeader]) {
    self.source = source
    isQuotedPrintable = QuotedPrintable.isUsed(in: source)
    self.leaders = leaders
    position = source.startIndex
    self.line = line
  }

  mutating func clean(into text: inout CleanText) {
    while position < source.endIndex {
      if isAtLineStart {
        takeLeader(&text)
        if isScriptComment() { text.markComment() }
        skipLeaders(&text)
        isAtLineStart = false
        takeLogPrefix(&text)
        skipNumber(into: &text)
        continue
      }
      let byte = source[position]
      if byte.isASCIILetter || byte.isASCIIDigit {
        text.appendLetter(byte)
        position += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "*") where isInComment && at(1) == UInt8(ascii: "/"):
        isInComment = false
        position += 2
      case UInt8(ascii: "/") where opensComment(after: text.bytes):
        isInComment = true
        take(byte, count: 1, &text)
      case 0x0a: endLine(&text, isCounted: true)
      case 0x0d:
        // A lone carriage return is an old line end; before a line feed it is half of one.
        if at(1) == 0x0a { position += 1 }
        endLine(&text, isCounted: true)
      case UInt8(ascii: "=") where isQuotedPrintable: takeQuoted(&text)
      case UInt8(ascii: "&"): takeEntity(&text)
      case UInt8(ascii: "\\"): takeEscape(&text)
      case UInt8(ascii: "<"): takeTag(&text)
      case 0x1b: position = TerminalEscape.end(in: source, from: position + 1)
      case 0xc2 where at(1) == 0xa0: take(0x20, count: 2, &text)
      case 0xc2 where at(1) == 0xad: position += 2
      case 0xc2 where at(1) == 0xab || at(1) == 0xbb:
        take(UInt8(ascii: "\""), count: 2, &text)
      case 0xe2 where at(1) == 0x80: takeTypography(&text)
      case 0xef where at(1) == 0xbb && at(2) == 0xbf: position += 3
      case 0xef where at(1) == 0xbc: takeFullWidth(&text)
      case 0x00..<0x20 where byte != 0x09: position += 1
      default:
        text.append(byte)
        position += 1
      }
    }
  }

  /// Whether a comment of C begins here, after code on its line: a path has no blanks around these signs.
  private func opensComment(after bytes: [UInt8]) -> Bool {
    guard at(1) == UInt8(ascii: "*"),
      isLeaderEnd(at(2)) || at(2) == 0x0a || at(2) == UInt8(ascii: "*"),
      bytes.last?.isBlank == true, let code = bytes.suffix(80).last(where: { !$0.isBlank })
    else { return false }
    return ";{}),".utf8.contains(code)
  }

  /// Joins a line that mail broke, and decodes a byte.
  private mutating func takeQuoted(_ text: inout CleanText) {
    let lineEnd = at(1) == 0x0d ? 2 : 1
    if at(lineEnd) == 0x0a {
      position += lineEnd + 1
      line += 1
    } else if let byte = QuotedPrintable.byte(at(1), at(2)) {
      // Of other characters, only quotation marks and spaces occur in a sentence, where any sign may replace them.
      take(byte < 0x80 && byte >= 0x20 ? byte : 0x20, count: 3, &text)
    } else {
      take(UInt8(ascii: "="), count: 1, &text)
    }
  }

  func at(_ offset: Int) -> UInt8 {
    position + offset < source.endIndex ? source[position + offset] : 0
  }

  mutating func take(_ byte: UInt8, count: Int, _ text: inout CleanText) {
    if byte.isASCIILetter || byte.isASCIIDigit {
      text.appendLetter(byte)
    } else {
      text.append(byte)
    }
    position += count
  }

  mutating func endLine(_ text: inout CleanText, isCounted: Bool) {
    if isCounted { line += 1 }
    text.endLine(next: line)
    position += 1
    isAtLineStart = true
  }

  // MARK: - The start of a line

  /// Skips the line prefixes of comments, quotations, diffs and tables.
  private mutating func skipLeaders(_ text: inout CleanText) {
    if isInComment { text.markComment() }
    while position < source.endIndex {
      let byte = source[position]
      switch byte {
      case 0x20, 0x09: position += 1
      case 0x1b: position = TerminalEscape.end(in: source, from: position + 1)
      case UInt8(ascii: "*") where at(1) == UInt8(ascii: "/") && isInComment:
        isInComment = false
        position += 2
      case UInt8(ascii: "/") where at(1) == UInt8(ascii: "/") || at(1) == UInt8(ascii: "*"):
        text.markComment()
        isInComment = isInComment || at(1) == UInt8(ascii: "*")
        position += 2
      case UInt8(ascii: "/") where isLeaderEnd(at(1)): position += 1
      case UInt8(ascii: "*"), UInt8(ascii: "|"), UInt8(ascii: ">"), UInt8(ascii: "!"):
        position += 1
      case UInt8(ascii: "#") where !at(1).isASCIIDigit: position += 1
      case UInt8(ascii: "&"):
        // A quotation whose marks were made entities, once or twice.
        var count = 1
        while matches("amp;", at: count) { count += 4 }
        guard matches("gt;", at: count) else { return }
        position += count + 3
      case UInt8(ascii: "-"), UInt8(ascii: "+"):
        // A method's name begins with these, too (`-[Meter level]`), and a number with a minus.
        let isAdded =
          byte == UInt8(ascii: "+") && (at(1).isASCIILetter || at(1).isASCIIDigit)
          || at(1) == UInt8(ascii: "/") && at(2) == UInt8(ascii: "/")
        guard isLeaderEnd(at(1)) || isAdded else { return }
        position += 1
      case UInt8(ascii: ";") where at(1) == 0x20 || at(1) == UInt8(ascii: ";"): position += 1
      default: return
      }
    }
  }

  /// Whether the line is a comment as Python and shells have them: one number sign and a blank, indented or beside another
  /// such line.
  ///
  /// A heading of Markdown is neither.
  private mutating func isScriptComment() -> Bool {
    let line = source[position...].prefix(Self.commentReach)
    let words = line.drop(while: \.isBlank)
    let wasComment = isAfterComment
    isAfterComment = Self.isNumberSign(words)
    guard isAfterComment else { return false }
    if wasComment || words.startIndex > line.startIndex + 1 || line.first == 0x09 { return true }
    guard let end = line.firstIndex(where: { $0 == 0x0a || $0 == 0x0d }) else { return false }
    let next = source[(end + 1)...]
    return Self.isNumberSign(next.first == 0x0a ? next.dropFirst() : next)
  }

  /// How many bytes of a line with a number sign are searched for its end.
  private static let commentReach = 400

  private static func isNumberSign(_ line: ArraySlice<UInt8>) -> Bool {
    line.first == UInt8(ascii: "#") && line.dropFirst().first?.isBlank == true
  }

  private func isLeaderEnd(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Takes what an unknown tool put before the line out of the text.
  private mutating func takeLeader(_ text: inout CleanText) {
    let line = source[position...].prefix(300)
    guard let rest = leaders.lazy.compactMap({ $0.rest(of: line) }).first else { return }
    text.appendLogPrefix(source[position..<rest.startIndex])
    position = rest.startIndex
  }

  /// Takes what a log put before the line out of the text, in which a sentence may go on from the line before.
  private mutating func takeLogPrefix(_ text: inout CleanText) {
    guard LogPrefix.mayBegin(source[position...]) else { return }
    let head = source[position...].prefix(300).prefix { $0 != 0x0a && $0 != 0x0d }
    guard let rest = LogPrefix.rest(of: head), !rest.isEmpty else { return }
    text.appendLogPrefix(source[position..<rest.startIndex])
    position = rest.startIndex
    skipLeaders(&text)
  }

  /// Keeps a number at the start of a line out of the skeleton: that of the line, or of a frame.
  private mutating func skipNumber(into text: inout CleanText) {
    var end = position
    while end < source.endIndex, source[end].isASCIIDigit, end - position < 6 { end += 1 }
    guard end > position, end < source.endIndex else { return }
    let next = source[end]
    let isNumber =
      next == 0x20 || next == 0x09 || next == UInt8(ascii: ":") || next == UInt8(ascii: "|")
      || next == UInt8(ascii: ".") || next == UInt8(ascii: ")")
    guard isNumber else { return }
    while position < end {
      text.append(source[position])
      position += 1
    }
    // The number of a line is followed by a leader again, as in `12: // text` and `12 | text`.
    if next == UInt8(ascii: ":") || next == UInt8(ascii: "|") {
      text.append(next)
      position += 1
      let start = position
      skipLeaders(&text)
      if position > start { text.append(0x20) }
    }
  }

  // MARK: - In a line

  private static let blocks: [StaticString] = ["br", "p", "div", "li", "tr", "pre", "ul", "ol"]
  private static let inlines: [StaticString] = [
    "span", "code", "b", "i", "em", "strong", "a", "td", "th", "font", "tt", "u", "s", "table",
    "tbody", "blockquote", "mark", "kbd", "samp", "h1", "h2", "h3", "h4", "small", "wbr",
  ]

  /// Drops a tag of HTML; any other angle bracket, above all that of an object, is kept.
  private mutating func takeTag(_ text: inout CleanText) {
    let offset = at(1) == UInt8(ascii: "/") ? 2 : 1
    if let name = Self.blocks.first(where: { isTag($0, at: offset) }) {
      let isBreak = matches("br", at: offset)
      skipTag(offset + name.utf8CodeUnitCount)
      // The line of the source ends here, too: a browser shows one end.
      if isBreak, at(0) == 0x0a || at(0) == 0x0d { return }
      text.endLine(next: line)
    } else if !isCapitalized(at: offset),
      let name = Self.inlines.first(where: { isTag($0, at: offset) })
    {
      // Nothing else need be between two cells of a row.
      let isCell = matches("td", at: offset) || matches("th", at: offset)
      skipTag(offset + name.utf8CodeUnitCount)
      if isCell { text.append(0x20) }
    } else {
      take(UInt8(ascii: "<"), count: 1, &text)
    }
  }

  private func isTag(_ name: StaticString, at offset: Int) -> Bool {
    guard matches(name, at: offset) else { return false }
    let next = at(offset + name.utf8CodeUnitCount)
    if next == UInt8(ascii: ">") || next == UInt8(ascii: "/") { return true }
    // With attributes: an object's description has an address there and no equals sign.
    guard next == 0x20, at(offset + name.utf8CodeUnitCount + 1).isASCIILetter else {
      return next == 0x20 && at(offset + name.utf8CodeUnitCount + 1) == UInt8(ascii: "/")
    }
    for distance in 1..<32 {
      switch at(offset + name.utf8CodeUnitCount + distance) {
      case UInt8(ascii: "="): return true
      case UInt8(ascii: ">"), 0x0a, 0: return false
      default: break
      }
    }
    return false
  }

  /// Whether a name begins here as a class's does, which may have lost its address: `<Table>`, `<Mark>`.
  private func isCapitalized(at offset: Int) -> Bool {
    (0x41...0x5a).contains(at(offset)) && (0x61...0x7a).contains(at(offset + 1))
  }

  private mutating func skipTag(_ offset: Int) {
    position += offset
    var count = 0
    while position < source.endIndex, count < 512 {
      let byte = source[position]
      if byte == 0x0a { return }
      position += 1
      count += 1
      if byte == UInt8(ascii: ">") { return }
    }
  }

  /// Straightens quotation marks and dashes; drops zero-width characters.
  private mutating func takeTypography(_ text: inout CleanText) {
    switch at(2) {
    case 0x98, 0x99, 0x9a, 0x9b, 0xb2, 0xb9, 0xba: take(UInt8(ascii: "'"), count: 3, &text)
    case 0x9c, 0x9d, 0x9e, 0x9f, 0xb3: take(UInt8(ascii: "\""), count: 3, &text)
    case 0x90...0x95: take(UInt8(ascii: "-"), count: 3, &text)
    case 0x80...0x8a, 0xaf: take(0x20, count: 3, &text)
    case 0x8b...0x8f, 0xaa...0xae: position += 3
    case 0xa8, 0xa9:
      position += 2
      endLine(&text, isCounted: false)
    default:
      text.append(0xe2)
      position += 1
    }
  }

  /// Converts full-width forms from input methods to ASCII: `＂`, `：`, `＜`.
  private mutating func takeFullWidth(_ text: inout CleanText) {
    guard at(2) >= 0x81, at(2) <= 0xbf else {
      text.append(0xef)
      position += 1
      return
    }
    take(at(2) - 0x60, count: 3, &text)
  }

  func matches(_ name: StaticString, at offset: Int) -> Bool {
    guard position + offset + name.utf8CodeUnitCount <= source.endIndex else { return false }
    for index in 0..<name.utf8CodeUnitCount
    where source[position + offset + index].lowercasedASCII != name.utf8Start[index] {
      return false
    }
    return true
  }
}
