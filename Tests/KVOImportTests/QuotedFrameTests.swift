import KVOFindings
import KVORules
import Testing

/// Stacks that a program prints as an array of strings, as `callStackSymbols` is one.
@Suite("Frames in quotation marks") struct QuotedFrameTests {
  private static let frames = [
    "0   CoreFoundation                      0x000000010efa11e6 __exceptionPreprocess + 294",
    "1   libobjc.A.dylib                     0x000000010efa11e7 objc_exception_throw + 48",
    "2   ???                                 0x000000010efa11e8 0x0 + 4546048488",
    "3   Gauges                              0x000000010efa11e9 $s6Gauges9GaugeViewC4stopyyF + 29",
  ]
  private static let names = [
    "__exceptionPreprocess", "objc_exception_throw", nil, "Gauges.GaugeView.stop() -> ()",
  ]
  private static let list = "[" + frames.map { "\"\($0)\"" }.joined(separator: ", ") + "]"

  private static func symbols(_ stack: String) -> [String?] {
    let findings = Reading.findings(RemovalCrash.sentence + "\n" + stack + "\n")
    #expect(findings.map(Reading.summary) == ["KVO002 Meter.level < GaugeView"], "\(stack)")
    return findings.first?.stacks.first?.frames.map(\.symbol) ?? []
  }

  @Test(
    "an array in one line is a stack",
    arguments: ["", "Optional(", "Stack: ", "2024-03-01 10:11:12.123 Gauges[1:2] "]
  )
  func line(lead: String) {
    let end = lead.hasSuffix("(") ? ")" : ""
    #expect(Self.symbols(lead + Self.list + end) == Self.names)
    #expect(Self.symbols("> " + lead + Self.list + end) == Self.names)
  }

  @Test("an array with an element in each line is one, too")
  func lines() {
    let elements = Self.frames.map { "    \"\($0)\"" }
    #expect(Self.symbols("(\n" + elements.joined(separator: ",\n") + "\n)") == Self.names)
    let printed = Self.frames.enumerated().map { "  - \($0) : \"\($1)\"" }
    #expect(
      Self.symbols("▿ 4 elements\n" + printed.joined(separator: "\n")) == Self.names
    )
  }

  @Test("a list in source code is none")
  func code() {
    let elements = Self.frames.map { "    \"\($0)\"" }.joined(separator: ",\n")
    for stack in [
      "let stack = " + Self.list, "parse(" + Self.list + ")", "let stack = [\n" + elements + ",\n]",
    ] {
      #expect(Self.symbols(stack).isEmpty, "\(stack)")
    }
  }
}
