/// Finds where crash reports begin in a text that may hold several.
enum ReportHead {
  /// How far apart the two labels of one head are at most.
  private static let headByteCount = 400

  /// Where reports begin, ascending.
  static func starts(in bytes: ArraySlice<UInt8>) -> [Int] {
    var result: [Int] = []
    // A report states this once: the next one begins another, whose head was left out.
    var hasType = false
    var position = bytes.startIndex
    while position < bytes.endIndex {
      let line = bytes[position...]
      if line.starts(with: "Incident Identifier:".utf8) {
        result.append(position)
        hasType = false
      } else if line.starts(with: "Process:".utf8) {
        // It follows the incident identifier, if there is one.
        if result.last.map({ position - $0 > headByteCount }) ?? true {
          result.append(position)
          hasType = false
        }
      } else if line.starts(with: "Exception Type:".utf8) {
        if hasType { result.append(position) }
        hasType = true
      }
      guard let end = line.firstIndex(of: 0x0a) else { break }
      position = end + 1
    }
    return result
  }

  /// The lines of the input in which reports after the first begin, ascending.
  ///
  /// - Complexity: O(length).
  static func linesOfNext(in text: CleanText) -> [Int] {
    let starts = starts(in: text.bytes[...])
    var lines: [Int] = []
    for (index, start) in starts.enumerated().dropFirst() {
      let end = index + 1 < starts.count ? starts[index + 1] : text.bytes.count
      let line = text.number(at: start)
      // Without this, the words are those of something else.
      if FrameLine.first("\nException Type:", in: text.bytes[start..<end]) != nil
        || text.bytes[start...].starts(with: "Exception Type:".utf8),
        line > lines.last ?? text.lineNumbers[0]
      {
        lines.append(line)
      }
    }
    return lines
  }

  static func isReport(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: "Incident Identifier:".utf8) || bytes.starts(with: "Process:".utf8)
  }

  /// Labels of a head that is not complete, or of an old form; samples and hangs have most of them, too.
  private static let labels = [
    "Beta Identifier:", "Code Type:", "Command:", "CrashReporter Key:", "Crashed Thread:",
    "Date/Time:", "Exception Type:", "Exception:", "Hardware Model:", "Host Name:", "Identifier:",
    "OS Version:", "Path:", "Report Version:", "Version:",
  ]

  /// How far into a report the line is that says what ended the process.
  private static let typeReach = 4_096

  /// Whether the first line of `bytes` with words, apart from the fence of a code block, quotation signs and the
  /// heading that macOS puts above a report, begins one.
  static func opensReport(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while true {
      rest = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: ">") }
      guard isAbove(rest) else { break }
      rest = rest.drop { $0 != 0x0a }
    }
    if isReport(rest) { return true }
    guard labels.contains(where: { rest.starts(with: $0.utf8) }) else { return false }
    return rest.prefix(typeReach).split(separator: 0x0a).contains { line in
      let line = line.drop { $0 <= 0x20 || $0 == UInt8(ascii: ">") }
      return ["Exception Type:", "Exception:"].contains { label in
        line.starts(with: label.utf8) && isType(line.dropFirst(label.utf8.count))
      }
    }
  }

  /// Whether the words after a label are what ended a process.
  ///
  /// That is an exception of the kernel, a signal, or a code such as `00000020`. Other programs print `Exception:`, too.
  private static func isType(_ words: ArraySlice<UInt8>) -> Bool {
    let words = words.drop(while: \.isBlank)
    return FrameLine.namesTermination(words)
      || words.prefix(while: \.isASCIIDigit).count == 8
  }

  /// Whether the line that `rest` begins with may be above a report: a fence, a rule, or the heading
  /// `Translated Report (Full Report Below)`.
  private static func isAbove(_ rest: ArraySlice<UInt8>) -> Bool {
    ["```", "-----", "*****", "Translated Report"].contains { rest.starts(with: $0.utf8) }
  }
}
