/// Finds the reports of kvo-audit in a text, as the log of a build service has them: their findings are not new crashes.
enum OwnReport {
  /// What every heading of a finding has.
  private static let mark: StaticString = " KVOSafety: "
  private static let headings: [StaticString] = ["WARNING: KVOSafety: ", "NOTE: KVOSafety: "]
  /// The labels of the lines that follow the signature of a finding.
  private static let trailers = [
    "Why: ", "Systems: ", "Find: ", "Exception: ", "Options: ", "Registered: ",
    "Masked in the text: ", "In: ",
    "Held: ", "Log: ", "Seen: ",
  ]
  /// No finding has more lines before its signature.
  private static let lineLimit = 400

  /// `bytes` without the lines of findings, of which only the line ends remain; nil: there is none.
  ///
  /// - Complexity: O(length).
  static func removed(from bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard FrameLine.first(mark, in: bytes) != nil else { return nil }
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
    var isOwn = Array(repeating: false, count: lines.count)
    var line = 0
    while line < lines.count {
      let end = end(of: line, in: lines)
      for index in line..<end { isOwn[index] = true }
      line = max(end, line + 1)
    }
    guard isOwn.contains(true) else { return nil }
    return Array(zip(lines, isOwn).map { $1 ? [] : $0 }.joined(separator: [0x0a]))
  }

  /// The line after the finding that begins at `line`; `line` itself if none does.
  private static func end(of line: Int, in lines: [ArraySlice<UInt8>]) -> Int {
    guard let leader = leader(of: lines[line]) else { return line }
    var end = line + 1
    var signature: Int?
    // What the library prints while a program runs has no signature, and ends at the first line that is not indented.
    while end < lines.count, end - line < lineLimit, let content = content(of: lines[end], leader) {
      if content.starts(with: "Signature: ".utf8) {
        signature = end
        break
      }
      end += 1
    }
    guard let signature else { return end }
    end = signature + 1
    while end < lines.count, let content = content(of: lines[end], leader),
      trailers.contains(where: { content.starts(with: $0.utf8) })
    {
      end += 1
    }
    return end
  }

  /// How many bytes a log put before the heading of a finding; nil: the line is none.
  ///
  /// The heading ends with the code and the name of its rule, in parentheses.
  private static func leader(of line: ArraySlice<UInt8>) -> Int? {
    guard let start = headings.lazy.compactMap({ FrameLine.first($0, in: line) }).first,
      let rule = FrameLine.first(" (KVO", in: line[start...]),
      line[(rule + 5)...].prefix(3).allSatisfy(\.isASCIIDigit)
    else { return nil }
    return start - line.startIndex
  }

  /// The words of a line of a finding, which is indented after what a log put before it; nil: it is not.
  private static func content(of line: ArraySlice<UInt8>, _ leader: Int) -> ArraySlice<UInt8>? {
    let rest = line.dropFirst(leader)
    if rest.starts(with: [0x20, 0x20]) { return FrameLine.trimmed(rest) }
    // The time of a log may change its length.
    guard let words = LogPrefix.rest(of: line), words.startIndex >= line.startIndex + 3,
      !words.isEmpty,
      line[(words.startIndex - 3)..<words.startIndex].allSatisfy(\.isBlank)
    else { return nil }
    return FrameLine.trimmed(words)
  }
}
