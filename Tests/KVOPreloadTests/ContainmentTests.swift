import Foundation
import TestSupport
import Testing

/// What a fault does raw, and what it does contained.
struct Contained: CustomTestStringConvertible, Sendable {
  let fault: String
  /// The rule that is named in `KVO_SAFETY_CONTAIN`.
  let rule: String
  /// How the raw program ends, as a shell says it.
  let rawStatus: Int32
  let rawOutput: String
  /// What the contained one prints.
  let output: String

  var testDescription: String { "\(fault), containing \(rule)" }

  static let all = [
    Contained(
      fault: "observer-dies",
      rule: "KVO007",
      rawStatus: 139,
      rawOutput: "the screen is gone\n",
      output: "the screen is gone\nthe balance is 5\ndone\n"
    ),
    Contained(
      fault: "path-observer-dies",
      rule: "KVO008",
      rawStatus: 139,
      rawOutput: "",
      output: "the owner is Ada\ndone\n"
    ),
    Contained(
      fault: "deaf",
      rule: "KVO017",
      rawStatus: 1,
      rawOutput: "",
      output: "the balance is 3\ndone\n"
    ),
    Contained(
      fault: "nil-path",
      rule: "KVO029",
      rawStatus: 139,
      rawOutput: "",
      output: "added with a nil key path\ndone\n"
    ),
    Contained(
      fault: "empty-path",
      rule: "KVO029",
      rawStatus: 1,
      rawOutput: "",
      output: "added with an empty key path\ndone\n"
    ),
  ]
}

@Suite("Containment", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct ContainmentTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test("a crashing program continues if its rule is contained", arguments: Contained.all)
  func contained(example: Contained) throws {
    let program = try ObjectiveC.program("Faults")
    let raw = try guarded.raw(program, [example.fault])
    #expect(raw.status == example.rawStatus)
    #expect(raw.output == example.rawOutput)
    let contained = try guarded.recorded(program, [example.fault], contain: example.rule)
    #expect(contained == ProgramRun(output: example.output, complaint: "", status: 0))
  }

  @Test("contained faults are found as before, by their stacks", arguments: Contained.all)
  func found(example: Contained) throws {
    _ = try guarded.recorded(
      ObjectiveC.program("Faults"),
      [example.fault],
      contain: example.rule
    )
    let report = try guarded.report()
    // Without the crash it is the report of the raw program, but for what follows from the fault.
    let rule = example.rule == "KVO008" ? "KVO007" : example.rule
    #expect(report.contains("(\(rule) "))
    #expect(!report.contains("CRASHED"))
    #expect(!report.contains("KVO008"))
    #expect(report.contains("Registered at") == (rule != "KVO029"))
  }

  @Test("faults of other rules are left as they are", arguments: ["", "KVO017", "KVO001,KVO002"])
  func others(rules: String) throws {
    let run = try guarded.recorded(ObjectiveC.program("Faults"), ["nil-path"], contain: rules)
    #expect(run.status == 139)
  }

  @Test("all that can be contained is contained by one word", arguments: Fault.all)
  func all(fault: Fault) throws {
    let run = try guarded.recorded(ObjectiveC.program("Faults"), [fault.name], contain: "all")
    // 1.28 has no such method; what it says is the program's own.
    #expect(run.status == (fault.name == "removed-by-context" ? 1 : 0))
  }

  @Test("a rule that cannot be contained is reported, and the others are contained")
  func unknown() throws {
    let program = try ObjectiveC.program("Faults")
    let run = try guarded.recorded(program, ["nil-path"], contain: "KVO012,KVO029")
    #expect(run.status == 0)
    #expect(
      run.complaint == """
        KVOSafety: KVO_SAFETY_CONTAIN names "KVO012", which cannot be contained; what can be is all, \
        KVO001, KVO002, KVO003, KVO006, KVO007, KVO008, KVO017, KVO025, KVO029 and KVO030.

        """
    )
  }
}
