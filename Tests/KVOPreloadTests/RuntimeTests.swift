import Foundation
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
    #expect(threads == Run(output: "3200 changes were told\n", complaint: "", status: 0))
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

  private static func end(_ run: Run) -> String {
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
