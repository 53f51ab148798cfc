import Foundation
import TestSupport
import Testing

/// Correct programs that are easily misjudged, of `Correct.m`.
struct CorrectProgram: CustomTestStringConvertible, Sendable {
  let name: String
  /// The rules that are named, none of them as an error of the program.
  var codes: [String] = []
  /// The rules of what the library does on its own.
  var codesOfLibraries: Set<String> = []

  var testDescription: String { name }

  static let all = [
    CorrectProgram(
      name: "operations",
      codesOfLibraries: ["KVO001", "KVO012", "KVO020"]
    ),
    CorrectProgram(name: "by-hand"),
    CorrectProgram(name: "deep"),
    CorrectProgram(name: "many-classes"),
    // An exception out of a callback is a warning: 1.28 keeps its locks.
    CorrectProgram(name: "initial-raises", codes: ["KVO039"]),
    CorrectProgram(name: "long-paths"),
    CorrectProgram(name: "added-elsewhere"),
    // Its faults concern only objects that are never observed.
    CorrectProgram(name: "address-again"),
    CorrectProgram(name: "through-register"),
    CorrectProgram(name: "behind-proxy"),
    CorrectProgram(name: "setter-catches"),
  ]
}

@Suite("Correct programs", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct CorrectTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test(
    "a correct program does the same when it is recorded, and is found to be correct",
    arguments: CorrectProgram.all,
    ["", "all"]
  )
  func correct(example: CorrectProgram, rules: String) throws {
    let program = try ObjectiveC.program("Correct")
    let raw = try guarded.raw(program, [example.name])
    let recorded = try guarded.recorded(program, [example.name], contain: rules)
    #expect(raw.status == 0)
    #expect(recorded.withoutProcess == raw.withoutProcess)
    let audit = try guarded.audit()
    #expect(audit.status == 0, "\(audit)")
    let found = try guarded.findings()
    #expect(found.filter { !$0.isLibrary }.map(\.code) == example.codes, "\(audit)")
    let ofLibraries = found.filter(\.isLibrary)
    #expect(ofLibraries.allSatisfy { $0.severity == "note" })
    // Whether two threads of a queue meet is chance.
    #expect(
      Set(ofLibraries.map(\.code)).subtracting(["KVO024"]) == example.codesOfLibraries,
      "\(audit)"
    )
    #expect(try guarded.events().allSatisfy { $0.name != "dropped" })
  }
}
