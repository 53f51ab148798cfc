import KVORules
import SuiteFaults
import TestSupport
import Testing

@Suite("Each assertion about what is retained")
struct RetainSuiteTests {
  /// The suites, and what their failure begins with.
  private static let suites: [(suite: SuiteRun.Suite, heading: String)] = [
    (.swiftTesting("RetainSuites/Alone"), ""),
    (.swiftTesting("RetainSuites/Survivor"), "Screen is still alive\n"),
    (.swiftTesting("RetainSuites/Growth"), "1 class grows with each of 4 repetitions\n"),
    (.swiftTesting("RetainSuites/Audited"), ""),
    (.swiftTesting("RetainSuites/AuditedClosing"), ""),
    (.xctest("readme-cycles"), ""),
    (.xctest("readme-deallocates"), "Screen is still alive\n"),
    (.xctest("readme-growth"), "1 class grows with each of 4 repetitions\n"),
    (.xctest("readme-asynchronous-growth"), "1 class grows with each of 4 repetitions\n"),
    (.xctest("readme-audited-cycles"), ""),
  ]

  @Test(
    "has the same finding live, in its one failure and in the audit of its log",
    arguments: Self.suites.indices
  )
  func observing(number: Int) throws {
    let (suite, heading) = Self.suites[number]
    let run = try SuiteRun(suite, [RetainedScreen.variable: "observing"])
    let tested = Identity.inText(run.failures)
    #expect(tested.map(\.code) == ["KVO019"])
    #expect(run.audited.map(Identity.init) == tested)
    // What follows from the cycle stands under it, in an audit of a suite that leaves it.
    #expect(run.audited.flatMap(\.consequences).allSatisfy { $0.code == .leakedRegistration })
    // One that grows has a live report for each object that is left.
    #expect(tested.allSatisfy(run.live.contains))
    #expect(Set(run.live.map(\.signature)) == Set(tested.map(\.signature)))
    #expect(run.failures.contains(heading))
    #expect(run.failures.contains("1 observation violation"))
    #expect(run.failures.contains("make this weak"))
    #expect(run.status != 0)
  }

  @Test(
    "has no finding if a closure that observes nothing keeps the object, and fails",
    arguments: Self.suites.indices
  )
  func handling(number: Int) throws {
    let (suite, heading) = Self.suites[number]
    let run = try SuiteRun(suite, [RetainedScreen.variable: "handling"])
    let tested = Identity.inText(run.failures)
    #expect(run.failures.contains(heading))
    #expect(run.failures.contains("Screen.handler → closure"))
    // An audited test that leaves the screen leaves its registration, too.
    #expect(tested.allSatisfy { $0.code == "KVO021" })
    #expect(run.audited.map(Identity.init) == tested)
    #expect(run.live.isEmpty)
    #expect(run.status != 0)
  }

  @Test("reports both if both keep it")
  func both() throws {
    let run = try SuiteRun(.xctest("readme-deallocates"), [RetainedScreen.variable: "both"])
    let tested = Identity.inText(run.failures)
    #expect(tested.map(\.code) == ["KVO019"])
    #expect(run.audited.map(Identity.init) == tested)
    #expect(run.failures.contains("1 retain cycle\n  Screen.handler → closure"))
    #expect(!run.failures.contains("observation of \"balance\" → closure"))
  }

  @Test("passes on a released object, in all three", arguments: Self.suites.indices)
  func released(number: Int) throws {
    let run = try SuiteRun(Self.suites[number].suite, [RetainedScreen.variable: "released"])
    #expect(run.live.isEmpty)
    #expect(Identity.inText(run.failures).isEmpty)
    // A token that outlives its object is a note, which neither fails a test nor is reported live.
    #expect(run.audited.allSatisfy { $0.severity == .note })
    #expect(run.status == 0)
  }

  @Test("does not fail for a cycle that its test expects, which the log has as expected")
  func expected() throws {
    let suite = SuiteRun.Suite.swiftTesting("RetainSuites/Expecting")
    let run = try SuiteRun(suite, [RetainedScreen.variable: "observing"])
    #expect(run.failures == "")
    #expect(run.status == 0)
    #expect(run.audited.map(\.code) == [.observationRetainCycle])
    #expect(run.audited.map(\.isExpected) == [true])
    #expect(run.audited.map(Identity.init).allSatisfy(run.live.contains))
    #expect(Set(run.live.map(\.signature)) == Set(run.audited.map(\.shortSignature)))
    let other = try SuiteRun(suite, [RetainedScreen.variable: "handling"])
    #expect(other.failures.contains("Screen.handler → closure"))
    #expect(other.status != 0)
  }

  @Test("writes no report beside its failure")
  func unwritten() throws {
    let variables = [RetainedScreen.variable: "observing"]
    let program = try ProgramRun(built: "AuditedXCTest", ["readme-cycles"], environment: variables)
    #expect(program.output.contains("(KVO019 observation-retain-cycle)"))
    #expect(!program.complaint.contains("KVO019"))
    #expect(program.output.matches(of: /KVO019/).count == 1)
  }
}
