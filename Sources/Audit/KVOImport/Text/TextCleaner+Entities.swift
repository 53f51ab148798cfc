/// Characters that are written in other ones: as entities of HTML, and with backslashes.
extension TextCleaner {
  /// The entities of HTML that crash texts have, each without its ampersand.
  static let entities: [(name: StaticString, byte: UInt8)] = [
    ("lt;", UInt8(ascii: "<")), ("gt;", UInt8(ascii: ">")), ("quot;", UInt8(ascii: "\"")),
    ("nbsp;", 0x20), ("apos;", UInt8(ascii: "'")), ("#39;", UInt8(ascii: "'")),
    ("#039;", UInt8(ascii: "'")), ("#34;", UInt8(ascii: "\"")), ("#x27;", UInt8(ascii: "'")),
    ("#x22;", UInt8(ascii: "\"")), ("#60;", UInt8(ascii: "<")), ("#62;", UInt8(ascii: ">")),
    ("#160;", 0x20), ("#xa0;", 0x20), ("ldquo;", UInt8(ascii: "\"")),
    ("rdquo;", UInt8(ascii: "\"")), ("lsquo;", UInt8(ascii: "'")), ("rsquo;", UInt8(ascii: "'")),
    ("#91;", UInt8(ascii: "[")), ("#93;", UInt8(ascii: "]")), ("#10;", 0x0a), ("#xa;", 0x0a),
    ("emsp;", 0x20), ("ensp;", 0x20), ("thinsp;", 0x20), ("#9;", 0x09), ("#40;", UInt8(ascii: "(")),
    ("#41;", UInt8(ascii: ")")), ("#47;", UInt8(ascii: "/")), ("colon;", UInt8(ascii: ":")),
  ]

  /// Resolves an entity, also one that was made an entity twice (`&amp;lt;`).
  mutating func takeEntity(_ text: inout CleanText) {
    var offset = 1
    while matches("amp;", at: offset) { offset += 4 }
    for entity in Self.entities where matches(entity.name, at: offset) {
      let count = offset + entity.name.utf8CodeUnitCount
      if entity.byte == 0x0a {
        position += count - 1
        endLine(&text, isCounted: false)
      } else if entity.byte == UInt8(ascii: "<"), text.bytes.last != UInt8(ascii: "`") {
        // It may be the tag that a second escaping hid: `&amp;lt;br&amp;gt;`.
        if matches("br", at: count), !at(count + 2).isNamePart {
          position += count + 2
          skipTagEnd()
          position -= 1
          endLine(&text, isCounted: false)
        } else {
          take(entity.byte, count: count, &text)
        }
      } else {
        take(entity.byte, count: count, &text)
      }
      return
    }
    if let character = numbered(at: offset) {
      takeCharacter(character.code, count: character.count, &text)
    } else {
      take(UInt8(ascii: "&"), count: offset, &text)
    }
  }

  /// The character at `offset` that is given by its number, `#8220;` or `#x201c;`, and where it ends.
  private func numbered(at offset: Int) -> (code: UInt32, count: Int)? {
    guard at(offset) == UInt8(ascii: "#") else { return nil }
    let isHexadecimal = at(offset + 1) | 0x20 == UInt8(ascii: "x")
    let start = offset + (isHexadecimal ? 2 : 1)
    var end = start
    var code: UInt32 = 0
    while end - start < 7, isHexadecimal ? at(end).isHexDigit : at(end).isASCIIDigit {
      code = code * (isHexadecimal ? 16 : 10) + UInt32(hex(at(end)))
      end += 1
    }
    guard end > start, at(end) == UInt8(ascii: ";") else { return nil }
    return (code, end + 1)
  }

  /// Takes the character of this number, for which `count` bytes stand, like the character itself.
  private mutating func takeCharacter(_ code: UInt32, count: Int, _ text: inout CleanText) {
    position += count
    switch code {
    case 0x0a, 0x2028, 0x2029:
      text.endLine(next: line)
      isAtLineStart = true
    case 0x1b: position = TerminalEscape.end(in: source, from: position)
    case 0x2018...0x201b, 0x2032, 0x2039, 0x203a: text.append(UInt8(ascii: "'"))
    case 0x201c...0x201f, 0x2033, 0xab, 0xbb: text.append(UInt8(ascii: "\""))
    case 0x2010...0x2015: text.append(UInt8(ascii: "-"))
    case 0x2026: for _ in 0..<3 { text.append(UInt8(ascii: ".")) }
    case 0x20..<0x7f: take(UInt8(code), count: 0, &text)
    case 0x0d, 0xad, 0x200b...0x200f, 0x202a...0x202e, 0xfeff: break
    case ..<0xa1, 0x2000...0x200a, 0x202f: text.append(0x20)
    default:
      // Half of a character has no encoding.
      for byte in String(Unicode.Scalar(code) ?? " ").utf8 { text.append(byte) }
    }
  }

  private mutating func skipTagEnd() {
    var count = 0
    while position < source.endIndex, count < 8 {
      if source[position] == UInt8(ascii: ">") {
        position += 1
        return
      }
      if matches("&amp;gt;", at: 0) { position += 8; return }
      if matches("&gt;", at: 0) { position += 4; return }
      guard source[position] == 0x20 || source[position] == UInt8(ascii: "/") else { return }
      position += 1
      count += 1
    }
  }

  /// Resolves backslash escapes of source code, JSON and Markdown.
  mutating func takeEscape(_ text: inout CleanText) {
    var offset = 1
    // The longest run of backslashes that is intentional: a string in a string in a string.
    while offset < 8, at(offset) == UInt8(ascii: "\\") { offset += 1 }
    switch at(offset) {
    case UInt8(ascii: "n"):
      position += offset
      endLine(&text, isCounted: false)
    case UInt8(ascii: "t"): take(0x09, count: offset + 1, &text)
    case UInt8(ascii: "r"): position += offset + 1
    case UInt8(ascii: "u") where isUnicodeEscape(at: offset + 1):
      let code = (offset + 1...offset + 4).reduce(UInt32(0)) { $0 << 4 | UInt32(hex(at($1))) }
      takeCharacter(code, count: offset + 5, &text)
    default:
      position += offset
      if at(0) == 0x0a || at(0) == 0x0d { text.markContinued() }
    }
  }

  private func isUnicodeEscape(at offset: Int) -> Bool {
    (offset..<offset + 4).allSatisfy { at($0).isHexDigit }
  }

  private func hex(_ byte: UInt8) -> UInt8 {
    byte.isASCIIDigit ? byte - 0x30 : (byte | 0x20) - 0x57
  }
}
