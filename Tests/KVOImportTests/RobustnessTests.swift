import KVOFindings
import KVOImport
import KVORules
import TestSupport
import Testing

/// Inputs that are cut, long, nested or no text: an answer for each, and never a crash.
@Suite("Texts that are damaged or hostile") struct RobustnessTests {
  private static let sentence =
    #"Cannot remove an observer <GaugeView 0x7fe1> for the key path "level" from <Meter 0x6000> because it is not registered as an observer."#
  private static let says = ["KVO002 Meter.level < GaugeView"]

  @Test("a text that is cut anywhere reports no more than the whole", arguments: PastedTexts.faults)
  func truncated(sample: Sample) {
    let bytes = Array(sample.text.utf8)
    let most = max(2, sample.says.count)
    let step = bytes.count > 1_500 ? 17 : 1
    for end in stride(from: 0, to: bytes.count, by: Rounds.areMany ? step : step * 7) {
      let found = Reading.findings(Array(bytes[..<end]))
      #expect(found.count <= most, "cut at byte \(end)")
    }
  }

  @Test("a line of ten megabytes is searched like any other")
  func longLine() {
    var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 5 << 20)
    bytes += Array(" \(Self.sentence) ".utf8)
    bytes += [UInt8](repeating: UInt8(ascii: "y"), count: 5 << 20)
    #expect(Reading.findings(bytes).map(Reading.summary) == Self.says)
  }

  @Test("faults far apart in a long console are found, with their lines")
  func longConsole() {
    let line = "2026-01-02 03:04:05.678 App[1:2] an observer of keyPath did nothing wrong\n"
    let count = Rounds.count(4_000)
    let quiet = String(repeating: line, count: count)
    let second = Self.sentence.replacing("0x7fe1", with: "0x7fe2")
    let text = quiet + Self.sentence + "\n" + quiet + second + "\n" + quiet
    let imported = Reading.imported(Array(text.utf8))
    #expect(imported.findings.map(Reading.summary) == Self.says)
    #expect(imported.findings.first?.events == [count + 1, 2 * (count + 1)])
    #expect(imported.form == .console)
  }

  /// Words that other programs log, each with letters of a word of observing.
  private static let alike = """
    Observed state change: active -> background; observer 0x1 of the subscription is gone
    obsolete queryValue=3 entryValue=4 libraryPath=/usr/lib directoryPath=/tmp cachedKey=1 encodedKey=2
    updateVisible nw_report_with_handler Observed a value; didNotify shouldNotify aGVsbG8KVO9xKVOa3== OBSERVED OBSOLETE BSERV dKey dNotify yVal yPath KVOS

    """

  @Test("words of other programs take no part of a long console apart, and hide no fault in it")
  func alikeWords() throws {
    let quiet = String(repeating: Self.alike, count: 80)
    let fault = ReportedFault("", .death, "Meter", ["level"], nil)
    let text = quiet + Self.sentence + "\n" + quiet + quiet + fault.sentence + "\n" + quiet
    #expect(Set(Reading.summary(text)) == Set(Self.says + fault.says))
    let found = try #require(Reading.findings(text).first)
    #expect(found.events == [241])
  }

  /// Long texts are searched for words first: every sentence must have one, in whatever form it stands.
  @Test(
    "every sentence is found in a text that is too long to be read whole",
    arguments: Damage.allCases
  )
  func longTexts(damage: Damage) {
    let padding = String(repeating: "-", count: 64) + "\n"
    let quiet = String(repeating: padding, count: 1_010)
    for (kind, observer) in [
      (ReportedFault.Kind.removal, "GaugeView"), (.unhandled, "GaugeView"), (.death, nil),
      (.silentChange, "GaugeView"), (.uncompliant, "GaugeView"),
    ] {
      let fault = ReportedFault("", kind, "Meter", ["unit.name"], observer)
      let text = quiet + damage.applied(to: Container.console.text(fault))
      #expect(Reading.summary(text) == fault.says, "\(kind), \(damage)")
    }
  }

  @Test("values nested a hundred thousand deep are refused as JSON and read as text")
  func nesting() {
    let text = String(repeating: "[", count: 100_000) + Self.sentence
    let imported = Reading.imported(Array(text.utf8))
    #expect(
      imported.problems == [
        ImportedText.Problem(
          line: 1,
          message: "not JSON: values are nested deeper than 512; the rest is read as text"
        )
      ]
    )
    #expect(imported.findings.map(Reading.summary) == Self.says)
  }

  @Test(
    "invalid JSON is reported with its line, and read as text",
    arguments: [
      (#"{"a": 1,"# + "\n" + #""b": "x"#, 2, "a string has no end"),
      (#"{"a": [1, 2}"#, 1, #""}" closes nothing"#),
      (#"{"a": 1"#, 1, "the text ends inside a value"),
      ("{\"a\":\n\n?}", 3, #"no value begins with "?""#),
    ]
  )
  func badJSON(text: String, line: Int, message: String) {
    let imported = Reading.imported(Array(text.utf8))
    #expect(
      imported.problems == [
        ImportedText.Problem(line: line, message: "not JSON: \(message); the rest is read as text")
      ]
    )
  }

  @Test("an input that is not text is refused in words")
  func noText() {
    let imported = Reading.imported([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x0d, 0x49, 0x48])
    #expect(
      imported.refusal
        == "neither text nor a usage log: it has bytes that no text has; name the crash report or console text "
        + "inside it, unpacked"
    )
    #expect(imported.findings.isEmpty)
  }

  @Test(
    "a crash report is one if it has no word of observing, also after a blank line or a fence",
    arguments: [
      "", "\n", "\r\n\n", "```\n", "\n```text\n",
    ]
  )
  func plainReport(before: String) {
    let head = "Process:             Gauges [812]\nException Type:  EXC_BREAKPOINT (SIGTRAP)\n"
    let frames = "Thread 0 Crashed:\n0   Gauges   0x1022361cc 0x102230000 + 25036\n"
    for filler in ["", String(repeating: "1   Gauges   0x1022361cc main + 25\n", count: 3_000)] {
      let imported = Reading.imported(Array((before + head + frames + filler).utf8))
      #expect(imported.isCrash, "\(before) \(filler.count)")
      #expect(imported.findings.isEmpty)
    }
    #expect(!Reading.imported(Array((before + "a line of a console\n").utf8)).isCrash)
  }

  /// What Console of macOS 12 and later copies has a heading, what is pasted lacks its first lines, and Mac OS X 10.4
  /// wrote other labels.
  @Test(
    "a crash report is one below a heading, without its first lines, quoted, and in the form of Mac OS X 10.4",
    arguments: [
      "-------------------------------------\nTranslated Report (Full Report Below)\n"
        + "-------------------------------------\n\nProcess:               Gauges [812]\n",
      "```\n-------------------------------------\nTranslated Report (Full Report Below)\n"
        + "-------------------------------------\nProcess:             Gauges [812]\n",
      "Hardware Model:      iPhone9,3\nException Type:  SIGSEGV\n",
      "Date/Time:       2017-09-07 10:00:00 +0000\nOS Version:      iPhone OS 10.3.3 (14G60)\n\n"
        + "Exception Type:  SIGSEGV\n",
      "Exception Type:  SIGSEGV\n",
      "OS Version:      iPhone OS 5.0 (9A334)\nException Type:  00000020\nException Codes: 0x8badf00d\n",
      "> Incident Identifier: 1FC2FA53\n> Process:         Gauges [1436]\n> Exception Type:  SIGSEGV\n",
      "**********\n\nHost Name:      mac\nDate/Time:      2006-03-01 10:00:00.000 +0100\n"
        + "OS Version:     10.4.5 (Build 8H14)\n\nCommand: Gauges\n\nException:  EXC_BAD_ACCESS (0x0001)\n",
    ]
  )
  func headedReport(head: String) {
    let frames = "Thread 0 Crashed:\n0   Gauges   0x1022361cc 0x102230000 + 25036\n"
    let imported = Reading.imported(Array((head + frames).utf8))
    #expect(imported.isCrash)
    #expect(imported.findings.isEmpty)
  }

  @Test(
    "labels alone are no crash report: a sample, a hang, a console that has one of them",
    arguments: [
      "Date/Time:        2026-03-01 10:00:00.000 +0100\nOS Version:       macOS 26.0 (Build 25A354)\n"
        + "Command:          Gauges\nEvent:            hang\n",
      "-----\nVersion: 1.2\nOS Version: 26\n", "starting\nException Type: none seen today\n",
      "> Version: 1.2\n> I like it\n", "-----\n", "",
      "Version: 3\nstarting\nException: could not connect to host\n",
      "Command: make all\nException: java.io.IOException: closed\n",
      "Path: /a\nException Type: ValueError\n",
      "Version: 3\nException: SIGNATURE mismatch\n", "Version: 3\nException: DESIGNED_EXC_LIMIT\n",
    ]
  )
  func labels(text: String) { #expect(!Reading.imported(Array(text.utf8)).isCrash) }

  @Test("one of the oldest reports is a crash, after its head or in a string, also if it is cut")
  func oldestReport() {
    let text = GatheredForms.oldReport("objc_msgSend", "-[Meter level]")
    #expect(Reading.imported(Array(text.utf8)).isCrash)
    let head = #"{"bug_type":"109","os_version":"iPhone OS 8.1 (12B411)","description":""#
    let report = #"Process:  Gauges [12]\nException Type:  EXC_CRASH (SIGABRT)\n"#
    #expect(Reading.imported(Array((head + report + "\"}").utf8)).isCrash)
    let cut = #"{"app_name":"Gauges","bug_type":"309"}"# + "\n" + #"{"exception":{"type":"EXC_BA"#
    #expect(Reading.imported(Array(cut.utf8)).isCrash)
    let memory =
      #"{"bug_type":"298","os_version":"iPhone OS 9.3"}"# + "\n{\"largestProcess\":\"Gauges\"}\n"
    #expect(!Reading.imported(Array(memory.utf8)).isCrash)
  }

  private static let head =
    #"{"app_name":"Gauges","bug_type":"309","os_version":"iPhone OS 18.5 (22F76)","name":"Gauges"}"#
  private static let body = """
    {
      "procName" : "Gauges",
      "exception" : {"type":"EXC_BAD_ACCESS","signal":"SIGSEGV"},
      "faultingThread" : 0,
      "threads" : [{"triggered":true,"frames":[{"symbol":"objc_msgSend","imageIndex":0},
        {"symbol":"NSKeyValueNotifyObserver","imageIndex":1},{"symbol":"NSKeyValueDidChange","imageIndex":1},
        {"symbol":"-[Meter setLevel:]","imageIndex":2}]}],
      "usedImages" : [{"name":"libobjc.A.dylib"},{"name":"Foundation"},{"name":"Gauges"}]
    }
    """

  /// A collector puts words before each line, whose length or form says where the line begins.
  @Test(
    "an .ips report is read after the words of a log collector",
    arguments: [
      ["Nov 27 09:00:00 host Gauges[12]: "],
      ["Nov 27 09:00:09 host Gauges[12]: ", "Nov 27 09:00:10 host Gauges[12]: "],
      ["2026-11-27T09:00:00.123456789Z stdout F ", "2026-11-27T09:00:00.123456790Z stdout F "],
      ["2026-11-27 09:00:00.123 Gauges[812:9] ", "2026-11-27 09:00:00.124 Gauges[812:10234] "],
      ["2026-11-27 09:00:00.123 Gauges[812:10234] ", "2026-11-27 09:00:00.124 Gauges[812:9] "],
      ["gauges_1  | "], ["The report: ", ""],
    ]
  )
  func collected(words: [String]) {
    let lines = (Self.head + "\n" + Self.body).split(separator: "\n")
    for before in ["", "starting\n", "starting\r\n\n"] {
      let report = lines.enumerated()
        .map { words[min($0, words.count - 1)] + $1 }.joined(separator: "\n")
      let imported = Reading.imported(Array((before + report).utf8))
      #expect(imported.findings.map(Reading.summary) == ["KVO008 ?.? < ?"], "\(report)")
      #expect(imported.isCrash && imported.problems.isEmpty, "\(report)")
      let other = before + report.replacing("NSKeyValueNotifyObserver", with: "-[GaugeView show]")
      // A crash without a finding, and no console without failures.
      let unexplained = Reading.imported(Array(other.utf8))
      #expect(unexplained.isCrash && unexplained.findings.isEmpty)
      let cut = Reading.imported(Array((before + report.prefix(400)).utf8))
      #expect(cut.isCrash && !cut.problems.isEmpty)
    }
    let twin = words[0] + #"{"app_name":"Gauges","level":"info"}"# + "\n" + words[0] + "{}\n"
    #expect(!Reading.imported(Array(twin.utf8)).isCrash)
  }

  /// Issues have reports of macOS 12 and later like this: with words around them, fenced, folded or quoted.
  @Test("an .ips report is read between words, also if only its stack shows the fault")
  func pasted() {
    let (head, body) = (Self.head, Self.body)
    let report = head + "\n" + body
    let quoted = report.split(separator: "\n").map { "> " + $0 }.joined(separator: "\n")
    for text in [
      "It [always] crashes:\n\n```\n\(report)\n```\n\nThanks!\n",
      "<details><summary>crash</summary>\n<pre>\n\(report)\n</pre>\n</details>\n",
      "A wrote:\n\(quoted)\n", "A wrote:\n\(quoted)",
    ] {
      for count in [7, 1 << 18] {
        let imported = Reading.imported(Array(text.utf8), pieceByteCount: count)
        #expect(imported.findings.map(Reading.summary) == ["KVO008 ?.? < ?"], "\(text)")
        #expect(imported.isCrash && imported.problems.isEmpty)
        #expect(imported.findings.first?.stacks.first?.frames.last?.symbol == "-[Meter setLevel:]")
      }
      let other = text.replacing("NSKeyValueNotifyObserver", with: "-[GaugeView show]")
      let imported = Reading.imported(Array(other.utf8))
      #expect(imported.isCrash && imported.findings.isEmpty)
    }
    let member =
      "{\"title\":\"crash\",\"message\":\"\(report.replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\"}"
    #expect(Reading.summary(member) == ["KVO008 ?.? < ?"])
    let cut = Reading.imported(Array("It crashes:\n\(head)\n\(body.prefix(200))".utf8))
    #expect(cut.isCrash && !cut.problems.isEmpty)
  }

  @Test("every byte there is, in a row, is read to its end")
  func allBytes() {
    let all = (0...255).map { UInt8($0) }.filter { $0 != 0 }
    let bytes = (0..<64).flatMap { _ in all } + Array("\n\(Self.sentence)\n".utf8)
    #expect(Reading.findings(bytes).map(Reading.summary) == Self.says)
  }

  @Test("brackets, quotes and escapes without an end cost no more than they are long")
  func unbalanced() {
    for piece in ["<", "\"", "\\", "&", "&amp;", "[", "-[", "0x", "<NSKeyValueObservance "] {
      let text =
        "observer " + String(repeating: piece, count: 20_000) + "\n" + Self.sentence + "\n"
        + "An -observeValueForKeyPath:ofObject:change:context: message was received but not handled."
      #expect(Reading.findings(text).contains { $0.code == .removeUnregistered }, "\(piece)")
    }
  }
}
