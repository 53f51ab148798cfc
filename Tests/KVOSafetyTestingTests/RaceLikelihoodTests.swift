import Foundation
import KVOAudit
import KVORules
import KVOSafety
import KVOSymbols
import TestSupport
import Testing

/// How likely a race is seen (KVO024), which is for a report to say: a test can only hold that no order of
/// correct changes is taken for one.
///
/// `KVO_SAFETY_RACES=200` runs each shape so often, and writes Reports/race-likelihood.md.
@Suite("Changes that race")
struct RaceLikelihoodTests {
  @Test("are never seen if the same changes are sequential")
  func serial() async {
    await #expect(processExitsWith: .success) {
      for shape in RaceShape.all {
        let found = try Self.findings(of: shape, isSerial: true)
        #expect(found == [], "\(shape.name)")
      }
    }
  }

  @Test(
    "are counted",
    .enabled(if: ProcessInfo.processInfo.environment["KVO_SAFETY_RACES"] != nil, "takes minutes")
  )
  func likelihood() async {
    await #expect(processExitsWith: .success) {
      let environment = ProcessInfo.processInfo.environment
      let count = Int(environment["KVO_SAFETY_RACES"] ?? "") ?? 0
      try #require(count > 0)
      KVO.policy.setAll(.call { _ in })
      var lines: [String] = []
      for shape in RaceShape.all {
        var seenCount = 0
        for _ in 0..<count {
          let found = try Self.findings(of: shape, isSerial: false)
          #expect(Set(found).isSubset(of: ["KVO024"]), "\(shape.name)")
          seenCount += found.contains("KVO024") ? 1 : 0
        }
        lines.append("| \(shape.name) | \(seenCount) of \(count) |")
      }
      let cores = ProcessInfo.processInfo.activeProcessorCount
      let text = """
        # How likely a race is seen

        KVO024 is of two changes that overlapped while a log was written, not of two that could have. Each shape of
        race ran \(count) times, each time with a log and an audit of its own, on a machine with \(cores) cores that
        others used, in a debug build; the column says in how many of them the audit reported the race. The same changes
        one after the other gave no finding (`RaceLikelihoodTests`). Live, and in tests without a log, the rule does not judge.

        | shape | seen |
        |---|---|
        \(lines.joined(separator: "\n"))

        `KVO_SAFETY_RACES=\(count) swift test --filter RaceLikelihoodTests` writes this file anew.

        """
      let file = ProgramRun.package.appending(path: "Reports/race-likelihood.md")
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  /// The codes of what the audit of one recorded run of `shape` finds above a note.
  private static func findings(of shape: RaceShape, isSerial: Bool) throws -> [String] {
    let path = NSTemporaryDirectory() + "race-\(UUID().uuidString).kvolog"
    try KVO.startRecording(to: path, byteLimit: 1 << 26)
    let gauge = Gauge(isSerial: isSerial)
    gauge.observed(shape.keyPath) { shape.race(SharedGauge(gauge)) }
    KVO.stopRecording()
    let report = Audit(resolver: DwarfFrameResolver())
      .report(on: AuditInput.inputs(arguments: [path]))
    try FileManager.default.removeItem(atPath: path)
    return report.findings.filter { $0.severity != .note }.map(\.code.rawValue)
  }
}
