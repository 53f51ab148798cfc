import Foundation
import TestSupport
import Testing

/// A way of `Ported.m`.
struct PortedProgram: CustomTestStringConvertible, Sendable {
  let name: String
  /// The rules that are broken on 1.28 and on a newer GNUstep, those of libraries left out.
  var codes: [String] = []
  var codesOnNewer: [String] = []
  /// Whether a newer GNUstep ends the program if the fault is not contained.
  var endsOnNewer = false

  var testDescription: String { name }

  static let all =
    ["controller", "list", "binding", "operation", "defaults", "cell", "once", "worker"]
    .map { PortedProgram(name: $0) } + [
      // 1.28 keeps the second of the two; elsewhere a removal without a context has to guess.
      PortedProgram(name: "contexts", codes: ["KVO038"], codesOnNewer: ["KVO004"]),
      PortedProgram(name: "swallowed", codes: ["KVO001"], codesOnNewer: ["KVO001"]),
      PortedProgram(name: "rows", codes: ["KVO007"], codesOnNewer: ["KVO007"], endsOnNewer: true),
      PortedProgram(name: "early", codes: ["KVO012"], codesOnNewer: ["KVO012"]),
      PortedProgram(
        name: "abandoned",
        codes: ["KVO006"],
        codesOnNewer: ["KVO006"],
        endsOnNewer: true
      ),
    ]
}

@Suite(
  "Code as it is ported from Apple's systems",
  .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot)
)
struct PortedTests {
  @Test(
    "runs as without the library, contained as well, and has the expected finding",
    arguments: [.distributions] + Runtime.newer,
    PortedProgram.all
  )
  func ported(runtime: Runtime, example: PortedProgram) throws {
    let program = try ObjectiveC.program("Ported", on: runtime)
    let raw = try Guarded().raw(program, [example.name])
    let isNewer = runtime.prefix != nil
    #expect((raw.status != 0) == (isNewer && example.endsOnNewer))
    for rules in ["", "all"] {
      let guarded = try Guarded()
      let recorded = try guarded.recorded(program, [example.name], contain: rules)
      if raw.status == 0 || rules.isEmpty {
        #expect(recorded.output == raw.output && recorded.status == raw.status)
      } else {
        #expect(recorded.output.hasSuffix("done\n") && recorded.status == 0)
      }
      let found = try guarded.findings().filter { !$0.isLibrary }
      #expect(found.map(\.code) == (isNewer ? example.codesOnNewer : example.codes))
    }
  }
}
