import Foundation
import TestSupport
import Testing

/// Logs of `ParkedProbe`.
@Suite("kvo-audit of loops that wait")
struct ParkedCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Runs the program, recorded.
  private func record(_ arguments: [String], _ log: String) throws -> ProgramRun {
    let run = try ProgramRun(
      try ProgramRun.built("ParkedProbe"),
      arguments,
      in: folder.url,
      environment: ["KVO_SAFETY_LOG": log]
    )
    #expect(run.status == 0, "\(run)")
    return run
  }

  private func census(_ log: String) throws -> String {
    try CommandRun(["census", "--parked", log], in: folder.url).output
      .replacing(#/ \d+\.\d s/#, with: " 0.0 s")
  }

  @Test(
    "census --parked lists what waits when the process exits, by line, with the names and priorities of tasks",
    arguments: ["app.kvolog", "app.jsonl"]
  )
  func exit(log: String) throws {
    let run = try record(["leave"], log)
    #expect(run.output.contains("KVO043"))
    #expect(
      try census(log) == """
        CENSUS: 6 consumers have not ended at the end of \(log) (the process ended), 6 wait
          count  waiting  longest  orphaned  awaited          made at             priority    tasks
              3        3    0.0 s         0  prices           LeftLoops.swift:22  high        row 0, row 1, row 2
              1        1    0.0 s         0  Account.balance  LeftLoops.swift:29  background
              1        1    0.0 s         0  events           LeftLoops.swift:27  medium
              1        1    0.0 s         1  reply            LeftLoops.swift:34  medium      login

        """
    )
  }

  @Test("nothing is found of loops that all end, and none is left")
  func churn() throws {
    let count = Rounds.areMany ? 100_000 : 2_800
    let run = try record(["churn", "\(count)"], "churn.kvolog")
    #expect(run.output == "rounds \(count) waiting 0 observed 0 reported 0\n")
    #expect(run.complaint == "")
    #expect(
      try census("churn.kvolog")
        == "CENSUS: 0 consumers have not ended at the end of churn.kvolog (the process ended)\n"
    )
    let audit = try CommandRun(["--no-config", "churn.kvolog"], in: folder.url)
    #expect(audit.status == 0, "\(audit.output)")
  }
}
