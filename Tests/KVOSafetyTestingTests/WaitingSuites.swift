import Foundation
import KVOSafety
import KVOSafetyTesting
import Synchronization
import Testing

/// Suites that leave tasks waiting if the environment says so, and otherwise end them.
///
/// Tests know the lines of the calls: do not move them.
@Suite("Suites of tasks that wait")
struct WaitingSuites {
  static let variable = "KVO_SAFETY_SUITE_WAITS"

  private static let isLeft = ProcessInfo.processInfo.environment[variable] == "left"

  private final class Screen: Sendable {
    func show(_ event: Int) {}
  }

  /// Resumed at the end of a test that leaves no task.
  private static let reply = Mutex<RecordedContinuation<Void, Never>?>(nil)
  private static let kept = Mutex<[AsyncStream<Int>.Continuation]>([])

  /// A screen that should be deallocated, and whose task loops over `events`.
  private static func open(_ events: NotedSequence<AsyncStream<Int>>) -> Task<Void, Never> {
    let screen = Screen()
    KVO.expectDeallocation(of: screen, within: .seconds(3600))
    return Task { for await event in events { screen.show(event) } }
  }

  @Suite("An audited test")
  struct Audited {
    @Test("that leaves tasks, or ends them", .audited(allowsNoObservations: true))
    func test() async {
      let (events, sender) = AsyncStream.makeStream(of: Int.self)
      let noted = events.noted(as: "events")
      let (prices, supply) = AsyncStream<Int>.recorded(as: "prices")
      let tasks = [
        open(noted),
        Task { for await _ in prices {} },
        Task {
          await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let continuation = continuation.recorded(as: "reply")
            reply.withLock { $0 = continuation }
          }
        },
      ]
      while !isWaiting { try? await Task.sleep(nanoseconds: 1_000_000) }
      if isLeft { return kept.withLock { $0.append(sender) } }
      sender.finish()
      supply.finish()
      reply.withLock { $0?.resume() }
      for task in tasks { await task.value }
    }

    /// Whether all three tasks wait; tests that run at the same time have others.
    private var isWaiting: Bool {
      let own = KVO.parked().filter { $0.site.hasPrefix("WaitingSuites.swift:") }
      return reply.withLock { $0 != nil }
        && Set(own.map(\.awaited)) == ["events", "prices", "reply"]
    }
  }
}
