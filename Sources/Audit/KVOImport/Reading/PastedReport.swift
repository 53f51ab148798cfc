/// The part of a text that is an `.ips` report, as people paste it between their words or quote it in mail, and as log
/// collectors write it, which put words before each line.
///
/// Its sentences are read as text; only the stacks in it need this.
struct PastedReport {
  /// How far into the text the head may begin.
  private static let reach = 64 << 10
  /// A longer report is not kept.
  private static let limit = 16 << 20

  /// The text so far; from the head on, once there is one.
  private var bytes: [UInt8] = []
  private var hasHead = false
  private var isOver = false
  /// What is before its first line, and may be before each.
  private var leader: [UInt8] = []
  /// A collector's words before a line are no longer than that.
  private static let leaderLimit = 256
  /// Whether its quotation marks are entities of HTML.
  private var isEscaped = false
  /// The line of the input that it begins with.
  private var firstLine = 1

  mutating func append(_ text: ArraySlice<UInt8>) {
    if isOver { return }
    bytes += text
    if !hasHead {
      find()
      isOver = !hasHead && bytes.count > Self.reach
    } else {
      isOver = bytes.count > Self.limit
    }
    if isOver { bytes = [] }
  }

  /// The report, without the marks before its lines, and the line that it begins with; nil: there is none.
  mutating func finish() -> (bytes: [UInt8], firstLine: Int)? {
    // The last line may have no end.
    if !isOver, !hasHead { find(isEnd: true) }
    guard hasHead, !isOver else { return nil }
    if isEscaped { bytes = Self.unescaped(bytes[...]) }
    if leader.isEmpty { return (bytes, firstLine) }
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
    let next = lines.dropFirst().first { $0.contains { !$0.isBlank } } ?? []
    let strip = rest(next: next)
    let first = lines.prefix(1).map { $0.dropFirst(leader.count) }
    return (Array((first + lines.dropFirst().map(strip)).joined(separator: [0x0a])), firstLine)
  }

  /// How a line of the report is found in a line of the text, as far as the `next` one after the head shows: there the
  /// second document begins.
  private func rest(next: ArraySlice<UInt8>) -> (ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let leader = leader
    if leader.allSatisfy(Self.isMark) {
      let mark = FrameLine.trimmed(leader[...])
      return { line in
        let front = [leader[...], mark].first { line.starts(with: $0) } ?? []
        return line.dropFirst(front.count)
      }
    }
    // The time in a collector's words changes, and their length does not, or their form is a known one.
    if Self.beginsDocument(next) { return { $0 } }
    if Self.beginsDocument(next.dropFirst(leader.count)) { return { $0.dropFirst(leader.count) } }
    return { LogPrefix.rest(of: $0) ?? $0 }
  }

  /// Whether it may be a mark of a quotation, or a blank.
  private static func isMark(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == UInt8(ascii: ">") }

  private static func beginsDocument(_ line: ArraySlice<UInt8>) -> Bool {
    line.first { !$0.isBlank } == UInt8(ascii: "{")
  }

  /// Looks for the head, and keeps what is from it on.
  private mutating func find(isEnd: Bool = false) {
    var start = 0
    var line = 1
    while start < bytes.count, start <= Self.reach {
      let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
      if end == bytes.count, !isEnd { return }
      let isEscaped = FrameLine.first("&quot;bug_type&quot;", in: bytes[start..<end]) != nil
      let text = isEscaped ? Self.unescaped(bytes[start..<end])[...] : bytes[start..<end]
      if FrameLine.first("\"bug_type\"", in: text) != nil,
        let brace = FrameLine.first("{\"", in: text.prefix(Self.leaderLimit)),
        let tree = try? JSONTree(text[brace...]), AppleReport.isHead(tree)
      {
        hasHead = true
        firstLine = line
        self.isEscaped = isEscaped
        leader = Array(text[..<brace])
        bytes.removeSubrange(..<start)
        return
      }
      start = end + 1
      line += 1
    }
  }

  private static let entities: [(name: StaticString, byte: UInt8)] = [
    ("quot;", UInt8(ascii: "\"")), ("lt;", UInt8(ascii: "<")), ("gt;", UInt8(ascii: ">")),
    ("#39;", UInt8(ascii: "'")), ("amp;", UInt8(ascii: "&")),
  ]

  /// `text` with the characters that the entities of HTML stand for.
  ///
  /// - Complexity: O(length).
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "&"),
        let entity = entities.first(where: { entity in
          entity.name.withUTF8Buffer { rest.starts(with: $0) }
        })
      {
        result.append(entity.byte)
        rest = rest.dropFirst(entity.name.utf8CodeUnitCount)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
