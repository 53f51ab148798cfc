import KVORules
import TestSupport
import Testing

@Suite("A test with the trait .audited")
struct WaitingSuiteTests {
  private static func run(_ state: String) throws -> SuiteRun {
    try SuiteRun(.swiftTesting("WaitingSuites/Audited"), [WaitingSuites.variable: state])
  }

  @Test("fails if it leaves tasks waiting, with the line of each, and says which objects they hold")
  func left() throws {
    let run = try Self.run("left")
    #expect(run.status != 0)
    let text = run.failures
      .replacing(#/for \d+\.\d s/#, with: "for 0.0 s")
      .replacing(#/→ closure capture.*?→/#, with: "→ … →")
    #expect(
      text.contains(
        """
        2 tasks were left waiting
          1 waits for events, for 0.0 s: WaitingSuites.swift:36
          1 waits for reply, for 0.0 s: WaitingSuites.swift:43

        Screen is still alive
        held by waiting tasks
          Task waiting at WaitingSuites.swift:28 → … → Screen
        """
      ),
      "\(run.failures)"
    )
    // Nobody can resume it: its other side was released when the test returned.
    let tested = Identity.inText(run.failures)
    #expect(tested.map(\.code) == ["KVO041"])
    #expect(run.audited.map(Identity.init) == tested)
    #expect(run.failures.contains("WaitingSuites.swift:37"))
  }

  @Test("passes if it ends them, and its screen is deallocated")
  func ended() throws {
    let run = try Self.run("")
    #expect(run.status == 0)
    #expect(run.failures == "")
    #expect(run.audited.isEmpty && run.live.isEmpty)
  }
}
