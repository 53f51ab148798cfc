import KVOTrace
import KVOTraceJSON

/// Makes lines that are nearly canonical: each one comes from a random event and was damaged, or
/// spelled differently, at a few positions.
struct HostileLines {
  private var source: RandomEvents

  init(seed: UInt64) { source = RandomEvents(seed: seed) }

  mutating func line() -> [UInt8] {
    let kind = Int.random(in: 0..<RandomEvents.bodyCount, using: &source.random)
    let event = source.event(kind: kind)
    var line: [UInt8] = []
    JSONLinesWriter.append(event, names: source.names, to: &line)
    line.removeLast()
    for _ in 0..<Int.random(in: 0...2, using: &source.random) { change(&line) }
    return line
  }

  /// A line end, mostly the ordinary one.
  mutating func end() -> [UInt8] { pick([[0x0a], [0x0a], [0x0a], [0x0d, 0x0a], [0x0d]]) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &source.random)]
  }

  private mutating func change(_ line: inout [UInt8]) {
    guard !line.isEmpty else { return }
    let place = Int.random(in: line.indices, using: &source.random)
    switch Int.random(in: 0..<12, using: &source.random) {
    case 0: line[place] ^= 1 << UInt8.random(in: 0..<8, using: &source.random)
    case 1: line[place] = UInt8.random(in: 0...255, using: &source.random)
    case 2: line.remove(at: place)
    case 3: line.removeSubrange(place...)
    case 4: line.insert(contentsOf: pick([" ", "\t", " \t ", "\u{feff}"]).utf8, at: place)
    case 5: moveMember(in: &line)
    case 6: insertMember(into: &line)
    case 7: escape(in: &line)
    case 8, 9: replaceValue(in: &line)
    case 10: insertIntoText(of: &line)
    default: line.append(contentsOf: pick(["}", " ", "\t ", ",", "x", "{}"]).utf8)
    }
  }

  // MARK: Members

  /// The starts of members of the line, or of a value in it: the commas before a key.
  private func members(of line: [UInt8]) -> [Int] {
    line.indices.dropLast().filter {
      line[$0] == UInt8(ascii: ",") && line[$0 + 1] == UInt8(ascii: "\"")
    }
  }

  /// Puts what stands between two keys somewhere else, or there as well.
  private mutating func moveMember(in line: inout [UInt8]) {
    let places = members(of: line)
    guard places.count >= 2 else { return }
    let at = Int.random(in: 0..<places.count - 1, using: &source.random)
    let member = Array(line[places[at]..<places[at + 1]])
    if Bool.random(using: &source.random) { line.removeSubrange(places[at]..<places[at + 1]) }
    let others = members(of: line)
    guard !others.isEmpty else { return }
    line.insert(contentsOf: member, at: pick(others))
  }

  private mutating func insertMember(into line: inout [UInt8]) {
    let places = members(of: line)
    guard !places.isEmpty else { return }
    let key = pick([
      "color", "t", "thread", "event", "class", "id", "address", "stack", "context", "kind", "",
      "schema", "\u{212a}ind", "keyPath\u{301}",
    ])
    line.insert(contentsOf: Array(",\"\(key)\":\(value())".utf8), at: pick(places))
  }

  // MARK: Values

  private mutating func value() -> String {
    pick([
      "null", "true", "false", "0", "1", "-1", "-0", "007", "1e3", "1E400", "7.0", "1.5", "+1",
      "0x10",
      "9007199254740993", "4611686018427387903", "4611686018427387904", "9223372036854775807",
      "9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775808",
      String(repeating: "9", count: 400), "\"\"", "\"0\"", "\"7\"", "\"07\"", "\"0x0\"", "\"0X00\"",
      "\"0x\"", "\"0x10\"", "\"\\u0030\"", "\"\\u0031\\u0032\"", "\"4611686018427387904\"",
      "\"nil\u{212a}eyPath\"", "\"e\u{301}\"", "\"\u{e9}\"", "\"12\u{301}\"", "\"f (a.swift:3)\"",
      "[]", "[[]]", "{}", "[\"new\",\"new\"]", "[\"0xAbCdEf\"]", "[\"0x00000000000000001\"]",
      "[{}]",
      "[null]", "[1,2]", "[{\"line\":4294967296}]", "[{\"symbol\":\"]\"}]", "{\"class\":\"A\"}",
      "{\"id\":\"1\",\"class\":\"A\"}", "{\"class\":\"A\",\"address\":\"0x10\"}",
      "{\"class\":\"A\",\"id\":\"1\",\"kind\":\"object\"}", "{\"class\":\"\",\"id\":\"1\"}",
      String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
      String(repeating: "{\"a\":", count: 300) + "1" + String(repeating: "}", count: 300),
    ])
  }

  /// Puts another value after one of the colons.
  private mutating func replaceValue(in line: inout [UInt8]) {
    let colons = line.indices.dropFirst().filter {
      line[$0] == UInt8(ascii: ":") && line[$0 - 1] == UInt8(ascii: "\"")
    }
    guard !colons.isEmpty else { return }
    let start = pick(colons) + 1
    let end = line[start...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
    line.replaceSubrange(start..<(end ?? line.endIndex), with: value().utf8)
  }

  // MARK: Texts

  /// Spells an ordinary letter as an escape.
  private mutating func escape(in line: inout [UInt8]) {
    let letters = line.indices.filter {
      UInt8(ascii: "0")...UInt8(ascii: "z") ~= line[$0] && line[$0] != UInt8(ascii: "\\")
    }
    guard !letters.isEmpty else { return }
    let place = pick(letters)
    let digits = String(line[place], radix: 16, uppercase: Bool.random(using: &source.random))
    line.replaceSubrange(place...place, with: "\\u00\(digits)".utf8)
  }

  /// Puts bytes into a text that are wrong there, or only look so.
  private mutating func insertIntoText(of line: inout [UInt8]) {
    let quotes = line.indices.filter { line[$0] == UInt8(ascii: "\"") }
    guard !quotes.isEmpty else { return }
    let bytes: [[UInt8]] = [
      [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80],
      [0xed, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0x80], [0xbf], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xff], [0xfe],
      [0xc2, 0x80], [0xdf, 0xbf], [0xe0, 0xa0, 0x80], [0xed, 0x9f, 0xbf], [0xee, 0x80, 0x80],
      [0xef, 0xbf, 0xbe], [0xef, 0xbf, 0xbf], [0xef, 0xb7, 0x90], [0xef, 0xbb, 0xbf],
      [0xf0, 0x90, 0x80, 0x80], [0xf4, 0x8f, 0xbf, 0xbf], [0xe2, 0x80, 0xa8], [0xcc, 0x81],
      [0], [1], [0x1f], [0x7f], [0x08], [0x09],
      Array(#"\ud800"#.utf8), Array(#"\udc00"#.utf8), Array(#"\ud83d\ude00"#.utf8),
      Array(#"\uD83D\u0041"#.utf8), Array(#"\ud83d\ud83d\ude00"#.utf8), Array(#"\u0000"#.utf8),
      Array(#"\uffff"#.utf8), Array(#"\ufeff"#.utf8), Array(#"\u00g0"#.utf8), Array(#"\u12"#.utf8),
      Array(#"\U0041"#.utf8), Array(#"\x41"#.utf8), Array(#"\"#.utf8), Array(#"\\"#.utf8),
      Array(#"\/"#.utf8), Array(#"\b\f\n\r\t\""#.utf8), Array(#"\'"#.utf8), Array(#"\a"#.utf8),
      Array("]".utf8), Array(String(repeating: "long ", count: 30).utf8),
    ]
    line.insert(contentsOf: pick(bytes), at: pick(quotes) + 1)
  }
}
