import Foundation
import TestSupport
import Testing

/// What `Contexts.m` does, and what is said of it.
struct ContextCase: CustomTestStringConvertible, Sendable {
  let name: String
  /// The rules that are violated on the runtime on which it ran.
  var codes: [String] = []
  /// Those that would be on Apple's systems.
  var codesOnApple: [String] = []

  var testDescription: String { name }

  static let all = [
    ContextCase(name: "right-context"),
    ContextCase(name: "wrong-context", codes: ["KVO003"], codesOnApple: ["KVO003"]),
    // On 1.28 the second replaced the first: one is left, and removed. Elsewhere one stays.
    ContextCase(name: "ambiguous", codes: ["KVO038"], codesOnApple: ["KVO007", "KVO004"]),
    ContextCase(name: "without-context"),
    // The program asked for both, and removed both: what 1.28 made of it is the only thing to say.
    ContextCase(name: "two-contexts", codes: ["KVO038"]),
    ContextCase(name: "two-contexts-changed", codes: ["KVO038"]),
    ContextCase(name: "same-context", codes: ["KVO005"], codesOnApple: ["KVO005"]),
    ContextCase(
      name: "two-contexts-thrice",
      codes: ["KVO038", "KVO001"],
      codesOnApple: ["KVO001"]
    ),
  ]
}

/// 1.28 has no contexts in removals; programs that are ported bring them, and the library knows what was said.
@Suite("Contexts", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct ContextTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test(
    "removals with contexts are judged, by the recorded runtime and by others",
    arguments: ContextCase.all
  )
  func contexts(example: ContextCase) throws {
    let program = try ObjectiveC.program("Contexts")
    let recorded = try guarded.recorded(program, [example.name])
    #expect(try recorded == guarded.raw(program, [example.name]))
    #expect(recorded.status == 0 && recorded.output.hasSuffix("done\n"))
    #expect(try codes(guarded.audit()) == example.codes)
    #expect(try codes(guarded.audit(as: "apple-modern")) == example.codesOnApple)
  }

  @Test(
    "the handling of two contexts by 1.28 is not a fault elsewhere",
    arguments: ["right-context", "two-contexts", "two-contexts-changed"],
    ["apple-legacy", "apple-modern", "gnustep-modern"]
  )
  func elsewhere(name: String, profile: String) throws {
    _ = try guarded.recorded(ObjectiveC.program("Contexts"), [name])
    #expect(try codes(guarded.audit(as: profile)) == [])
  }

  private func codes(_ run: ProgramRun) -> [String] {
    run.output.matches(of: #/(?m)^(?:WARNING|NOTE): .*\((KVO\d{3}) /#).map { String($0.output.1) }
  }
}
