import Foundation
import TestSupport
import Testing

/// A program of `Cleaning.m`, which has its own -dealloc of a root class.
struct OwnDealloc: CustomTestStringConvertible, Sendable {
  let name: String
  /// The rules that are broken.
  var codes: [String] = []

  var testDescription: String { name }

  static let all = [
    OwnDealloc(name: "removes-in-category"),
    OwnDealloc(name: "leaves-in-category", codes: ["KVO007"]),
    // The object is not deallocated, and is notified later.
    OwnDealloc(name: "keeps-in-category"),
    OwnDealloc(name: "removes-in-root"),
    // Freed by a function that the library does not see.
    OwnDealloc(name: "leaves-in-root", codes: ["KVO007"]),
  ]
}

@Suite("Own -dealloc", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct OwnDeallocTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test(
    "an object is deallocated when it is freed, and not when the program's -dealloc begins",
    arguments: OwnDealloc.all,
    ["", "all"]
  )
  func own(example: OwnDealloc, rules: String) throws {
    let program = try ObjectiveC.program("Cleaning")
    let raw = try guarded.raw(program, [example.name])
    let recorded = try guarded.recorded(program, [example.name], contain: rules)
    #expect(raw.status == 0)
    #expect(recorded.withoutProcess == raw.withoutProcess)
    let report = try guarded.report()
    #expect(try guarded.findings().map(\.code) == example.codes, "\(report)")
  }
}
