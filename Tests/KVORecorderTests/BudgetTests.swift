import Foundation
import KVOAudit
import KVORules
import KVOTrace
import TestSupport
import Testing

@Suite("A recorder with a budget")
struct BudgetTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.path("log")
  }

  private func record(_ steps: String..., budget: String) throws -> Child.Outcome {
    try Child(
      "RecorderProbe",
      ["flight"] + steps,
      environment: [
        "KVO_SAFETY_LOG": path, "KVO_SAFETY_BUDGET": budget, "KVO_SAFETY_LOG_LIMIT": "64M",
      ]
    ).end()
  }

  /// The samples that the log says it has, and why.
  private func samples(_ log: LogReading) -> [(share: UInt64, why: String)] {
    log.events.compactMap { event in
      guard case .sample(let share, let why) = event.body else { return nil }
      return (share, log.names[why])
    }
  }

  private func faults(_ log: LogReading) -> [String] {
    log.judge().verdicts.map { "\($0.code.rawValue) \($0.subject?.id.rawValue ?? 0)" }.sorted()
  }

  @Test("records all events of the objects in a sample, and so finds their faults alone")
  func objects() throws {
    _ = try record("few", "faults", budget: "")
    let whole = try LogReading(path)
    _ = try record("few", "faults", budget: "objects=25%")
    let part = try LogReading(path)
    let sample = ObjectSample(share: 256)
    let truth = whole.judge().verdicts.filter { $0.subject.map { sample.contains($0.id) } ?? true }
    #expect(
      faults(part) == truth.map { "\($0.code.rawValue) \($0.subject?.id.rawValue ?? 0)" }.sorted()
    )
    #expect(truth.count > 10)
    #expect(truth.count < whole.judge().verdicts.count / 2)
    #expect(part.events.count < whole.events.count / 2)
    #expect(samples(part).isEmpty)
    let report = Audit().report(on: [.file(path: path)])
    #expect(report.inputs.first?.sampledShare == 256)
    #expect(report.notJudged.count == RuleCode.allCases.count)
    #expect(report.incompleteness == [])
  }

  @Test("leaves out objects until it takes its share of the processor's time")
  func processorTime() throws {
    #expect(
      try record("some", "faults", "exit", budget: "cpu=8%").complaint.contains("KVO001") == true
    )
    let log = try LogReading(path)
    let samples = samples(log)
    let first = try #require(samples.first)
    #expect(first.why.hasPrefix("cpu ") && first.why.hasSuffix("% of 8.00%"))
    #expect(samples.map(\.share) == samples.map(\.share).sorted(by: >))
    #expect(first.share < 1_024)
    let verdicts = log.judge().verdicts
    // Possibly of none: what the recorder takes depends on the build, and so does how much it leaves out.
    let sampled = sampledRemovals(log)
    for verdict in verdicts {
      // The recorder may leave out still more before the process ends.
      #expect(verdict.subject.map { sampled.contains($0.id) } ?? true)
      #expect(
        [.doubleRemove, .observerDeinitWhileRegistered, .observedDeinitWhileObserved].contains(
          verdict.code
        )
      )
    }
  }

  /// The objects that an observer was removed from while they were in the sample.
  private func sampledRemovals(_ log: LogReading) -> Set<ObjectID> {
    var sample = ObjectSample(share: 1_024)
    var sampled: Set<ObjectID> = []
    for event in log.events {
      switch event.body {
      case .sample(let share, _): sample = ObjectSample(share: share)
      case .remove(let removal) where sample.contains(removal.subject.id):
        sampled.insert(removal.subject.id)
      default: break
      }
    }
    return sampled
  }

  @Test("records no object when its memory is used up")
  func memory() throws {
    _ = try record("few", "names", "some", "few", "exit", budget: "memory=1M")
    let log = try LogReading(path)
    let last = try #require(samples(log).last)
    #expect(last.share == 0)
    #expect(last.why.hasPrefix("memory "))
    #expect(log.judge().verdicts == [])
    #expect(log.eventNames.last == "exit")
  }

  @Test("keeps the log within its disk space")
  func disk() throws {
    _ = try record("many", "many", "many", "exit", budget: "disk=4M")
    let sizes = try folder.names.map {
      try Data(contentsOf: URL(fileURLWithPath: folder.path($0))).count
    }
    #expect(sizes.reduce(0, +) <= 4 << 20)
    #expect(sizes.reduce(0, +) > 1 << 20)
    #expect(Audit().report(on: [.file(path: path)]).findings == [])
  }

  @Test(
    "says what is wrong with a budget that it cannot read, and records without one",
    arguments: [
      "cpu=1", "cpu=0%", "cpu=101%", "cpu=1.%", "disk=1M", "memory=x", "objects=", "speed=1%",
      "cpu",
    ]
  )
  func unreadable(_ budget: String) throws {
    let outcome = try record("few", "exit", budget: "disk=64M,\(budget)")
    #expect(outcome.status == 7)
    #expect(
      outcome.complaint
        == "KVOSafety: KVO_SAFETY_BUDGET is \"disk=64M,\(budget)\", and \"\(budget)\" in it must be one of cpu=1%, "
        + "disk=64M (4M or more), memory=8M (1M or more) and objects=25%. The program is recorded without a budget.\n"
    )
    let log = try LogReading(path)
    #expect(log.eventNames.last == "exit")
    #expect(samples(log).isEmpty)
  }

  @Test(
    "says so in one line, however long the budget is",
    arguments: [(6_000, " The program is recorded without a budget.\n"), (20_000, "x…\n")]
  )
  func long(_ length: Int, _ end: String) throws {
    let budget = String(repeating: "x", count: length)
    let outcome = try record("few", "exit", budget: budget)
    #expect(outcome.status == 7)
    #expect(outcome.complaint.hasPrefix("KVOSafety: KVO_SAFETY_BUDGET is \"xxx"))
    #expect(outcome.complaint.hasSuffix(end))
    #expect(outcome.complaint.count { $0 == "\n" } == 1)
  }
}
