import KVOFindings
import KVORules
import Testing

@testable import KVOImport

/// Crash texts of which a log collector puts each line into a JSON object.
@Suite("Log records") struct LogRecordTests {
  /// `text` as a string of JSON, in the way of encoders that also escape the signs of HTML.
  private static func quoted(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\t", with: "\\t").replacing("\n", with: "\\n")
      .replacing("…", with: "\\u2026")
      .replacing("<", with: "\\u003c").replacing(">", with: "\\u003e")
    return "\"\(escaped)\""
  }

  private func expectRemoval(_ text: String, _ form: String) {
    let imported = Reading.imported(Array(text.utf8))
    #expect(
      imported.findings.map(Reading.summary) == ["KVO002 Meter.level < GaugeView"],
      "\(form)"
    )
    let frames = imported.findings.first?.stacks.first?.frames.map(\.symbol) ?? []
    #expect(frames == ["__exceptionPreprocess", "-[GaugeView stop]"], "\(form)")
    #expect(imported.isCrash, "\(form)")
  }

  @Test(
    "a line in each record is read like the plain text",
    arguments: [
      #"{"log":$N,"stream":"stderr","time":"2024-03-01T10:11:12.123456789Z"}"#,
      #"{"__CURSOR":"s=1","_PID":"42","MESSAGE":$,"PRIORITY":"3"}"#,
      #"{"insertId":"a1","resource":{"type":"k8s_container"},"severity":"ERROR","textPayload":$}"#,
      #"{"severity":"ERROR","jsonPayload":{"message":$}}"#,
      #"{"level":50,"time":1709287872123,"pid":42,"hostname":"h","msg":$}"#,
      #"{"traceID":0,"eventMessage":$,"timestamp":"2024-03-01 10:11:12.1-0700","processID":42}"#,
      #"{"_index":"logs","_source":{"@timestamp":"2024-03-01T10:11:12Z","message":$}}"#,
      #"{"id":"1","attributes":{"message":$,"status":"error","timestamp":"2024-03-01T10:11:12Z"}}"#,
      #"2024-03-01 10:11:12.000000000 +0000 kube.app: {"log":$N,"stream":"stderr"}"#,
      #"2024-03-01T10:11:12.123456789Z stderr F {"level":"error","message":$}"#,
    ]
  )
  func lines(form: String) {
    func text(_ lines: [String]) -> String {
      lines.map { line in
        form.replacing("$N", with: Self.quoted(line + "\n")).replacing("$", with: Self.quoted(line))
          + "\n"
      }.joined()
    }
    expectRemoval(text(RemovalCrash.lines), form)
    expectRemoval("$ print-the-log\n" + text(RemovalCrash.lines), form)
    expectRemoval(text(RemovalCrash.wrapped), form)
  }

  @Test("a line that the runtime of a container divided is joined, and keeps the numbers of lines")
  func divided() {
    func record(_ text: some StringProtocol) -> String {
      #"{"log":\#(Self.quoted(String(text))),"stream":"stderr","time":"2024-03-01T10:11:12Z"}"#
        + "\n"
    }
    let first = RemovalCrash.lines[0]
    let text =
      record(first.prefix(120)) + record(first.dropFirst(120) + "\n")
      + RemovalCrash.lines.dropFirst().map { record($0 + "\n") }.joined()
    expectRemoval(text, "divided")
    let stop =
      "An instance 0x2b0 of class Dial was deallocated while key value observers were still "
    let later = text + record(stop + "registered with it.\n")
    #expect(Reading.findings(later).count == 2)
    for size in [1, 7, 300] {
      #expect(Reading.findings(Array(text.utf8), pieceByteCount: size).count == 1)
    }
  }

  @Test("a whole text in one record is read")
  func whole() {
    let text = Self.quoted(RemovalCrash.lines.joined(separator: "\n"))
    expectRemoval(
      #"{"level":"info","message":"begin","time":1}"# + "\n"
        + #"{"level":"error","message":\#(text),"time":2}"# + "\n",
      "whole"
    )
  }

  @Test("records after another object and lines of text are read")
  func afterOthers() {
    let records = RemovalCrash.lines.map { line in
      #"{"log":\#(Self.quoted(line + "\n")),"stream":"stderr","time":"2024-03-01T10:11:12Z"}"#
        + "\n"
    }
    for front in [#"{"starting":true}"# + "\n", #"{"starting":true}"# + "\nListening\n"] {
      expectRemoval(front + records.joined(), front)
    }
  }

  @Test("a list of records is read in the order of time")
  func lists() {
    func list(_ lines: [(offset: Int, element: String)]) -> String {
      let records = lines.map { offset, line in
        """
        {
            "severity": "ERROR",
            "textPayload": \(Self.quoted(line)),
            "timestamp": "2024-03-01T10:11:12.\(offset)Z"
          }
        """
      }
      return "[\n  \(records.joined(separator: ",\n  "))\n]\n"
    }
    let records = Array(RemovalCrash.lines.enumerated())
    for text in [list(records), list(records.reversed())] {
      let imported = Reading.imported(Array(text.utf8))
      let finding = imported.findings.first
      #expect(imported.isCrash)
      #expect(finding.map(Reading.summary) == "KVO002 Meter.level < GaugeView")
      let frames = finding?.stacks.first?.frames.map(\.symbol) ?? []
      #expect(frames == ["__exceptionPreprocess", "-[GaugeView stop]"])
    }
  }

  @Test("records over several lines are one text")
  func spread() {
    let text = RemovalCrash.lines.map { line in
      """
      {
        "log": \(Self.quoted(line + "\n")),
        "stream": "stderr"
      }

      """
    }
    expectRemoval(text.joined(), "spread")
  }

  @Test("a report of JSON in records is read")
  func report() {
    let lines = [
      #"{"app_name":"Gauges","timestamp":"2024-03-01 10:11:12.00 +0100","bug_type":"309","name":"Gauges"}"#,
      "{", #"  "exception": {"type": "EXC_BAD_ACCESS", "signal": "SIGSEGV"},"#,
      #"  "faultingThread": 0, "note": "a \"quoted\" word","#,
      #"  "threads": [{"triggered": true, "frames": ["#,
      #"    {"imageOffset": 1, "symbol": "NSKeyValueNotifyObserver", "imageIndex": 0},"#,
      #"    {"imageOffset": 2, "symbol": "-[Meter setLevel:]", "imageIndex": 0}]}],"#,
      #"  "usedImages": [{"name": "Gauges", "base": 4096}]"#, "}",
    ]
    let text = lines.map { line in
      #"{"log":\#(Self.quoted(line + "\n")),"stream":"stderr","time":"2024-03-01T10:11:12Z"}"#
        + "\n"
    }
    #expect(Reading.summary(lines.joined(separator: "\n")) == ["KVO008 ?.? < ?"])
    #expect(Reading.summary(text.joined()) == ["KVO008 ?.? < ?"])
  }

  @Test("a message that journald writes as a list of bytes is read")
  func bytes() {
    let text = RemovalCrash.lines.map { line in
      let list = ("\u{1b}[31m" + line + "\u{1b}[0m").utf8.map(String.init).joined(separator: ",")
      return #"{"MESSAGE":[\#(list)],"PRIORITY":"3"}"# + "\n"
    }
    expectRemoval(text.joined(), "bytes")
  }

  @Test("a service message of TeamCity is read")
  func serviceMessages() {
    func escaped(_ text: String) -> String {
      ["|", "'", "[", "]"].reduce(text) { $0.replacing($1, with: "|" + $1) }
        .replacing("\n", with: "|n")
    }
    let details = escaped(RemovalCrash.lines.joined(separator: "\n"))
    expectRemoval(
      "##teamcity[testFailed name='Gauges.testStop' message='crashed' details='\(details)']\n",
      "details"
    )
    expectRemoval("##teamcity[testStdErr name='Gauges.testStop' out='\(details)']\n", "out")
  }

  @Test(
    "what a service message does not print is no finding",
    arguments: [
      "##teamcity[testStarted name='\(RemovalCrash.sentence)']\n",
      "##teamcity[testFailed name='a' message='' expected='\(RemovalCrash.sentence)' actual='nothing']\n",
      "##teamcity[testFailed name='a' details='expected to raise exception with reason <\(RemovalCrash.sentence)>, got none']\n",
    ]
  )
  func unprinted(text: String) { #expect(Reading.summary(text).isEmpty) }

  @Test("source code, format strings and expectations in records are no findings")
  func quotedInRecords() {
    let lines = [
      "func stop() {", "    // \(RemovalCrash.sentence)", "    meter.removeObserver(self)", "}",
      "NSLog(@\"\(RemovalCrash.sentence.replacing("\"", with: "'"))\", view);",
      "Cannot remove an observer {0} for the key path {1} from {2} because it is not registered as an observer.",
      "- Fixed a crash: Cannot remove an observer <GaugeView> for the key path \"level\" from <Meter>",
      "expected to raise exception with reason <\(RemovalCrash.sentence)>, got no exception",
      "It says Cannot remove an observer <A 0x…> for the key path \"b\" from <C 0x…> because it is not registered.",
    ]
    let text = lines.map { line in
      #"{"log":\#(Self.quoted(line + "\n")),"stream":"stdout","time":"2024-03-01T10:11:12Z"}"#
        + "\n"
    }
    #expect(Reading.summary(text.joined()).isEmpty)
  }

  @Test(
    "an object that is no record is not read as one",
    arguments: [
      // Code that makes a record.
      #"let line = {"log":"Cannot remove an observer <A 0x1> for the key path \"b\" from <C 0x2>","time":1}"#,
      #"    write({"level":"error","message":"An instance 0x1 of class A was deallocated while key value ob"})"#,
    ]
  )
  func others(line: String) {
    let text = Array("begin\n\(line)\nend\n".utf8)
    var records = RecordLines()
    #expect(records.append(text[...]) + records.finish() == text)
  }
}
