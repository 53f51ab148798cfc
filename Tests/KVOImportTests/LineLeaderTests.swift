import KVOFindings
import KVORules
import Testing

@testable import KVOImport

/// Stacks whose lines have a front that no list of known logs has.
@Suite("Fronts of lines") struct LineLeaderTests {
  @Test(
    "what a tool puts before each line is removed from a sentence and its stack",
    arguments: [
      // Test runners.
      "[debug] [XCUITest] ", "2024-03-01 10:11:12:345 - info: [debug] [iOSSim] ",
      "[XCUITestDriver@3f2a (ab12cd34)] ", "[debug] [WebDriverAgent] Sim: ",
      "10:11:12.123 detox[77644] i ", "detox[42222] ERROR: [Detox.js/APP_CRASH] ", " ERROR  ",
      "[x] ", "❌ ",
      // Build services.
      "\u{1b}_bk;t=1709287872123\u{7}", "Step #1 - \"test\": ", "##[error]", "[ios-tests] ",
      "[12:00:00][Step 1/2] ", "[12:00:00]i:\t [Step 1/2] ", "2024-03-01T10:11:12.123456Z 01O ",
      "(10:11:12) ", "app:test: ", "> nx run app: ",
      // Systems.
      "2024-03-01 10:11:12.123 Df Gauges[4711:1a2b3c] (Foundation) ",
      "2024-03-01 10:11:12.123 Df Gauges[4711:1a2b3c] [com.example.gauges:log] ",
      "gauges-7d9 app ", "9/3/16 10:11:12.345 Gauges[4711]: ", "I/flutter ( 1234): ",
      // Editors.
      "  12 | ", "12: ", " 12\t",
    ]
  )
  func fronts(front: String) {
    for lines in [RemovalCrash.lines, RemovalCrash.wrapped] {
      let imported = Reading.imported(Array(lines.map { front + $0 + "\n" }.joined().utf8))
      #expect(imported.findings.map(Reading.summary) == ["KVO002 Meter.level < GaugeView"])
      let frames = imported.findings.first?.stacks.first?.frames.map(\.symbol) ?? []
      #expect(frames == ["__exceptionPreprocess", "-[GaugeView stop]"])
      #expect(imported.isCrash)
    }
  }

  @Test("a statement of an exception that is wrapped shows the front of its lines, without a stack")
  func wrapped() {
    let parts = [RemovalCrash.lines[0].prefix(150), RemovalCrash.lines[0].dropFirst(150)]
    let text = parts.map { "[debug] [XCUITest] " + $0 + "\n" }.joined()
    #expect(Reading.summary(text) == ["KVO002 Meter.level < GaugeView"])
  }

  @Test("a bad access behind such a front is found")
  func badAccess() {
    let lines = [
      "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)", "Crashed Thread:  0", "",
      "Thread 0 Crashed:",
      "0   Foundation                    0x0000000181d1 NSKeyValueNotifyObserver + 96",
      "1   Foundation                    0x0000000181d2 NSKeyValueDidChange + 300",
      "2   Gauges                        0x0000000100d2 -[Meter setLevel:] + 300",
    ]
    for front in ["[debug] [XCUITest] ", "[12:00:00][Step 1/2] ", "\u{1b}_bk;t=1709287872123\u{7}"]
    {
      let text = lines.map { front + $0 + "\n" }.joined()
      #expect(Reading.summary(text) == ["KVO008 ?.? < ?"])
    }
  }

  @Test("the head of a report in a log is read")
  func head() {
    let lines = [
      "Incident Identifier: A", "Process:             Gauges [42]",
      "Version:             1.2 (3)", "OS Version:          iPhone OS 13.3 (17C54)", "",
      "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)", "", "Thread 0 Crashed:",
      "0   Foundation  0x0000000181d1 NSKeyValueNotifyObserver + 96",
      "1   Gauges  0x0000000100d2 -[Meter setLevel:] + 300",
    ]
    for front in ["[debug] [XCUITest] ", "2024-03-01T10:11:12.1234567Z "] {
      let text = "\(front)Version: 9\n" + lines.map { front + $0 + "\n" }.joined()
      let facts = Reading.findings(text).first?.crashFacts
      #expect(facts?.systems == ["iOS 13.3": 1])
      #expect(facts?.processes == ["Gauges": 1])
      #expect(facts?.versions == ["1.2 (3)": 1])
    }
  }

  @Test("backtraces of a debugger have such a front, too")
  func debugger() {
    let leaders = LineLeader.all(
      in: Array(
        """
        [lldb] * frame #0: 0x00000001a1 App`-[GaugeView stop] at GaugeView.m:3
        [lldb]   frame #1: 0x00000001a2 App`main
        [lldb]   frame #2: 0x00000001a3 dyld`start
        """.utf8
      )[...]
    )
    #expect(leaders.count == 1)
  }

  @Test(
    "comments, quotations, code and frames alone have none",
    arguments: [
      "// ", "/// ", " * ", "# ", "-- ", "; ", "> ", "  ", "// CHECK: ", "# CHECK-NEXT: ",
      "    NSLog(@\"", "printf '", "| ", "echo ",
    ]
  )
  func others(front: String) {
    let text = RemovalCrash.lines.map { front + $0 + "\n" }.joined()
    #expect(LineLeader.all(in: Array(text.utf8)[...]).isEmpty)
  }

  @Test(
    "a tool that shows source code leaves comments in it what they are",
    arguments: [
      "Tests/GaugeTests.m:12:    ", "a1b2c3d4 (Ann 2024-03-01 10:11:12 +0000 17) ", "+",
    ]
  )
  func shownCode(front: String) {
    let code = RemovalCrash.lines.map { "// " + $0 } + ["func stop() {", "}"]
    let imported = Reading.imported(Array(code.map { front + $0 + "\n" }.joined().utf8))
    #expect(imported.findings.isEmpty)
    #expect(!imported.isCrash)
  }

  @Test("so it does in a script")
  func shownScript() {
    let code = RemovalCrash.lines.map { "# " + $0 } + ["def stop():", "  pass"]
    let text = code.map { "tests/gauge.py:12:    " + $0 + "\n" }.joined()
    #expect(Reading.summary(text).isEmpty)
  }

  @Test("a front before frames that do not follow each other is none")
  func apart() {
    let text = """
      see 4   Gauges  0x000000010efa11e7 -[GaugeView stop] + 29
      see 9   Gauges  0x000000010efa11e7 -[GaugeView stop] + 29
      """
    #expect(LineLeader.all(in: Array(text.utf8)[...]).isEmpty)
  }
}
