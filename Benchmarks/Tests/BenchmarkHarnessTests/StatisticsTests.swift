import Testing

@testable import BenchmarkHarness

@Suite("Medians and ratios")
struct StatisticsTests {
  @Test("The quartiles of five values are the second and the fourth")
  func fiveValues() throws {
    let statistics = try #require(Statistics([5, 1, 4, 2, 3]))
    #expect(statistics.median == 3)
    #expect(statistics.lowerQuartile == 2)
    #expect(statistics.upperQuartile == 4)
  }

  @Test("Between two values a quantile lies in proportion")
  func twoValues() throws {
    let statistics = try #require(Statistics([10, 20]))
    #expect(statistics.median == 15)
    #expect(statistics.lowerQuartile == 12.5)
    #expect(statistics.upperQuartile == 17.5)
  }

  @Test("No values have no median")
  func noValues() { #expect(Statistics([]) == nil) }

  @Test("A ratio is taken within each round, so that a slow round weighs no more than another")
  func ratioOfRounds() {
    let bound = RowOutcome.samples([.of(10), .of(100), .of(10)], instructions: nil)
    let ours = RowOutcome.samples([.of(20), .of(200), .of(30)], instructions: nil)
    // The ratio of the medians would be 3.
    #expect(ours.ratio(to: bound) == 2)
  }

  @Test("What was not run has no ratio")
  func ratioOfNothing() {
    let bound = RowOutcome.samples([.of(10)], instructions: nil)
    #expect(RowOutcome.notRun(missing: ["jq"]).ratio(to: bound) == nil)
    #expect(bound.ratio(to: .notRun(missing: ["jq"])) == nil)
  }
}

extension Sample {
  /// One operation that took `nanoseconds`.
  static func of(_ nanoseconds: Double, process: Double? = nil) -> Sample {
    Sample(
      operations: 1,
      threadNanoseconds: nanoseconds,
      processNanoseconds: process ?? nanoseconds
    )
  }
}
