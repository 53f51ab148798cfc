import Foundation
import TestSupport
import Testing

@Suite("The content of a log on a terminal") struct TerminalTextTests {
  private let folder: ScratchFolder

  /// A line end, a colour, a bell, the one-byte form of an escape and an override of direction.
  private static let hostile = #"x\n\u001b[31m\u0007\u009b1m\u202e"#
  private static let spelled = #"x\n\u{1b}[31m\u{7}\u{9b}1m\u{202e}"#

  private static var log: String {
    let name = hostile
    return """
      {"event":"threadName","thread":"t\(name)","name":"n\(name)"}
      {"event":"new\(name)","key\(name)":1}
      {"event":"remove","thread":"t\(name)","subject":{"class":"A\(name)","id":"1\(name)"},"observer":{"class":"B\(name)","id":"2"},"keyPath":"k\(name)","stack":["f\(name) (A\(name).swift:1)",{"symbol":"s\(name)","file":"f\(name)","line":3},{"address":"0x1","module":"m\(name)"}]}
      {"event":"register","thread":1,"subject":{"class":"A\(name)","id":"1\(name)"},"observer":{"class":"B\(name)","id":"2"},"keyPath":"k\(name)","site":"S\(name):1","registration":"r\(name)"}
      {"event":"refused","reason":"r\(name)","subject":{"class":"A","id":"3"},"keyPath":"k"}
      {"event":"process","schema":"s\(name)"}
      {"event":"exit","status":0}

      """
  }

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("hostile.jsonl", Self.log)
  }

  @Test(
    "moves no cursor, changes no colour and ends no line",
    arguments: [
      ["hostile.jsonl"], ["census", "hostile.jsonl"], ["validate", "hostile.jsonl"],
      ["no\u{1b}[31mfile\n.jsonl"],
    ]
  )
  func isInert(arguments: [String]) throws {
    let run = try CommandRun(arguments, in: folder.url)
    let text = run.output + run.complaint
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !Self.acts($0) })
    #expect(!text.contains("\n\\u"))
  }

  @Test("is spelled out")
  func isSpelledOut() throws {
    let run = try CommandRun(["hostile.jsonl"], in: folder.url)
    let message = run.output.split(separator: "\n")[1]
    let name = Self.spelled
    #expect(
      message == """
          B\(name)#2 removed an observation of "k\(name)" from A\(name)#1\(name) that was not \
        registered, on thread t\(name) (n\(name))
        """
    )
  }

  @Test("does not let counts run over")
  func countsSaturate() throws {
    let line = "{\"event\":\"dropped\",\"count\":18446744073709551615,\"why\":\"full\"}\n"
    _ = try folder.file("dropped.jsonl", line + line)
    let run = try CommandRun(["dropped.jsonl"], in: folder.url)
    let last = run.output.split(separator: "\n").last
    #expect(last?.hasSuffix("18,446,744,073,709,551,615 events dropped)") == true)
  }

  private static func acts(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
  }
}
