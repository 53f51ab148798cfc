import Foundation
import TestSupport
import Testing

/// The same programs on every GNUstep that there is: what they do alone, what is found, what is contained.
///
/// Reports/objective-c-runtimes.md is the record of it.
@Suite("Runtimes", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct RuntimeTests {
  private static let writes = ProcessInfo.processInfo.environment["KVO_SAFETY_WRITE_REPORTS"] == "1"
  private static let record = ObjectiveC.sources.deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Reports/objective-c-runtimes.md")

  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test("the distribution's is as the record has it")
  func distributions() throws { try compare(.distributions) }

  @Test(
    "a newer one is as the record has it",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer
  )
  func newer(runtime: Runtime) throws {
    try compare(runtime)
    let threads = try guarded.recorded(ObjectiveC.program("Threads", on: runtime))
    #expect(threads == ProgramRun(output: "3200 changes were told\n", complaint: "", status: 0))
  }

  @Test(
    "a correct program prints the same on a newer one, ends the same, and has no finding",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer,
    ["", "all"]
  )
  func features(runtime: Runtime, rules: String) throws {
    let program = try ObjectiveC.program("Features", on: runtime)
    try guarded.expectUnchanged(program, contain: rules)
  }

  @Test(
    "programs that are easily misjudged are correct on a newer one, too",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer,
    [
      // The newest GNUstep itself crashes with long paths, and libobjc2 gives no address again at once.
      "operations", "by-hand", "deep", "many-classes", "added-elsewhere", "through-register",
      "behind-proxy", "setter-catches",
    ]
  )
  func correct(runtime: Runtime, name: String) throws {
    let program = try ObjectiveC.program("Correct", on: runtime)
    for rules in ["", "all"] {
      let each = try Guarded()
      let raw = try each.raw(program, [name])
      let recorded = try each.recorded(program, [name], contain: rules)
      #expect(raw.status == 0)
      // What GNUstep itself says on standard error depends on which thread is first.
      #expect(recorded.output == raw.output && recorded.status == raw.status)
      let audit = try each.audit()
      #expect(audit.status == 0, "\(audit)")
      #expect(try each.findings().allSatisfy { $0.isLibrary }, "\(audit)")
    }
  }

  @Test(
    "a newer one reports a dependent key once, and that counts for the change of its own",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer
  )
  func ownDependency(runtime: Runtime) throws {
    _ = try guarded.recorded(ObjectiveC.program("Correct", on: runtime), ["own-dependency"])
    let audit = try guarded.audit()
    #expect(try guarded.findings().allSatisfy { $0.code != "KVO032" }, "\(audit)")
  }

  @Test(
    "a setter that raises is a fault of the program on a newer one, too, at its call",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer
  )
  func setterRaises(runtime: Runtime) throws {
    _ = try guarded.recorded(ObjectiveC.program("Mistakes", on: runtime), ["setter-raises"])
    let audit = try guarded.audit()
    let found = try guarded.findings()
    #expect(found.map(\.code) == ["KVO012"] && found.allSatisfy { !$0.isLibrary }, "\(audit)")
    #expect(audit.output.contains("> #0 setterRaises "), "\(audit)")
  }

  @Test(
    "changes that cross are one finding on a newer one, which notifies of the newest first",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer
  )
  func crosses(runtime: Runtime) throws {
    _ = try guarded.recorded(ObjectiveC.program("Mistakes", on: runtime), ["crosses"])
    let audit = try guarded.audit()
    #expect(try guarded.findings().map(\.code) == ["KVO012"], "\(audit)")
  }

  @Test(
    "a removal under a wrong context is contained by its own rule alone",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer
  )
  func wrongContext(runtime: Runtime) throws {
    let program = try ObjectiveC.program("Leftovers", on: runtime)
    let raw = try guarded.raw(program, ["removes-under-context"])
    let others = try guarded.recorded(program, ["removes-under-context"], contain: "KVO001,KVO002")
    #expect(others.withoutProcess == raw.withoutProcess)
    let own = try guarded.recorded(program, ["removes-under-context"], contain: "KVO003")
    #expect(own == ProgramRun(output: "done\n", complaint: "", status: 0))
  }

  private func compare(_ runtime: Runtime) throws {
    let section = try section(of: runtime)
    var text = try String(contentsOf: Self.record, encoding: .utf8)
    let mark = "\n## "
    let heading = "\(mark)\(runtime.title)\n"
    let start = text.range(of: heading)?.lowerBound ?? text.endIndex
    let rest = text[start...].dropFirst(heading.count)
    let end = rest.range(of: mark)?.lowerBound ?? text.endIndex
    #expect(String(text[start..<end]) == section || Self.writes)
    if Self.writes {
      text.replaceSubrange(start..<end, with: section)
      try Data(text.utf8).write(to: Self.record)
    }
  }

  private func section(of runtime: Runtime) throws -> String {
    let program = try ObjectiveC.program("Faults", on: runtime)
    var text = """

      ## \(runtime.title)

      | fault | alone | found | with all contained |
      |---|---|---|---|

      """
    for fault in Fault.all {
      let each = try Guarded()
      let raw = try each.raw(program, [fault.name])
      let recorded = try each.recorded(program, [fault.name])
      #expect(recorded.withoutProcess == raw.withoutProcess, "\(fault.name)")
      let codes = try each.audit().output
        .matches(of: #/(?m)^(?:WARNING|NOTE): .*\((KVO\d{3}) /#).map { String($0.output.1) }
      let contained = try each.recorded(program, [fault.name], contain: "all")
      let row = [
        fault.name, Self.end(raw), codes.isEmpty ? "nothing" : codes.joined(separator: ", "),
        Self.end(contained),
      ]
      text += "| \(row.joined(separator: " | ")) |\n"
    }
    return text
  }

  private static func end(_ run: ProgramRun) -> String {
    switch run.status {
    case 0: return "runs to its end"
    case 128 + SIGSEGV: return "SIGSEGV"
    case 128 + SIGABRT: return "SIGABRT"
    default:
      let name = run.complaint.firstMatch(of: #/Uncaught exception (\w+)/#)
      return name.map { "raises \($0.output.1)" } ?? "status \(run.status)"
    }
  }
}
