import Foundation
import TestSupport
import Testing

/// Random programs of `Random.m`: what they do alone is what they do when they are recorded, and what is wrong with
/// them is known beforehand.
///
/// `KVO_SAFETY_RANDOM_PROGRAMS` makes more of them, as `make check` does.
@Suite("Random Objective-C programs", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct RandomProgramTests {
  private static let asked = ProcessInfo.processInfo.environment["KVO_SAFETY_RANDOM_PROGRAMS"]
    .flatMap(Int.init)
  private static let count = asked ?? 40
  private static var isAskedForMore: Bool { asked != nil }

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
    try expect([], in: guarded, "seed \(seed)")
    let told = raw.output.split(separator: " ").count - 3 * Self.count
    show("\(Self.count) correct programs from seed \(seed): \(told) notifications, nothing found")
  }

  @Test("one with a fault has exactly that finding", arguments: faults.map(\.name))
  func faulty(name: String) throws {
    let codes = try #require(Self.faults.first { $0.name == name }).codes
    let program = try ObjectiveC.program("Random")
    let seeds = 1...max(2, Self.count / 20)
    for seed in seeds {
      let each = try Guarded()
      let arguments = ["\(seed * 977)", "2", name]
      let raw = try each.raw(program, arguments)
      let recorded = try each.recorded(program, arguments)
      #expect(raw.status == 0)
      #expect(recorded.withoutProcess == raw.withoutProcess)
      try expect(codes, in: each, "\(name), seed \(seed * 977)")
    }
    show("\(name): \(seeds.count) programs, each found as \(codes.joined(separator: ", ")) alone")
  }

  /// The results, if more programs were requested than the tests have time for.
  private func show(_ line: String) {
    if Self.isAskedForMore { print(line) }
  }

  private func expect(_ codes: [String], in guarded: Guarded, _ what: String) throws {
    let found = try guarded.findings().map(\.code)
    if found != codes { Issue.record("\(what): \(found)\n\(try guarded.audit())") }
  }
}
