import KVOFindings
import KVORules
import Testing

/// Stacks in the logs of build services, containers and tools.
@Suite("Prefixes of services") struct ServicePrefixTests {
  private static let removal =
    #"Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not registered as an observer."#

  @Test(
    "what services put before each line is removed from a stack",
    arguments: [
      "[2024-03-01T10:11:12.123Z] ", "[ +123 ms] ", "[        ] ",
      "2024-03-01T10:11:12.123456789Z stderr F ",
      "app-1  | ", "app_1  | ", "0|app  | ", "2024-03-01T10:11:12.1234567Z ##[error]",
      "<11>1 2024-03-01T10:11:12.003Z host app 123 ID47 - ",
      "2024-03-01T10:11:12+00:00 app[web.1]: ",
      "2024-03-01 10:11:12.123456+0100 0x1a2b     Error       0x0                  1234   0    Gauges: ",
      "2024-03-01 10:11:12.123456+0100 0x1a2b     Default     0x2f1                1234   7    Gauges: "
        + "(CoreFoundation) [com.example.gauges:main] ",
      "[ERROR] :  ", "[WARN] ",
    ]
  )
  func prefixes(prefix: String) {
    let lines = [
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: '\(Self.removal)'",
      "*** First throw call stack:", "(",
      "\t0   CoreFoundation  0x000000010efa11e6 __exceptionPreprocess + 294",
      "\t1   Gauges  0x000000010efa11e7 -[GaugeView stop] + 29", ")",
    ]
    let findings = Reading.findings(lines.map { prefix + $0 + "\n" }.joined())
    #expect(findings.map(Reading.summary) == ["KVO002 Meter.level < GaugeView"])
    let frames = findings.first?.stacks.first?.frames.map(\.symbol) ?? []
    #expect(frames == ["__exceptionPreprocess", "-[GaugeView stop]"])
  }

  @Test(
    "a level before each line is removed without a stack",
    arguments: ["[ERROR] :  ", "[FATAL] "]
  )
  func levels(prefix: String) {
    let words = Self.removal.replacing(" \"level\"", with: "\n\(prefix)\"level\"")
    #expect(Reading.summary("\(prefix)\(words)\n") == ["KVO002 Meter.level < GaugeView"])
  }
}
