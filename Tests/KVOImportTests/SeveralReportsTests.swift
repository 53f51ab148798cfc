import KVOFindings
import KVORules
import Testing

/// Several crash reports in a log whose lines have the words of a service before them.
@Suite("Several reports in a log") struct SeveralReportsTests {
  private static func report(_ number: Int, _ observer: String = "GaugeView") -> [String] {
    [
      "Incident Identifier: 0A1B2C3D-0000-0000-0000-00000000000\(number)",
      "Process:         Gauges [12\(number)]",
      "Version:         1.\(number)",
      "OS Version:      iOS 10.\(number)",
      "",
      "Exception Type:  EXC_CRASH (SIGABRT)",
      "",
      "Application Specific Information:",
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer "
        + "<\(observer) 0x1a0> for the key path \"level\" from <Meter 0x2b0> because it is not registered as an "
        + "observer.'",
      "",
      "Last Exception Backtrace:",
      "0   CoreFoundation  0x18e6a81c0 __exceptionPreprocess + 124",
      "1   libobjc.A.dylib 0x18d0e055c objc_exception_throw + 56",
      "2   Gauges          0x1000a11e8 -[\(observer) stop] + 29",
    ]
  }

  @Test("an exception in words has no stack of another one, which is found, too")
  func otherException() {
    let text = """
      Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer.

      Last Exception Backtrace:
      0   CoreFoundation   0x187ec8878 __exceptionPreprocess + 220
      1   libobjc.A.dylib  0x19c3cec50 objc_exception_throw + 60
      2   Foundation       0x1891ed7bc -[NSObject(NSKeyValueObserving) observeValueForKeyPath:ofObject:change:context:] + 264
      3   Foundation       0x1891ed8e0 NSKeyValueNotifyObserver + 292
      4   Gauges           0x10223d540 -[Meter setLevel:] + 24
      """
    let findings = Reading.findings(text)
    let says = findings.map(Reading.summary).sorted()
    #expect(says == ["KVO002 Meter.level < GaugeView", "KVO017 ?.? < ?"])
    let removal = findings.first { $0.keyPath == "level" }
    #expect(removal?.stacks.first?.frames.isEmpty == true)
  }

  @Test("a crash in a notification is found beside the stack of another exception")
  func otherCrash() {
    let text = """
      Crashed: com.apple.main-thread
      0  libobjc.A.dylib  0x180a5e7e8 object_isClass + 16
      1  Foundation       0x181eff8ec NSKeyValueWillChange + 300
      2  Gauges           0x18555a6dc -[Meter setLevel:] + 156

      Last Exception Backtrace:
      0  CoreFoundation   0x187ec8878 __exceptionPreprocess + 220
      1  libobjc.A.dylib  0x19c3cec50 objc_exception_throw + 60
      2  Gauges           0x18555a700 -[Dial turn:] + 24
      """
    #expect(Reading.summary(text) == ["KVO008 ?.? < ?"])
    let raised = text.replacing("object_isClass", with: "objc_exception_rethrow")
    #expect(Reading.summary(raised) == [])
  }

  static let prefixes = [
    "", "2024-03-01T10:11:12.123456Z ", "[web] ", "web-1  | ", "2024-03-01T10:11:12.1Z stderr F ",
    "> ",
    "// ", "job\tRun\t2024-03-01T10:11:12.1234567Z ", "Mar  1 10:11:12 host ReportCrash[77]: ",
  ]

  @Test("each is separate, with its own stack and facts", arguments: prefixes)
  func separate(prefix: String) {
    let lines = Self.report(1) + Self.report(2) + Self.report(3, "DialView")
    let findings = Reading.findings(lines.map { prefix + $0 + "\n" }.joined())
      .sorted { $0.count > $1.count }
    #expect(
      findings.map(Reading.summary)
        == ["KVO002 Meter.level < GaugeView", "KVO002 Meter.level < DialView"]
    )
    #expect(findings.map(\.count) == [2, 1])
    #expect(findings.first?.crashFacts?.versions == ["1.1": 1, "1.2": 1])
    #expect(findings.last?.crashFacts?.versions == ["1.3": 1])
    let own = findings.compactMap { $0.stacks.first?.frames.first(where: \.isFirstOwn)?.symbol }
    #expect(own == ["-[GaugeView stop]", "-[DialView stop]"])
  }

  @Test("a report without a stack has the lines of the one before it", arguments: prefixes)
  func withoutStack(prefix: String) {
    // The second is cut, and its sentence was wrapped.
    let words = Self.report(2)
    let reason = words[8].drop { $0 != "," }.dropFirst(2)
    let cut = words.prefix(8) + ["\(reason.prefix(20))", "\(reason.dropFirst(20))"]
    let findings = Reading.findings((Self.report(1) + cut).map { prefix + $0 + "\n" }.joined())
    #expect(
      findings.map(Reading.summary) == Array(repeating: "KVO002 Meter.level < GaugeView", count: 2)
    )
    #expect(
      findings.flatMap { $0.crashFacts?.versions.keys.sorted() ?? [] }.sorted() == ["1.1", "1.2"]
    )
  }

  @Test("labels of a log without an exception's type begin no report", arguments: prefixes)
  func labels(prefix: String) {
    let lines = Self.report(1).prefix(9) + ["Process: stopped"] + Self.report(1).suffix(4)
    let findings = Reading.findings(lines.map { prefix + $0 + "\n" }.joined())
    #expect(findings.map(\.count) == [1])
  }
}
