import KVOFindings
import KVORules
import Testing

/// Crashes of several processes in one text, and crashes after a long text.
@Suite("Several processes") struct SeveralProcessesTests {
  private static func crash(_ front: String) -> String {
    front
      + """
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer \
      <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer.'
      *** First throw call stack:
      (
      \t0   CoreFoundation  0x000000010efa11e6 __exceptionPreprocess + 294
      \t1   Gauges  0x000000010efa11e7 -[GaugeView stop] + 29
      )

      """
  }

  @Test("equal addresses of two processes of a program are two crashes")
  func two() {
    let front = "2024-03-01 10:11:12.123 Gauges[4711:1a] "
    let other = "2024-03-01 10:11:12.123 Gauges[4712:1a] "
    let findings = Reading.findings(Self.crash(front) + Self.crash(other))
    #expect(findings.map(\.count) == [2])
  }

  @Test(
    "so they are in the forms of a device's log and of the unified log",
    arguments: [
      "Mar  1 10:11:12 iPhone Gauges(CoreFoundation)[4711] <Notice>: ",
      "2024-03-01 10:11:12.123456+0100 0x1a2b     Error       0x0                  4711   0    Gauges: ",
      "2024-03-01 10:11:12.123456+0100 0x1a2b     Default     0x0                  4711   0    Gauges: "
        + "(CoreFoundation) [com.example.gauges:main] ",
    ]
  )
  func forms(front: String) {
    let sentence = Self.crash("").prefix { $0 != "\n" } + "\n"
    let other = front.replacing("4711", with: "4712")
    #expect(Reading.findings(front + sentence + other + sentence).map(\.count) == [2])
    #expect(Reading.findings(front + sentence + front + sentence).map(\.count) == [1])
  }

  @Test("the kind of a message in the compact form of the unified log is no part of the process")
  func compact() {
    for kind in ["Df ", "Db ", "E  "] {
      let front = "2024-03-01 10:11:12.123 \(kind)Gauges[812:1a2b] (CoreFoundation) "
      let facts = Reading.findings(Self.crash(front)).first?.crashFacts
      #expect(facts?.processes == ["Gauges": 1])
    }
    let front = "2024-03-01 10:11:12.123 My Gauges[812:1a2b] "
    let facts = Reading.findings(Self.crash(front)).first?.crashFacts
    #expect(facts?.processes == ["My Gauges": 1])
  }

  @Test(
    "the name of the computer and the library that logs are no part of the process",
    arguments: [
      "2024-03-01 10:11:12.123456+0100  localhost Gauges[812]: (CoreFoundation) ",
      "2024-03-01T10:11:12.123456+01:00 host Gauges[812]: ",
      "2024-03-01 10:11:12.123456 Gauges{CoreFoundation}[812] <ERROR>: ",
      "2024-03-01 10:11:12.123456 Gauges(CoreFoundation)[812] <Error>: ",
      "2024-03-01 10:11:12.123456+0100 Gauges[812:99001] ",
    ]
  )
  func hosts(front: String) {
    let facts = Reading.findings(Self.crash(front)).first?.crashFacts
    #expect(facts?.processes == ["Gauges": 1])
  }

  @Test(
    "a crash that one process prints twice, or another prints again, is one",
    arguments: [
      "2024-03-01 10:11:13.123 Gauges[4711:2b] ", "2024-03-01 10:11:13.123 SpringBoard[58:1a] ", "",
    ]
  )
  func one(other: String) {
    let front = "2024-03-01 10:11:12.123 Gauges[4711:1a] "
    let findings = Reading.findings(Self.crash(front) + Self.crash(other))
    #expect(findings.map(\.count) == [1])
  }

  private static let filler = (0..<3_000).map { "line \($0) of a log without any of those terms\n" }
    .joined()

  @Test("a statement of a crash is found at the end of a long text without a word of KVO")
  func late() {
    let crash =
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: '*** index 4 beyond "
      + "bounds'\n"
    for text in [crash, "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\n"] {
      let late = Array((Self.filler + text + Self.filler).utf8)
      for size in [1 << 10, 1 << 18, late.count] {
        #expect(Reading.imported(late, pieceByteCount: size).isCrash)
      }
    }
  }

  @Test("source code that has such words in a long text states no crash")
  func code() {
    let code = """
      func check() {
        // *** Terminating app due to uncaught exception 'NSRangeException', reason: 'x'
        let type = "Exception Type: SIGSEGV"
        stop()
      }

      """
    let text = Array((Self.filler + code + Self.filler).utf8)
    #expect(!Reading.imported(text).isCrash)
  }
}
