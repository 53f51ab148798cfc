import Foundation
import TestSupport
import Testing

/// Programs under the library, with one of its own calls to the system that fails.
@Suite(
  "A system call that fails in the library for Objective-C programs",
  .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot)
)
struct PreloadFaultTests {
  private let shim: FaultShim
  // The library that the shim is in.
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    shim = try FaultShim(in: folder)
  }

  /// A program and its scenario, with what is contained, and the rules that are found in its log.
  struct Scenario: Sendable, CustomTestStringConvertible {
    var program: String
    var name: String
    var contain = ""
    var codes: [String] = []

    var testDescription: String { "\(program) \(name) \(contain)" }
  }

  /// The first two in the short form.
  private static let scenarios = [
    Scenario(program: "Correct", name: "deep"),
    Scenario(program: "Faults", name: "observer-dies", contain: "all", codes: ["KVO007"]),
    Scenario(program: "Correct", name: "by-hand"),
    Scenario(program: "Correct", name: "added-elsewhere", contain: "all"),
    Scenario(program: "Faults", name: "removed-twice", codes: ["KVO001"]),
  ].prefix(Rounds.areMany ? 5 : 2)

  @Test(
    "changes neither output nor status, and makes no log that looks whole and is not",
    arguments: scenarios
  )
  func failing(scenario: Scenario) throws {
    let program = try ObjectiveC.program(scenario.program)
    let library = try ObjectiveC.library()
    func run(_ environment: [String: String]) throws -> (Guarded, ProgramRun) {
      let guarded = try Guarded()
      return try (
        guarded,
        guarded.recorded(
          program,
          [scenario.name],
          contain: scenario.contain,
          environment: environment
        )
      )
    }
    let bare = try Guarded().raw(program, [scenario.name])
    let counting = folder.path("counts")
    let (whole, expected) = try run(shim.environment(countingInto: counting, of: library))
    #expect(try whole.findings().map(\.code) == scenario.codes)
    let counts = try FaultShim.counts(in: counting)
    // A log that another process has locked gets another name: see HardshipTests.
    let faults = FaultShim.faults(in: counts, limit: 20).filter { $0.call != "flock" }
    #expect(Set(faults.map(\.call)).isSuperset(of: ["open", "mmap", "malloc"]))
    for fault in faults {
      let (guarded, outcome) = try run(shim.environment(fault, of: library))
      let lines = outcome.complaint.split(separator: "\n")
      let said = lines.filter { $0.hasPrefix("KVOSafety: ") }
      // Without a log, or without memory, it contains nothing.
      let isUncontained = fault.error == ENOMEM || !said.isEmpty
      let allowed = isUncontained ? [expected, bare] : [expected]
      let isAllowed = allowed.contains {
        $0.status == outcome.status && $0.output == outcome.output
      }
      #expect(isAllowed, "\(fault): \(outcome)")
      guard try !guarded.logs.isEmpty else {
        #expect(!said.isEmpty, "\(fault): there is no log, and no message says so")
        continue
      }
      let audit = try guarded.command(
        ["--format", "json"] + guarded.logs.map(\.lastPathComponent)
      )
      if audit.status == 65 {
        let isSaid = !said.isEmpty || audit.complaint.contains("could not be recorded")
        #expect(isSaid, "\(fault): \(audit)")
        continue
      }
      let found = try JSONDecoder().decode(FoundFaults.self, from: Data(audit.output.utf8)).findings
      #expect(found.map(\.code) == scenario.codes, "\(fault): \(audit)")
    }
    print("fault matrix: \(scenario.testDescription): \(faults.count) runs, one failing call each")
  }
}
