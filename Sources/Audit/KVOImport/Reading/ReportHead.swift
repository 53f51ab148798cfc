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

  static func isReport(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: "Incident Identifier:".utf8) || bytes.starts(with: "Process:".utf8)
  }

  /// Whether the first line of `bytes` that is neither blank nor the fence of a code block begins a report.
  static func opensReport(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes.drop { $0 <= 0x20 }
    if rest.starts(with: "```".utf8) {
      rest = rest.drop { $0 != 0x0a }.drop { $0 <= 0x20 }
    }
    return isReport(rest)
  }
}
