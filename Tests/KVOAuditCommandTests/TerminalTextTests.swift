import Foundation
import TestSupport
import Testing

@Suite("The content of a log on a terminal") struct TerminalTextTests {
  private let folder: ScratchFolder

  /// A line end, a color, a bell, the one-byte form of an escape and an override of direction.
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
    "moves no cursor, changes no color and ends no line",
    arguments: [
      ["hostile.jsonl"], ["census", "hostile.jsonl"], ["validate", "hostile.jsonl"],
      ["convert", "hostile.jsonl", "--to", "jsonl"],
      ["export", "--to", "perfetto", "hostile.jsonl"],
      ["export", "--to", "speedscope", "hostile.jsonl"],
      ["export", "--to", "collapsed", "hostile.jsonl"],
      ["export", "--to", "otlp", "hostile.jsonl"],
      ["no\u{1b}[31mfile\n.jsonl"],
      ["--suppressions", "no\u{1b}[31m\u{202e}", "hostile.jsonl"],
      ["--config", "no\u{1b}[31m\u{202e}", "hostile.jsonl"],
      ["index", "no\u{1b}[31m\u{202e}"],
      ["--format", "json=no/\u{1b}[31m\u{202e}", "hostile.jsonl"],
    ]
  )
  func isInert(arguments: [String]) throws {
    let run = try CommandRun(arguments, in: folder.url)
    let text = run.output + run.complaint
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !Self.acts($0) })
    #expect(!text.contains("\n\\u"))
  }

  @Test("is spelled out in the names of programs")
  func programs() throws {
    let program = folder.path("app\u{1b}[31m\u{202e}")
    try FileManager.default.copyItem(
      atPath: ProgramRun.built("DoubleRemove").path,
      toPath: program
    )
    for command in [["index"], ["symbols", "add", "--symbols", folder.path("store")]] {
      let run = try CommandRun(command + [program], in: folder.url)
      #expect(run.status == 0, "\(run)")
      #expect(run.output.contains(#"/app\u{1b}[31m\u{202e}: "#), "\(run)")
      #expect(run.output.unicodeScalars.allSatisfy { $0 == "\n" || !Self.acts($0) })
    }
  }

  @Test("is spelled out in the messages of a recorded program")
  func recordedProgram() throws {
    let program = try ProgramRun.built("DoubleRemove").path
    let run = try CommandRun(
      shell: #"""
        export KVO_SAFETY_LOG_LIMIT=$'\e[31m' KVO_SAFETY_KEEP=$'a\nb\xe2\x80\xae' KVO_SAFETY_CONTROL=$'/proc/\xc2\x9b'
        KVO_SAFETY_LOG=$'/dev/null/\e[31m' '\#(program)' 2>&1 > /dev/null | grep KVOSafety:
        KVO_SAFETY_LOG=$'\e[31m' '\#(program)' 2>&1 > /dev/null | grep Names:
        """#,
      in: folder.url
    )
    let text = run.output
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !Self.acts($0) }, "\(text)")
    for shown in [
      #"KVO_SAFETY_LOG_LIMIT is "\u{1b}[31m","#, #"KVO_SAFETY_KEEP is "a\nb\u{202e}","#,
      #"KVOSafety: cannot write the log "/dev/null/\u{1b}[31m": Not a directory."#,
      #"cannot reach this process: "/proc/\u{9b}""#, #"  Names: kvo-audit \u{1b}[31m"#,
    ] {
      #expect(text.contains(shown), "\(text)")
    }
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

  @Test(
    "runs no command of a CI server",
    arguments: [
      "::error::x", " ::error::x", "\u{a0}::error::x", "\u{3000} \u{feff}::error::x",
      "a ##[error]x",
      "##[error]x", "###[error]x", "a##vso[task.x]", "##teamcity[x]", "A#",
    ]
  )
  func isNoCommand(name: String) throws {
    let key = name == "A#" ? "#[error]" : name
    let log = """
      {"event":"process","schema":1,"pid":1}
      {"event":"remove","thread":"\(name)","subject":{"class":"\(name)","id":"\(key)"},"observer":{"class":"\(name)","id":"\(key)"},"keyPath":"\(key)","stack":[{"symbol":"\(name)","file":"\(name)","line":3}]}
      {"event":"exit","status":0}

      """
    _ = try folder.file("named.jsonl", log)
    for arguments in [["named.jsonl"], ["--format", "markdown", "named.jsonl"]] {
      let run = try CommandRun(arguments, in: folder.url)
      #expect(run.status == 1)
      for line in run.output.split(whereSeparator: \.isNewline) {
        let first = line.unicodeScalars.drop { $0.properties.isWhitespace || $0 == "\u{feff}" }
        #expect(!String(first).hasPrefix("::"), "\(line)")
        #expect(try !line.contains(Regex("##\\w*\\[")), "\(line)")
      }
    }
  }

  @Test("keeps colons and number signs that are not commands")
  func isKept() throws {
    let log = """
      {"event":"process","schema":1,"pid":1}
      {"event":"remove","thread":1,"subject":{"class":"std::vector","id":"1"},"observer":{"class":"B##2","id":"2"},"keyPath":"k"}
      {"event":"exit","status":0}

      """
    _ = try folder.file("named.jsonl", log)
    let run = try CommandRun(["named.jsonl"], in: folder.url)
    #expect(run.output.contains("  B##2#2 removed an observation of \"k\" from std::vector#1 that"))
  }

  private static func acts(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
  }
}
