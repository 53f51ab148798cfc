import Foundation
import TestSupport
import Testing

/// `KVO_SAFETY_BUDGET` in Objective-C programs, of `Crowd.m`.
@Suite("Budgets", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct BudgetTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  /// Runs the program bare and recorded: nothing that it does differs.
  private func record(_ arguments: String..., budget: String) throws {
    let program = try ObjectiveC.program("Crowd")
    let raw = try guarded.raw(program, arguments)
    #expect(raw.status == 0)
    #expect(
      try guarded.recorded(program, arguments, environment: ["KVO_SAFETY_BUDGET": budget]) == raw
    )
  }

  /// The shares that the log says it has, and why.
  private func samples(_ events: [LoggedEvent]) -> [(share: Int, why: String)] {
    events.filter { $0.name == "sample" }
      .map { ($0.keys["of1024"] as? Int ?? -1, $0.text("why") ?? "") }
  }

  @Test("all events of some objects are recorded, none of the others, and their faults are found")
  func objects() throws {
    try record("400", "3", "fault", budget: "objects=25%")
    let events = try guarded.events()
    let removed = events.filter { $0.name == "remove" }.compactMap {
      ($0.keys["subject"] as? [String: Any])?["id"] as? String
    }
    let perObject = Dictionary(grouping: removed) { $0 }.mapValues(\.count)
    // A quarter of 400, by a fixed choice.
    #expect((60...140).contains(perObject.count))
    #expect(Set(perObject.values) == [2])
    for (name, each) in [
      ("register", 1), ("registerEnd", 1), ("willChange", 6), ("didChange", 6), ("notify", 3),
      ("notifyEnd", 3), ("removeEnd", 2),
    ] {
      #expect(events.count { $0.name == name } == each * perObject.count, "\(name)")
    }
    let audit = try guarded.audit()
    #expect(audit.output.contains("(KVO001 "))
    #expect(audit.output.contains("seen \(perObject.count) times"), "\(audit)")
    #expect(audit.output.contains("has the events of 256 of 1,024 objects"))
    #expect(try guarded.findings().map(\.code) == ["KVO001"])
  }

  @Test("objects are left out until recording takes its share of the processor's time")
  func processorTime() throws {
    try record("500", "150", budget: "cpu=1%")
    let samples = try samples(guarded.events())
    let first = try #require(samples.first)
    #expect(first.why.hasPrefix("cpu ") && first.why.hasSuffix("% of 1.00%"))
    #expect(samples.map(\.share) == samples.map(\.share).sorted(by: >))
    #expect(try guarded.findings().isEmpty)
  }

  @Test("no object is recorded when the memory is used up")
  func memory() throws {
    try record("40000", "1", "keep", budget: "memory=1M")
    let events = try guarded.events()
    let last = try #require(samples(events).last)
    #expect(last.share == 0)
    #expect(last.why.hasPrefix("memory "))
    #expect(events.last?.name == "exit")
    #expect(try guarded.findings().isEmpty)
  }

  @Test("the log keeps within its disk space")
  func disk() throws {
    // Without a budget the log has 12 MB.
    try record("1000", "150", budget: "disk=4M")
    let sizes = try guarded.folder.names.map {
      try Data(contentsOf: guarded.folder.url.appending(path: $0)).count
    }
    #expect((2 << 20...4 << 20).contains(sizes.reduce(0, +)))
    #expect(try guarded.findings().isEmpty)
  }
}
