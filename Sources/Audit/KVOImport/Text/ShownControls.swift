/// Ends of lines and tabs that a tool made visible: `cat -A` and `cat -e` write `$` at each end, `^I` for a tab and `^M` for a
/// carriage return, which pagers and editors show, too.
enum ShownControls {
  private static let end = UInt8(ascii: "$")
  private static let tab = Array("^I".utf8)
  private static let carriageReturn = Array("^M".utf8)

  /// `bytes` with the controls that they show; nil: they show none.
  ///
  /// A line shows its end if the line before or after it does so, too. Lines keep their numbers.
  ///
  /// Complexity: O(length).
  static func removed(from bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard mayShow(bytes) else { return nil }
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
    let isShown = lines.map { content($0).last == end }
    var cleaned: [UInt8] = []
    cleaned.reserveCapacity(bytes.count)
    for (index, line) in lines.enumerated() {
      if index > 0 { cleaned.append(0x0a) }
      let hasEnd =
        isShown[index]
        && (index > 0 && isShown[index - 1] || index + 1 < lines.count && isShown[index + 1])
      var rest = content(line)
      if hasEnd { rest = rest.dropLast() }
      while rest.suffix(carriageReturn.count).elementsEqual(carriageReturn) {
        rest = rest.dropLast(carriageReturn.count)
      }
      if hasEnd { appendTabs(of: rest, to: &cleaned) } else { cleaned += rest }
    }
    return cleaned.elementsEqual(bytes) ? nil : cleaned
  }

  /// Whether a line ends with a sign that shows a control; most texts have none, and this is quick.
  private static func mayShow(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer { text in
      text.indices.contains { index in
        guard text[index] == end || text[index] == carriageReturn[1] else { return false }
        let next = index + 1 < text.count ? text[index + 1] : 0x0a
        guard next == 0x0a || next == 0x0d else { return false }
        return text[index] == end || index > 0 && text[index - 1] == carriageReturn[0]
      }
    }
  }

  /// A line without the carriage return at its end.
  private static func content(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == 0x0d ? line.dropLast() : line
  }

  private static func appendTabs(of line: ArraySlice<UInt8>, to cleaned: inout [UInt8]) {
    var rest = line
    while let sign = FrameLine.first("^I", in: rest) {
      cleaned += rest[..<sign]
      cleaned.append(0x09)
      rest = rest[(sign + tab.count)...]
    }
    cleaned += rest
  }
}
