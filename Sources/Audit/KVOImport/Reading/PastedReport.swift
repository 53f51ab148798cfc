/// The part of a text that is an `.ips` report, as people paste it between their words, or quote it in mail.
///
/// Its sentences are read as text; only the stacks in it need this.
struct PastedReport {
  /// Where the head of the report is at most.
  private static let reach = 64 << 10
  /// A longer report is not kept.
  private static let limit = 16 << 20

  /// The text so far; from the head on, once there is one.
  private var bytes: [UInt8] = []
  private var hasHead = false
  private var isOver = false
  /// What is before each line of it, as the marks of a quotation.
  private var leader: [UInt8] = []
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
    if leader.isEmpty { return (bytes, firstLine) }
    let mark = FrameLine.trimmed(leader[...])
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
      line.starts(with: leader)
        ? line.dropFirst(leader.count) : line.starts(with: mark) ? line.dropFirst(mark.count) : line
    }
    return (Array(lines.joined(separator: [0x0a])), firstLine)
  }

  /// Looks for the head, and keeps what is from it on.
  private mutating func find(isEnd: Bool = false) {
    var start = 0
    var line = 1
    while start < bytes.count, start <= Self.reach {
      let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
      if end == bytes.count, !isEnd { return }
      let text = bytes[start..<end]
      let mark = text.prefix { $0 <= 0x20 || $0 == UInt8(ascii: ">") }
      let head = text.dropFirst(mark.count)
      if head.starts(with: "{\"".utf8), FrameLine.first("\"bug_type\"", in: head) != nil,
        let tree = try? JSONTree(head), AppleReport.isHead(tree)
      {
        hasHead = true
        firstLine = line
        leader = Array(mark)
        bytes.removeSubrange(..<start)
        return
      }
      start = end + 1
      line += 1
    }
  }
}
