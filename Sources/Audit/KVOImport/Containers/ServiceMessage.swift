/// A line by which a test runner reports to TeamCity: `##teamcity[testFailed name='…' details='…|n…']`.
///
/// See https://www.jetbrains.com/help/teamcity/service-messages.html.
enum ServiceMessage {
  static let mark: StaticString = "##teamcity["
  /// The attributes that hold what a program printed.
  private static let attributes: [StaticString] = [
    " message='", " details='", " out='", " text='", " errorDetails='", " description='",
  ]

  /// The text of the attributes of a message that begins at `start` of `line`, in one line whose line ends are escaped.
  ///
  /// It has nothing of other attributes: the name of a test, or the text that it expected, is not printed by a program.
  ///
  /// - Complexity: O(length).
  static func text(of line: ArraySlice<UInt8>, from start: Int) -> [UInt8] {
    var found: [(start: Int, text: [UInt8])] = []
    for attribute in attributes {
      guard let front = FrameLine.first(attribute, in: line[start...]) else { continue }
      let text = value(line[(front + attribute.utf8CodeUnitCount)...])
      if !text.isEmpty { found.append((front, text)) }
    }
    let name = line[start...].dropFirst(mark.utf8CodeUnitCount).prefix { $0.isASCIILetter }
    let rest = line[name.endIndex...]
    // A message of one value has no name for it.
    if rest.starts(with: " '".utf8) { return value(rest.dropFirst(2)) }
    return Array(
      found.sorted { $0.start < $1.start }.map(\.text).joined(separator: Array("\\n".utf8))
    )
  }

  /// The characters up to the apostrophe that ends the value.
  private static func value(_ raw: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = raw
    while let byte = rest.popFirst(), byte != UInt8(ascii: "'") {
      guard byte == UInt8(ascii: "|"), let escape = rest.popFirst() else {
        result.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "n"): result += Array("\\n".utf8)
      case UInt8(ascii: "r"): break
      case UInt8(ascii: "0"):
        result += Array("\\u".utf8) + rest.dropFirst().prefix(4)
        rest = rest.dropFirst(5)
      default: result.append(escape)
      }
    }
    return result
  }
}
