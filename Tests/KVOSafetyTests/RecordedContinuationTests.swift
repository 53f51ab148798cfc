import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// State: `state`, under its own lock.
private final class Kept<Value: Sendable>: Sendable {
  private let state: GuardedState<Value>

  init(_ value: Value) { state = GuardedState(value) }

  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

extension Kept<[Verdict]> {
  func append(_ verdict: Verdict) { state.withLock { $0.append(verdict) } }
}

extension Event.Body {
  /// Whether it is about a loop or a continuation.
  fileprivate var isOfConsumer: Bool {
    switch self {
    case .consumerBegin, .parked, .consumerEnd: true
    default: false
    }
  }
}

@Suite("Recorded continuations")
struct RecordedContinuationTests {
  private static let file = "RecordedContinuationTests.swift"

  private static func parked(at line: Int) -> KVO.ParkedConsumers? {
    KVO.parked().first { $0.site == "\(file):\(line)" }
  }

  private static func untilParked(at line: Int) async -> KVO.ParkedConsumers? {
    while parked(at: line) == nil { await Task.yield() }
    return parked(at: line)
  }

  /// The verdicts about a continuation called `name` while `body` runs: those of the library, and those of a replay.
  private static func verdicts(
    of name: String,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ soFar: () -> [Verdict]) async throws -> Void
  ) async rethrows -> (live: [Verdict], replayed: [Verdict]) {
    let live = Kept<[Verdict]>([])
    let memory = EventMemory()
    let detail = Verdict.Detail.consumer(awaited: Recorder.id(of: name), scope: .none)
    let witness = LiveMonitor.shared.addWitness { verdict in
      if verdict.detail == detail { live.append(verdict) }
    }
    Recorder.shared.attach(memory)
    defer {
      Recorder.shared.detach(memory)
      LiveMonitor.shared.removeWitness(witness)
    }
    try await body { live.value }
    var engine = RuleEngine()
    var replayed: [Verdict] = []
    // Of the events of all tests that ran meanwhile.
    for (index, event) in memory.events.enumerated() where event.body.isOfConsumer {
      replayed += engine.consume(event, number: index + 1)
    }
    return (live.value, replayed.filter { $0.detail == detail })
  }

  private static func lines(_ verdict: Verdict) -> [String] {
    let names = Recorder.shared.names
    return verdict.evidence.map { evidence in
      names.site(evidence.site)?.location
        ?? names[evidence.stack].map { "\(names[$0.file]):\($0.line)" }.joined()
    }
  }

  @Test("give the task its value or its error, and are counted until then")
  func once() async throws {
    struct Failure: Error {}
    let kept = Kept<RecordedContinuation<Int, any Error>?>(nil)
    let line = #line + 4
    let (live, replayed) = try await Self.verdicts(of: "fine reply") { _ in
      let task = Task(name: "asking") {
        try await withCheckedThrowingContinuation { continuation in
          kept.value = continuation.recorded(as: "fine reply")
        }
      }
      while kept.value == nil { await Task.yield() }
      let parked = try #require(await Self.untilParked(at: line))
      #expect(parked.awaited == "fine reply" && parked.count == 1 && parked.orphanedCount == 0)
      #expect(parked.taskNames == ["asking"])
      kept.value?.resume(returning: 7)
      #expect(try await task.value == 7)
      #expect(Self.parked(at: line) == nil)
      await #expect(throws: Failure.self) {
        try await withCheckedThrowingContinuation {
          (continuation: CheckedContinuation<Int, any Error>) in
          continuation.recorded(as: "fine reply").resume(throwing: Failure())
        }
      }
      await withUnsafeContinuation { $0.recorded(as: "fine reply").resume() }
      kept.value = nil
    }
    #expect(live.isEmpty && replayed.isEmpty)
  }

  @Test("ignore and report a second time (KVO044)")
  func twice() async {
    let line = #line + 5
    let (live, replayed) = await Self.verdicts(of: "double reply") { _ in
      let value = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
        let recorded = continuation.recorded(as: "double reply")
        recorded.resume(returning: 1)
        recorded.resume(returning: 2)
      }
      #expect(value == 1)
    }
    #expect(live.map(\.code) == [.continuationResumedTwice])
    #expect(live.map(Self.lines) == [["\(Self.file):\(line)", "\(Self.file):\(line - 1)"]])
    #expect(replayed.map(\.code) == live.map(\.code))
    #expect(replayed.map(Self.lines) == live.map(Self.lines))
  }

  @Test("report that they are released before they are resumed (KVO043), and are counted for ever")
  func dropped() async {
    let line = #line + 4
    let (live, replayed) = await Self.verdicts(of: "lost reply") { soFar in
      Task {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
          _ = continuation.recorded(as: "lost reply")
        }
      }
      while Self.parked(at: line)?.orphanedCount != 1 || soFar().isEmpty { await Task.yield() }
    }
    #expect(live.map(\.code) == [.continuationDropped])
    #expect(live.map(Self.lines) == [["\(Self.file):\(line)"]])
    #expect(replayed.map(\.code) == live.map(\.code))
    #expect(replayed.map(Self.lines) == live.map(Self.lines))
    #expect(Self.parked(at: line)?.description.contains(", 1 for nobody: ") == true)
  }

  /// The stream, whose continuation is released after two elements.
  private static func abandoned(
    _ made: (stream: NotedSequence<AsyncStream<Int>>, continuation: RecordedStreamContinuation<Int>)
  ) -> NotedSequence<AsyncStream<Int>> {
    made.continuation.yield(1)
    made.continuation.yield(2)
    return made.stream
  }

  @Test("of streams give their elements, and say when nobody can give any more")
  func streams() async throws {
    let line = #line + 1
    let (prices, first) = AsyncStream<Int>.recorded(as: "prices")
    let kept = Kept<RecordedStreamContinuation<Int>?>(first)
    let task = Task {
      var sum = 0
      for await price in prices { sum += price }
      return sum
    }
    kept.value?.yield(1)
    let parked = try #require(await Self.untilParked(at: line))
    #expect(parked.awaited == "prices" && parked.orphanedCount == 0)
    kept.value?.yield(2)
    kept.value?.finish()
    #expect(await task.value == 3)
    #expect(Self.parked(at: line) == nil)

    let otherLine = #line + 1
    let others = Self.abandoned(AsyncStream<Int>.recorded(as: "others"))
    let orphan = Task {
      var taken: [Int] = []
      for await price in others { taken.append(price) }
      return taken
    }
    while Self.parked(at: otherLine)?.orphanedCount != 1 { await Task.yield() }
    // Only its task can be ended.
    orphan.cancel()
    #expect(await orphan.value == [1, 2])
    #expect(Self.parked(at: otherLine) == nil)
  }
}
