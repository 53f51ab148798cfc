import Foundation
import TestSupport
import Testing

/// `kvo-audit` on crash reports and console text, from its arguments to its exit status.
@Suite("kvo-audit on crash reports") struct CrashCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static func report(_ address: String, date: String, system: String) -> String {
    """
    Process:             Gauges [1234]
    Version:             1.9 (12)
    Date/Time:           \(date) 08:01:22.123 +0100
    OS Version:          \(system)

    Application Specific Information:
    *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <GaugeView 0x\(address)1> for the key path "level" from <Meter 0x\(address)2> because it is not registered as an observer.'

    Last Exception Backtrace:
    0   CoreFoundation  0x18a8e11d8 __exceptionPreprocess + 124
    1   libobjc.A.dylib 0x18931855c objc_exception_throw + 56
    2   Gauges          0x1000a2f3c -[GaugeView dealloc] + 172 (GaugeView.m:88)

    """
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun(arguments, in: folder.url)
  }

  @Test("groups reports of one fault, with the first date and the systems")
  func groups() throws {
    _ = try folder.file("a.crash", Self.report("a", date: "2026-01-02", system: "iOS 17.0 (21A1)"))
    _ = try folder.file("b.crash", Self.report("b", date: "2026-03-04", system: "iOS 18.0 (22A1)"))
    _ = try folder.file("c.txt", "nothing of the kind\n")
    let run = try run("--format", "json", "a.crash", "b.crash", "c.txt")
    #expect(run.status == 1)
    let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let inputs = report?["inputs"] as? [[String: Any]]
    #expect(inputs?.compactMap { $0["kind"] as? String } == ["crash", "crash", "console"])
    #expect(inputs?.compactMap { $0["reports"] as? Int } == [1, 1, 0])
    let findings = try #require(report?["findings"] as? [[String: Any]])
    #expect(findings.count == 1)
    #expect(findings.first?["count"] as? Int == 2)
    let crash = findings.first?["crash"] as? [String: Any]
    #expect(crash?["reports"] as? Int == 2)
    #expect(crash?["firstSeen"] as? String == "2026-01-02 08:01:22")
    #expect(crash?["lastSeen"] as? String == "2026-03-04 08:01:22")
    #expect(crash?["systems"] as? [String: Int] == ["iOS 17.0": 1, "iOS 18.0": 1])
  }

  @Test("writes what becomes of a reported fault on each runtime")
  func allProfiles() throws {
    _ = try folder.file("a.crash", Self.report("a", date: "2026-01-02", system: "iOS 17.0 (21A1)"))
    let run = try run("--profile", "all", "a.crash")
    #expect(run.status == 1)
    #expect(run.output.contains("  KVO002 ") && run.output.contains(" crash "))
  }

  @Test("for text without a fault reports that nothing was recognized; a weak match fails no build")
  func silence() throws {
    _ = try folder.file("log.txt", "Call removeObserver:forKeyPath: once.\n")
    let clean = try run("log.txt")
    #expect(
      clean.output == """
        NOTHING RECOGNIZED: log.txt is neither a usage log nor a crash report, and none of its lines reports a \
        violation of key-value observing

        SUMMARY: 0 errors, 0 warnings in 0 reports with findings from 1 text

        """
    )
    #expect(clean.status == 0)
    _ = try folder.file(
      "weak.txt",
      "GSKVOMeter(instance) does not recognize removeObserver:forKeyPath:context:\n"
    )
    let weak = try run("--fail-on", "note", "weak.txt")
    #expect(weak.output.contains("KVO003"))
    #expect(weak.output.contains("low confidence"))
    #expect(weak.status == 0)
  }

  @Test(
    "text whose lines begin with a brace of a wiki or of a printed dictionary is not a damaged usage log",
    arguments: [
      "Gauge turns\n{code}\nturn();\n{code}\n", "{noformat}\nstarted\n{noformat}\n",
      "{code:java}\r\nturn();\r\n{code}\r\n", "reply:\n{\n    level = 2;\n}\n",
      "void Turn ()\n{\n\tdial.Turn ();\n}\n",
    ]
  )
  func braces(text: String) throws {
    _ = try folder.file("log.txt", text)
    let clean = try run("log.txt")
    #expect(clean.output.hasPrefix("NOTHING RECOGNIZED: log.txt"))
    #expect(clean.status == 0)
  }

  private static let setter = [
    "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)", "Thread 0 Crashed:",
    "0   libobjc.A.dylib   0x00000001b290e4ac objc_msgSend + 16",
    "1   Foundation        0x00000001b2faa5f8 _NSSetObjectValueAndNotify + 292",
    "2   Gauges            0x00000001022361cc -[Meter setLevel:] + 44",
  ]

  @Test(
    "a crash between braces, or in the records of a collector, is found",
    arguments: [
      "{noformat}\n\(setter.joined(separator: "\n"))\n{noformat}\n",
      "{\"level\":2}\n\(setter.joined(separator: "\n"))\n",
      setter.map { "{\"log\":\"\($0)\\n\",\"stream\":\"stderr\"}\n" }.joined(),
    ]
  )
  func bracedCrash(text: String) throws {
    _ = try folder.file("log.txt", text)
    let run = try run("log.txt")
    #expect(run.output.contains("KVO008"))
    #expect(run.status == 1)
  }

  @Test(
    "a report is found behind a long list of images, or behind anything else",
    arguments: [true, false]
  )
  func longHead(isList: Bool) throws {
    let images = (0..<520).map { number in
      #"{"image_addr":\#(4_340_432_896 + number * 65_536),"image_size":163840,"cpu_type":16777228,"#
        + #""name":"/System/Library/PrivateFrameworks/Gauge\#(number).framework/Gauge\#(number)"}"#
    }
    let filler = String(repeating: "gauge ", count: 12_000)
    let front =
      isList
      ? #"{"report":{"version":"3.3.0","process_name":"Gauges","type":"standard"},"binary_images":["#
        + images.joined(separator: ",") + "]"
      : #"{"number":3,"label":"\#(filler)""#
    let report =
      front + #","crash":{"error":{"type":"nsexception","nsexception":{"name":"NSRangeException"},"#
      + #""reason":"Cannot remove an observer <GaugeView 0x1> for the key path \"level\" from <Meter 0x2> "#
      + #"because it is not registered as an observer."},"threads":[]}}"#
    _ = try folder.file("report.json", report)
    let run = try run("report.json")
    #expect(run.output.contains("KVO002"))
    #expect(run.status == 1)
  }

  @Test("a report that comes in pieces is the same as one from a file", arguments: [2, 30, 150])
  func pieces(byteCount: Int) throws {
    let report =
      #"{"event_id":"1a","tags":[["gauge","level"],["dial","turn"]],"platform":"cocoa","#
      + #""exception":{"values":[{"type":"NSRangeException","value":"Cannot remove an observer "#
      + #"<GaugeView 0x1> for the key path \"level\" from <Meter 0x2> because it is not registered as an "#
      + #"observer."}]}}"#
    _ = try folder.file("report.json", report)
    let script =
      "(head -c \(byteCount) report.json; sleep 0.3; tail -c +\(byteCount + 1) report.json) | \"$audit\" -"
    let run = try CommandRun(shell: script, in: folder.url)
    #expect(run.output.contains("KVO002"))
    #expect(run.status == 1)
  }

  @Test("an event of the app in a report does not make it a usage log", arguments: ["", "\n"])
  func appEvent(end: String) throws {
    let report =
      #"{"event_id":"1a","breadcrumbs":{"values":[{"data":{"event":"tap"}}]},\#(end)"#
      + #""exception":{"values":[{"type":"NSRangeException","value":"Cannot remove an observer "#
      + #"<GaugeView 0x1> for the key path \"level\" from <Meter 0x2> because it is not registered as an "#
      + #"observer."}]}}"#
    _ = try folder.file("report.json", report)
    let run = try run("report.json")
    #expect(run.output.contains("KVO002"))
    #expect(run.status == 1)
  }

  @Test("a console in which the app prints events of its own is a text")
  func printedEvents() throws {
    let text = """
      {"event":"app_open","screen":"Meter"}
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer \
      <GaugeView 0x1> for the key path "level" from <Meter 0x2> because it is not registered as an observer.'
      {"event":"app_close"}
      """
    _ = try folder.file("console.txt", text)
    let run = try run("console.txt")
    #expect(run.output.contains("KVO002"))
    #expect(run.status == 1)
  }

  @Test(
    "the records of a collector without a fault are a text",
    arguments: [
      "{\"log\":\"started\\n\",\"stream\":\"stdout\"}\n",
      "{\"level\":30,\"msg\":\"started\"}\n",
    ]
  )
  func cleanRecords(text: String) throws {
    _ = try folder.file("log.txt", text)
    #expect(try run("log.txt").status == 0)
  }

  @Test(
    "JSON does not become text by a brace",
    arguments: ["{\n  \"level\": 2\n}\n", "{\"level\":2}\n"]
  )
  func otherJSON(text: String) throws {
    _ = try folder.file("log.json", text)
    #expect(try run("log.json").status == 65)
  }

  @Test("reads a usage log and a crash report in one run, and damaged JSON as text")
  func mixed() throws {
    _ = try folder.file("a.crash", Self.report("a", date: "2026-01-02", system: "iOS 17.0 (21A1)"))
    _ = try folder.file("log.jsonl", #"{"event":"process","schema":1,"complete":true}"# + "\n")
    _ = try folder.file("torn.ips", #"{"app_name":"Gauges"}"# + "\n" + #"{"threads":[{"fra"#)
    let run = try run("a.crash", "log.jsonl", "torn.ips")
    #expect(run.complaint == "")
    #expect(
      run.output.contains(
        """
        DAMAGED: 1 line of torn.ips cannot be read as JSON
          torn.ips:2:1: not JSON: a string has no end; the rest is read as text

        """
      )
    )
    #expect(
      run.output.hasSuffix(
        "SUMMARY: 1 error, 0 warnings in 1 event from 1 process (0 observations live at the end) and "
          + "1 report with findings from 2 texts\n"
      )
    )
    #expect(run.status == 1)
  }

  @Test(
    "a diagnostic of MetricKit is known by its tree, whatever stands first, and one of a hang is clean"
  )
  func metricKit() throws {
    let tree =
      #"{"version":"1.0.0","callStackTree":{"callStacks":[{"callStackRootFrames":[{"binaryName":"Gauges"}]}]}"#
    let sentence =
      #"Cannot remove an observer <GaugeView 0x1> for the key path \"level\" from <Meter 0x2> because it is not registered as an observer."#
    _ = try folder.file(
      "crash.json",
      tree + #","diagnosticMetaData":{"signal":6,"objectiveCexceptionReason":{"composedMessage":""#
        + sentence + #""}}}"#
    )
    #expect(try run("crash.json").output.contains("KVO002"))
    _ = try folder.file("hang.json", #"{"hangDiagnostics":["# + tree + "}]}")
    let hang = try run("hang.json")
    #expect(hang.status == 0, "\(hang.output)")
    #expect(hang.complaint == "")
  }

  @Test("the page escapes the content of reports, and loads nothing")
  func page() throws {
    _ = try folder.file(
      "evil.txt",
      #"Cannot remove an observer <X 0x1> for the key path "</code><script>alert(1)</script>" from <Meter 0x2> because it is not registered as an observer."#
    )
    let page = try run("--format", "html", "evil.txt").output
    #expect(page.hasPrefix("<!DOCTYPE html>"))
    #expect(page.split(separator: "<script").count == 2, "its own script, and no other")
    #expect(!page.contains("<script>alert"))
    // A click opens that page of another site.
    let rest = page.replacing("https://profiler.firefox.com", with: "")
    #expect(!rest.contains("http:") && !rest.contains("https:") && !rest.contains("src="))
    #expect(page.contains("KVO002"))
  }
}
