/// Replaces each record of a log in a stream of text by the line that a program printed.
///
/// A record takes one line before and after, so that the numbers of lines remain. Memory is bounded by ``limit``.
struct RecordLines {
  /// A longer line is passed on as it is.
  private static let limit = 1 << 20
  /// How much may be before a record in its line.
  private static let leaderLimit = 256

  /// The end of the text so far, which is not a whole line.
  private var rest: [UInt8] = []
  /// How many line ends were left out, because a message went on in the next record.
  private var owedLineCount = 0
  /// Whether the line whose end comes next is longer than the limit.
  private var isLong = false

  /// The next piece with its records replaced.
  ///
  /// - Complexity: O(length).
  mutating func append(_ text: ArraySlice<UInt8>) -> [UInt8] {
    guard let last = text.lastIndex(of: 0x0a) else {
      rest += text
      if isLong || rest.count > Self.limit {
        isLong = true
        defer { rest = [] }
        return rest
      }
      return []
    }
    let lines = rest + text[...last]
    rest = Array(text[(last + 1)...])
    return replaced(lines)
  }

  mutating func finish() -> [UInt8] {
    defer { rest = [] }
    return replaced(rest)
  }

  private mutating func replaced(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var done = 0
    var position = 0
    if isLong {
      position = (text.firstIndex(of: 0x0a) ?? text.count - 1) + 1
      isLong = false
    }
    var marks = Marks(text, from: position)
    while let mark = marks.next(from: position) {
      var start = mark
      while start > done, text[start - 1] != 0x0a { start -= 1 }
      let end = text[mark...].firstIndex(of: 0x0a) ?? text.count
      position = end
      guard let line = Self.line(text[start..<end], mark: mark) else { continue }
      add(text[done..<start], to: &result)
      result += line.bytes
      done = end
      if !line.isEnded, end < text.count {
        owedLineCount += 1
        done += 1
      }
    }
    if result.isEmpty, owedLineCount == 0, done == 0 { return text }
    add(text[done...], to: &result)
    return result
  }

  /// Adds text between records, with the line ends that were left out at its first.
  private mutating func add(_ text: ArraySlice<UInt8>, to result: inout [UInt8]) {
    guard owedLineCount > 0, let end = text.firstIndex(of: 0x0a) else {
      result += text
      return
    }
    result += text[...end]
    result += Array(repeating: 0x0a, count: owedLineCount)
    owedLineCount = 0
    result += text[(end + 1)...]
  }

  /// Where records and service messages may begin in a text, each searched for once.
  private struct Marks {
    private let text: [UInt8]
    private var record: Int?
    private var message: Int?

    init(_ text: [UInt8], from start: Int) {
      self.text = text
      record = Self.first("{\"", in: text, from: start)
      message = Self.first(ServiceMessage.mark, in: text, from: start)
    }

    /// The first at or after `start`, which never decreases.
    mutating func next(from start: Int) -> Int? {
      if let record, record < start { self.record = Self.first("{\"", in: text, from: start) }
      if let message, message < start {
        self.message = Self.first(ServiceMessage.mark, in: text, from: start)
      }
      return [record, message].compactMap(\.self).min()
    }

    private static func first(_ word: StaticString, in text: [UInt8], from start: Int) -> Int? {
      WordScanner.first(word, in: text, from: start, to: text.count)
    }
  }

  /// The text of the record at `mark` of `line`, after what a log put before the record.
  private static func line(
    _ line: ArraySlice<UInt8>,
    mark: Int
  ) -> (bytes: [UInt8], isEnded: Bool)? {
    let leader = line[..<mark]
    guard leader.count <= leaderLimit, line.count <= limit, !leader.contains(where: isCode) else {
      return nil
    }
    if line[mark] == UInt8(ascii: "#") {
      return (leader + ServiceMessage.text(of: line, from: mark), true)
    }
    guard let last = line.last(where: { $0 > 0x20 }), last == UInt8(ascii: "}"),
      let tree = try? JSONTree(line[mark...]), line[tree.end...].allSatisfy({ $0 <= 0x20 }),
      let message = LogRecord.message(tree)
    else { return nil }
    let text = LogRecord.line(tree, message: message)
    // Only a container's runtime divides a line, and it keeps the line ends that were printed.
    return (leader + text.bytes, text.isEnded || !tree.isKey(Int(tree.nodes[message].key), "log"))
  }

  /// Whether the byte is one of source code, in which the object is a literal.
  private static func isCode(_ byte: UInt8) -> Bool {
    "\"'`=(@".utf8.contains(byte)
  }

  /// Whether `text`, which begins an input, begins with a record in a line of its own.
  static func begin(_ text: ArraySlice<UInt8>) -> Bool {
    let text = text.starts(with: [0xef, 0xbb, 0xbf]) ? text.dropFirst(3) : text
    let line = text.prefix(limit).prefix { $0 != 0x0a }
    return line.endIndex < text.endIndex && line.first == UInt8(ascii: "{")
      && Self.line(line, mark: line.startIndex) != nil
  }
}
