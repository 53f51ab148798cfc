import Foundation
import TestSupport
import Testing

/// Random programs over objects in Objective-C, observed by the Foundation that is installed, and over the same
/// objects in Swift.
///
/// What GNUstep 1.28 does otherwise is left out of the programs; Documentation/Scenarios.md has each difference.
/// `KVO_SAFETY_TWINS` makes more of them.
@Suite(
  "Random programs over Objective-C and Swift",
  .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot)
)
struct TwinTests {
  private static let count =
    ProcessInfo.processInfo.environment["KVO_SAFETY_TWINS"].flatMap(Int.init) ?? 1_000

  @Test("notify each observer of the same changes, in the same order", arguments: [1, 1_000_001])
  func same(seed: Int) throws {
    let library = try ObjectiveC.bundle("Twin").path
    let arguments = ["twins", library, "\(seed)", "\(Self.count)"]
    let run = try Guarded().raw(ProgramRun.built("ObjectiveCProbe"), arguments)
    #expect(run.status == 0)
    #expect(run.output == "done\n")
    #expect(run.complaint == "")
  }
}
