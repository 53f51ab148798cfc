import KVOFindings
import KVORules
import Testing

/// One sentence that a text has several times, with one stack.
@Suite("Repeated sentences") struct RepeatedWordsTests {
  private static let raised =
    "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer "
    + "<GaugeView 0x1a0> for the key path \"level\" from <Meter 0x2b0> because it is not registered as an "
    + "observer.'\n"
  private static let stack =
    "0   CoreFoundation   0x18b3e83e8 __exceptionPreprocess + 16\n1   Gauges   0x1004d1388 -[GaugeView stop] + 16\n"

  @Test("the stack below one printing is kept, however far away the words are repeated")
  func farAway() {
    for count in [0, 30, 40, 200] {
      let lines = String(repeating: "a line\n", count: count)
      for text in [
        Self.raised + Self.stack + lines + Self.raised,
        Self.raised + lines + Self.raised + Self.stack,
      ] {
        let findings = Reading.findings(text)
        #expect(findings.count == 1)
        let frames = findings.first?.stacks.first?.frames.map(\.symbol) ?? []
        #expect(frames == ["__exceptionPreprocess", "-[GaugeView stop]"], "\(count)")
      }
    }
  }

  @Test("of two stacks of one event the one that names functions is kept, also in a log")
  func named() {
    let addresses =
      "*** First throw call stack:\n(0x18b3e83e8 0x18b3e83f0 0x18b3e83f8 0x1004d1388)\n"
    let named = """
      0   CoreFoundation   0x18b3e83e8 <redacted> + 126
      1   libobjc.A.dylib  0x18b3e83f0 objc_exception_throw + 38
      2   Foundation       0x18b3e83f8 <redacted> + 288
      3   Gauges           0x1004d1388 -[GaugeView stop] + 16

      """
    for text in [
      Self.raised + "Stack trace:\n" + named + Self.raised + addresses,
      Self.raised + addresses + Self.raised + named,
    ] {
      let logged = text.split(separator: "\n").map { "[ERROR] :  \($0)\n" }.joined()
      for text in [text, logged] {
        let findings = Reading.findings(text)
        #expect(findings.count == 1)
        let frames = findings.first?.stacks.first?.frames ?? []
        #expect(
          frames.map(\.symbol) == [nil, "objc_exception_throw", nil, "-[GaugeView stop]"],
          "\(text)"
        )
        #expect(frames.last?.isFirstOwn == true)
      }
    }
  }

  private static let head =
    #"{"app_name":"Gauges","bug_type":"309","os_version":"macOS 14.4.1 (23E224)","name":"Gauges"}"#
  private static let body = """
    {
      "procName" : "Gauges",
      "exception" : {"type":"EXC_CRASH","signal":"SIGABRT"},
      "asi" : {"CoreFoundation":["*** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <GaugeView 0x1a0> for the key path \\"level\\" from <Meter 0x2b0> because it is not registered as an observer.'"]},
      "lastExceptionBacktrace" : [{"symbol":"__exceptionPreprocess","imageIndex":0},
        {"symbol":"-[GaugeView stop]","imageIndex":1}],
      "faultingThread" : 0,
      "threads" : [{"triggered":true,"frames":[{"symbol":"__pthread_kill","imageIndex":0}]}],
      "usedImages" : [{"name":"CoreFoundation"},{"name":"Gauges"}]
    }
    """

  @Test("an .ips report between words has its stack, though its sentence is also found as text")
  func embedded() {
    let report = Self.head + "\n" + Self.body
    let quoted = report.split(separator: "\n").map { "> " + $0 }.joined(separator: "\n")
    let escaped = report.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    for text in [
      "It crashes:\n\n```json\n\(report)\n```\n\nThanks!\n", "A wrote:\n\(quoted)\n",
      "<pre>\(escaped)</pre>\n",
      "<details>\n<summary>log</summary>\n\n```\n\(report)\n```\n</details>\n",
    ] {
      let imported = Reading.imported(Array(text.utf8))
      #expect(
        imported.findings.map(Reading.summary) == ["KVO002 Meter.level < GaugeView"],
        "\(text)"
      )
      #expect(imported.reportCount == 1)
      let frames = imported.findings.first?.stacks.first?.frames.map(\.symbol) ?? []
      #expect(frames == ["__exceptionPreprocess", "-[GaugeView stop]"], "\(text)")
    }
    // Words outside of the report decide what is found.
    let other =
      Self.raised.replacing("level", with: "other") + Self.stack + "\n```\n\(report)\n```\n"
    #expect(Reading.summary(other).contains("KVO002 Meter.other < GaugeView"))
  }

  @Test("each of several .ips reports between words has its stack")
  func severalEmbedded() {
    let report = Self.head + "\n" + Self.body
    let other = report.replacing("GaugeView", with: "DialView")
    let text = "First:\n```\n\(report)\n```\nSecond:\n```\n\(other)\n```\nThanks!\n"
    for text in [text, text.split(separator: "\n").map { "> " + $0 }.joined(separator: "\n")] {
      let findings = Reading.findings(text)
      #expect(
        findings.map(Reading.summary)
          == ["KVO002 Meter.level < GaugeView", "KVO002 Meter.level < DialView"]
      )
      let own = findings.map { $0.stacks.first?.frames.last?.symbol }
      #expect(own == ["-[GaugeView stop]", "-[DialView stop]"])
    }
  }

  @Test("words that a report repeats after the stacks of its threads have the exception's")
  func translated() {
    let threads =
      "\nThread 0 Crashed:\n0   libsystem_kernel.dylib  0x18b3e83e8 __pthread_kill + 8\n"
    let text =
      "Process:  Gauges [1]\nException Type:  EXC_CRASH (SIGABRT)\n\nApplication Specific Information:\n"
      + Self.raised + "\nLast Exception Backtrace:\n" + Self.stack + threads
      + "\nFull Report\n\n\(Self.head)\n\(Self.body)\n"
    let findings = Reading.findings(text)
    #expect(findings.map(Reading.summary) == ["KVO002 Meter.level < GaugeView"])
    let frames = findings.first?.stacks.first?.frames.map(\.symbol) ?? []
    #expect(frames == ["__exceptionPreprocess", "-[GaugeView stop]"])
  }

  @Test("sentences about thousands of objects cost no more than they are long")
  func many() {
    let text = (10_000..<18_000).map { Self.raised.replacing("0x2b0", with: "0x2b\($0)") }
      .joined()
    #expect(Reading.findings(text).map(\.count) == [8_000])
  }

  @Test("a sentence that is repeated thousands of times costs no more than it is long")
  func often() {
    let stack = "*** First throw call stack:\n(0x18b3e83e8 0x18b3e83f0 0x18b3e83f8 0x1004d1388)\n"
    for text in ["", stack] {
      let findings = Reading.findings(text + String(repeating: Self.raised, count: 8_000))
      #expect(findings.map(Reading.summary) == ["KVO002 Meter.level < GaugeView"])
    }
  }
}
