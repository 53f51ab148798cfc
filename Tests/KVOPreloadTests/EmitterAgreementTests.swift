import Foundation
import TestSupport
import Testing

/// Every program of the suite, with the emitter in it: what its log gives is what the preloaded library's gives.
@Suite("The emitter and the library", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct EmitterAgreementTests {
  /// What is compared of a finding.
  ///
  /// Numbers of objects and events are the writer's own.
  private struct Verdict: Decodable, Hashable, CustomStringConvertible {
    struct Object: Decodable, Hashable {
      let `class`: String?
    }

    let code: String
    let severity: String
    let subject: Object?
    let observer: Object?
    let keyPath: String?
    /// Removed if it is an address, which differs from process to process.
    var context: String?
    let library: Bool?
    /// Made of the classes, the key path and the functions on the stack.
    let signature: String

    var description: String {
      """
      \(code) \(severity)\(library == true ? " (library)" : "") \(observer?.class ?? "-") at \
      \(keyPath ?? "-") of \(subject?.class ?? "-"), \(context ?? "-"), \(signature)
      """
    }
  }

  private struct Findings: Decodable {
    let findings: [Verdict]
  }

  /// The runs of all programs, each by the program and its arguments.
  private static let runs: [String] =
    Fault.all.map { "Faults \($0.name)" } + MistakeTests.all.map { "Mistakes \($0.name)" }
    + ["Mistakes initial-raises-changed"] + CorrectProgram.all.map { "Correct \($0.name)" }
    + ["Correct own-dependency", "Features", "Threads"]
    + ["fork", "exec", "killed", "signal"].map { "Processes \($0)" }
    + ["faulty", "correct", "refused", "raising", "threads"].map { "Observing \($0)" }
    + PortedProgram.all.map { "Ported \($0.name)" } + ["Random 1 10"]
    + RandomProgramTests.faults.map { "Random 977 2 \($0.name)" }

  /// And those for 1.28 alone.
  ///
  /// `Contexts.m` adds a removal to a Foundation that has none. In `Deaths.m` a newer GNUstep raises inside a
  /// deallocation, and the process ends before the emitter writes the end of it.
  private static let runsOnDistributions =
    runs + ContextCase.all.map { "Contexts \($0.name)" } + Death.all.map { "Deaths \($0.name)" }
    + ["Leftovers zero-in-key"]

  /// All in the long form; in the short form every eighth, and every fourth of those with a row.
  private static let compared = runsOnDistributions.enumerated()
    .filter { index, run in
      let row = EmitterDifference.all.firstIndex { $0.run == run }
      return Rounds.includes(index, every: 8) || row.map { Rounds.includes($0, every: 4) } ?? false
    }
    .map(\.element)

  @Test("they find the same, except for the differences in the table", arguments: compared)
  func agreement(run: String) throws {
    let (missing, additional) = try differences(of: run, on: .distributions)
    let row = EmitterDifference.all.first { $0.run == run }
    let varying = row?.varying ?? []
    #expect(
      missing.map(\.code).filter { !varying.contains($0) }
        == (row?.missing ?? []).filter { !varying.contains($0) },
      "the library alone: \(missing)"
    )
    #expect(Set(missing.map(\.code)).isSubset(of: row?.missing ?? []))
    #expect(additional.map(\.code) == row?.additional ?? [], "the emitter alone: \(additional)")
  }

  @Test(
    "nor do they differ in more on a newer GNUstep",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer,
    runs
  )
  func newer(runtime: Runtime, run: String) throws {
    // The newest GNUstep itself crashes with long paths. Of a removal that raises the process ends in the middle of
    // what other threads do, and what of that is in the log is chance.
    let exceptions = [
      "Correct long-paths", "Random 977 2 removed-twice", "Random 977 2 never-added",
    ]
    if exceptions.contains(run) { return }
    let (missing, additional) = try differences(of: run, on: runtime)
    let row = EmitterDifference.all.first { $0.run == run }
    let known = Set((row?.missing ?? []) + (row?.onNewer ?? []))
    #expect(known.isSuperset(of: missing.map(\.code)), "the library alone: \(missing)")
    let knownOfEmitter = Set(row?.additional ?? [])
    #expect(
      knownOfEmitter.isSuperset(of: additional.map(\.code)),
      "the emitter alone: \(additional)"
    )
  }

  @Test("every row is of a run, and has a reason")
  func rows() {
    let names = EmitterDifference.all.map(\.run)
    #expect(Set(names).count == names.count && Set(names).isSubset(of: Self.runsOnDistributions))
    #expect(EmitterDifference.all.allSatisfy { !$0.why.isEmpty })
  }

  /// What one of the two finds alone, each ordered by code.
  private func differences(
    of run: String,
    on runtime: Runtime
  ) throws -> (missing: [Verdict], additional: [Verdict]) {
    let words = run.split(separator: " ").map(String.init)
    let program = try ObjectiveC.emitting(words[0], on: runtime)
    let emitting = try Guarded()
    let recording = try Guarded()
    let arguments = Array(words.dropFirst())
    let pattern = emitting.folder.path("log-%p.jsonl")
    let emitted = try emitting.raw(
      program,
      arguments,
      environment: ["KVO_SAFETY_EMITTER_LOG": pattern]
    )
    let recorded = try recording.recorded(program, arguments)
    #expect(emitted.output == recorded.output && emitted.status == recorded.status)
    var missing = try verdicts(recording, ending: ".kvolog")
    var additional: [Verdict] = []
    for verdict in try verdicts(emitting, ending: ".jsonl") {
      if let same = missing.firstIndex(of: verdict) {
        missing.remove(at: same)
      } else {
        additional.append(verdict)
      }
    }
    return (missing, additional)
  }

  private func verdicts(_ guarded: Guarded, ending: String) throws -> [Verdict] {
    let logs = try guarded.folder.names.filter { $0.hasSuffix(ending) }
    #expect(!logs.isEmpty)
    let report = try guarded.command(["--format", "json"] + logs).output
    var verdicts = try JSONDecoder().decode(Findings.self, from: Data(report.utf8)).findings
    for index in verdicts.indices where verdicts[index].context?.hasPrefix("0x") == true {
      verdicts[index].context = "0x…"
    }
    return
      verdicts
      // Whether two threads of a queue meet is chance.
      .filter { $0.code != "KVO024" }
      .sorted { $0.description < $1.description }
  }
}
