import Foundation
import Testing

/// Random programs of `Random.m`: what they do alone is what they do when they are recorded, and what is wrong with
/// them is known beforehand.
///
/// `KVO_SAFETY_RANDOM_PROGRAMS` makes more of them, as `make check` does.
@Suite("Random Objective-C programs", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct RandomProgramTests {
  private static let count =
    ProcessInfo.processInfo.environment["KVO_SAFETY_RANDOM_PROGRAMS"].flatMap(Int.init) ?? 40

  /// What each fault is found as.
  static let faults: [(name: String, codes: [String])] = [
    ("removed-twice", ["KVO001"]), ("never-added", ["KVO002"]), ("observed-dies", ["KVO006"]),
    ("observer-dies", ["KVO007"]), ("added-twice", ["KVO005"]), ("displaced", ["KVO038"]),
    ("end-only", ["KVO012"]), ("begin-only", ["KVO012"]), ("added-inside", ["KVO011"]),
    ("raised", ["KVO039"]), ("misspelt", ["KVO029"]),
  ]

  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test("correct ones print the same, and nothing is found", arguments: [1, 5_001])
  func correct(seed: Int) throws {
    let arguments = ["\(seed)", "\(Self.count)"]
    let program = try ObjectiveC.program("Random")
    let raw = try guarded.raw(program, arguments)
    let recorded = try guarded.recorded(program, arguments)
    #expect(raw.status == 0)
    #expect(raw.output.split(separator: "\n").count == 3 * Self.count)
    #expect(recorded.withoutProcess == raw.withoutProcess)
    let found = try guarded.findings()
    let audit = try guarded.audit()
    #expect(found.map(\.code) == [], "\(audit)")
  }

  @Test("one with a fault has exactly that finding", arguments: faults.map(\.name))
  func faulty(name: String) throws {
    let codes = try #require(Self.faults.first { $0.name == name }).codes
    let program = try ObjectiveC.program("Random")
    for seed in 1...max(2, Self.count / 20) {
      let each = try Guarded()
      let arguments = ["\(seed * 977)", "2", name]
      let raw = try each.raw(program, arguments)
      let recorded = try each.recorded(program, arguments)
      #expect(raw.status == 0)
      #expect(recorded.withoutProcess == raw.withoutProcess)
      let audit = try each.audit()
      #expect(try each.findings().map(\.code) == codes, "seed \(seed * 977): \(audit)")
    }
  }
}
