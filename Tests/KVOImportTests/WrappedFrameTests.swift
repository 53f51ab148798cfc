import KVORules
import Testing

/// Frames that were wrapped at a blank, and frames in the rows of a table.
@Suite("Wrapped frames") struct WrappedFrameTests {
  private static let head = "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\nThread 0 Crashed:\n"
  private static let frames = [
    "0   libobjc.A.dylib  0x18d0e055c objc_msgSend + 16",
    "1   Foundation       0x18d0e055d NSKeyValueNotifyObserver + 292",
    "2   Gauges           0x1000a11e8 -[Meter setLevel:] + 29",
  ]
  private static let symbols = ["objc_msgSend", "NSKeyValueNotifyObserver", "-[Meter setLevel:]"]

  private static func expect(_ stack: String) {
    let findings = Reading.findings(head + stack)
    #expect(findings.map(Reading.summary) == ["KVO008 ?.? < ?"], "\(stack)")
    let found = findings.first?.stacks.first?.frames.map(\.symbol) ?? []
    #expect(found == symbols, "\(stack)")
  }

  /// Text that flows, as RFC 3676 has it, keeps the blank at which it was wrapped.
  @Test(
    "an offset was wrapped, and the blank before it remains or not",
    arguments: ["+\n", "+ \n"]
  )
  func offset(end: String) {
    Self.expect(Self.frames.map { $0.replacing("+ ", with: end) + "\n" }.joined())
  }

  @Test("a method was wrapped at its blank")
  func method() {
    Self.expect(Self.frames.joined(separator: "\n").replacing("[Meter ", with: "[Meter\n") + "\n")
    Self.expect(Self.frames.joined(separator: "\n").replacing("[Meter ", with: "[Met\ner ") + "\n")
  }

  @Test("the cells of a row of HTML are apart", arguments: ["td", "th", "td class=\"a\""])
  func cells(tag: String) {
    let end = "</\(tag.prefix(2))>"
    let rows = Self.frames.map { frame in
      let words = frame.split(separator: " ", maxSplits: 3).map { $0.drop { $0 == " " } }
      return "<tr>" + words.map { "<\(tag)>\($0)\(end)" }.joined() + "</tr>"
    }
    Self.expect("<table>" + rows.joined() + "</table>\n")
  }
}
