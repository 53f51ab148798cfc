import Foundation
import KVOAudit
import KVOReports
import TestSupport
import Testing

// `KVO_SAFETY_ROTATIONS=1000` runs so many programs.
@Suite("A correct program whose log rotates", .serialized, .enabled(if: !Tool.isSanitized))
struct CorrectProgramTests {
  private static let runCount =
    ProcessInfo.processInfo.environment["KVO_SAFETY_ROTATIONS"].flatMap { UInt64($0) } ?? 3

  @Test("has no finding and a whole log, for all threads, forks and limits")
  func correct() throws {
    var random = SplitMix64(seed: 21)
    for run in 0..<Self.runCount {
      let folder = try ScratchFolder()
      let limit = Int.random(in: 1 << 20...4 << 20, using: &random)
      let threadCount = Int.random(in: 1...8, using: &random)
      let forkCount = Int.random(in: 0...4, using: &random)
      let outcome = try Child(
        "RecorderProbe",
        ["rotates", folder.path("log"), "\(limit)", "\(threadCount)", "\(forkCount)"]
      ).end()
      #expect(outcome == Child.Outcome(), "run \(run): \(outcome)")
      let logs = try folder.names.filter {
        !$0.hasSuffix(".1") && !$0.hasSuffix(".2") && !$0.hasSuffix(".3")
      }
      #expect(logs.count == 1 + forkCount)
      for log in logs {
        let report = Audit().report(on: [.file(path: folder.path(log))])
        #expect(report.findings == [], "run \(run), \(log)")
        #expect(report.incompleteness == [], "run \(run), \(log)")
        #expect(report.failures == [])
        #expect(report.summary.eventCount > 40)
      }
    }
  }
}
