import KVORecorder
import KVORetention
import KVORules
import KVOSafety
import Testing

@testable import KVOSafetyTesting

/// Audited scopes that begin loops over noted sequences.
@Suite("Tasks that a scope leaves waiting")
struct ParkedScopeTests {
  private let events = AsyncStream.makeStream(of: Int.self)

  /// Waits until a loop of the current scope waits.
  private static func untilParked() async {
    guard let scope = AuditedScope.current else { return }
    while KVO.parked(inScope: scope.id, where: RetainSearch.isWaiting(task:)).isEmpty {
      try? await Task.sleep(nanoseconds: 1_000_000)
    }
  }

  @Test("fail it, with the line of the sequence")
  func left() async {
    let line = #line + 4
    await withKnownIssue {
      await expectNoObservationViolations {
        behave()
        let noted = events.stream.noted(as: "server events")
        Task { for await _ in noted {} }
        await Self.untilParked()
      }
    } matching: { issue in
      issue.comments.contains {
        $0.rawValue.hasPrefix("1 task was left waiting\n  1 waits for server events, for ")
          && $0.rawValue.hasSuffix("s: ParkedScopeTests.swift:\(line)")
      }
    }
    events.continuation.finish()
  }

  @Test("do not fail it if they were resumed or cancelled, even if they have not run since")
  func ended() async {
    await expectNoObservationViolations {
      behave()
      let noted = events.stream.noted(as: "server events")
      Task { for await _ in noted {} }
      await Self.untilParked()
      events.continuation.finish()
    }
    let (others, _) = AsyncStream.makeStream(of: Int.self)
    await expectNoObservationViolations {
      behave()
      let noted = others.noted(as: "server events")
      let task = Task { for await _ in noted {} }
      await Self.untilParked()
      task.cancel()
    }
  }

  @Test("do not fail it if they are expected to outlive it, or began outside of it")
  func expected() async {
    let (others, continuation) = AsyncStream.makeStream(of: Int.self)
    let outer = Task { for await _ in others.noted(as: "others") {} }
    await expectNoObservationViolations {
      behave()
      let noted = events.stream.noted(as: "server events", expectedToLive: "until the app ends")
      Task { for await _ in noted {} }
      while KVO.parked().count(where: { ["server events", "others"].contains($0.awaited) }) < 2 {
        try? await Task.sleep(nanoseconds: 1_000_000)
      }
    }
    events.continuation.finish()
    continuation.finish()
    await outer.value
  }

  @Test("fail it by KVO041 if nobody can resume them, unless that is expected")
  func orphaned() async {
    let line = #line + 3
    func abandon() async {
      behave()
      let (prices, continuation) = AsyncStream<Int>.recorded(as: "prices")
      let task = Task { for await _ in prices {} }
      await Self.untilParked()
      withExtendedLifetime((task, continuation)) {}
    }
    await withKnownIssue {
      await expectNoObservationViolations { await abandon() }
    } matching: { issue in
      issue.comments.contains {
        $0.rawValue.contains("KVO041 parked-consumer")
          && $0.rawValue.contains("ParkedScopeTests.swift:\(line)")
          && !$0.rawValue.contains("left waiting")
      }
    }
    await expectNoObservationViolations(expecting: .parkedConsumer) { await abandon() }
  }

  /// Runs a scope several times, each of which leaves a loop waiting.
  ///
  /// - Returns: why runs failed, and the findings of all of them about loops that grow in number.
  private func remount(
    _ name: String,
    expecting: Set<ObservationRule> = []
  ) async -> (failures: [String], growth: [Finding]) {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    defer { Recorder.shared.detach(memory) }
    let values = events.stream.noted(as: name)
    var failures: [String] = []
    for _ in 0..<3 {
      await AuditedScope.run(
        name: name,
        expectations: ScopeExpectations(expected: expecting, allowsNoObservations: true),
        report: { failures.append($0.text) }
      ) {
        Task { for await _ in values {} }
        await Self.untilParked()
      }
    }
    let growth = ScopePipeline.findings(of: memory.events).filter {
      $0.code == .consumerGrowth && $0.message.contains(name)
    }
    return (failures, growth)
  }

  @Test("that grow in number with each run of it are KVO042 in an audit, which a test can expect")
  func growth() async {
    let unexpected = await remount("a screen")
    #expect(unexpected.failures.count == 3)
    #expect(unexpected.failures.allSatisfy { $0.hasPrefix("1 task was left waiting\n") })
    #expect(unexpected.growth.map(\.isExpected) == [false])
    let expected = await remount("a known screen", expecting: [.consumerGrowth])
    #expect(expected.failures == [])
    #expect(expected.growth.map(\.isExpected) == [true])
    events.continuation.finish()
  }
}
