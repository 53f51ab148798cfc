import Glibc
import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

/// Is observed by name by an object of its own, and by a token; removes the former in its deinit, on the main actor.
@MainActor private final class Screen: @MainActor KeyValueObservable {
  nonisolated let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("title", \Screen.title))
  var title = ""
  private let listener = TitleListener()
  private var token: ObservationToken?
  private let finished: AsyncStream<Void>.Continuation

  init(_ finished: AsyncStream<Void>.Continuation) {
    self.finished = finished
    addObserver(listener, forKeyPath: "title")
    addObserver(listener, forKeyPath: "title", context: Screen.context)
    token = observe(\.title) { _, _ in }
  }

  isolated deinit {
    removeObserver(listener, forKeyPath: "title", context: Screen.context)
    removeObserver(listener, forKeyPath: "title", context: nil)
    finished.finish()
  }

  private static let context = ObservationContext("screen")
}

@MainActor private final class TitleListener: @MainActor KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    .handled
  }
}

/// Is observed, and released on another thread than that of its actor.
@MainActor private final class Row: @MainActor KeyValueObservable {
  nonisolated let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("title", \Row.title))
  var title = ""
  private var token: ObservationToken?
  private let remaining: Remaining

  init(_ remaining: Remaining) {
    self.remaining = remaining
    token = observe(\.title) { _, _ in }
  }

  isolated deinit { remaining.decrement() }
}

private final class Remaining: Sendable {
  private let count: Atomic<Int>
  init(_ count: Int) { self.count = Atomic(count) }
  func decrement() { count.wrappingSubtract(1, ordering: .relaxed) }
  var isNone: Bool { count.load(ordering: .relaxed) == 0 }
}

@Suite("Isolated deinits")
struct IsolatedDeinitTests {
  @Test("as many as wait for a busy actor end in time; quadratic time would take minutes")
  @MainActor func many() async {
    let remaining = Remaining(20_000)
    nonisolated(unsafe) var rows = (0..<20_000).map { _ in Row(remaining) }
    let records = rows.map { ObjectTable.shared.record(of: $0).ref.id }
    let addresses = rows.map { ObjectTable.address(of: $0) }
    // Waits for the thread, so that the actor is busy.
    onThreads(count: 1) { _ in rows = [] }
    #expect(!remaining.isNone)
    while !remaining.isNone { await Task.yield() }
    DeallocationHook.settle()
    // Objects of other tests may have the addresses by now.
    let left = zip(addresses, records).filter { address, record in
      ObjectTable.shared.knownRecord(at: address)?.ref.id == record
    }
    #expect(left.isEmpty)
  }

  /// The events about a screen that is released on a thread other than the main one, or there.
  @MainActor private func events(releasedElsewhere: Bool) async -> [Event] {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    defer { Recorder.shared.detach(memory) }
    let (stream, finished) = AsyncStream.makeStream(of: Void.self)
    var screen: Screen? = Screen(finished)
    let subject = screen?.storage.record.ref.id
    let held = screen.map { Unmanaged.passRetained($0) }
    screen = nil
    if releasedElsewhere {
      onThreads(count: 1) { _ in held?.release() }
    } else {
      held?.release()
    }
    // The deinit is a job of this actor, so it has run when this one continues.
    for await _ in stream {}
    DeallocationHook.settle()
    return memory.events.filter { event in
      switch event.body {
      case .register(let registration): registration.subject.id == subject
      case .remove(let removal), .removeEnd(let removal): removal.subject.id == subject
      case .deinit(let object), .deinitEnd(let object): object.id == subject
      default: false
      }
    }
  }

  @Test("may remove an observation of their own object by name (KVO025)", arguments: [true, false])
  func removal(releasedElsewhere: Bool) async {
    let events = await events(releasedElsewhere: releasedElsewhere)
    var verdicts: [Verdict] = []
    var replay = OrderedReplay()
    for (index, event) in events.enumerated() {
      replay.take(event, number: index + 1) { verdicts.append($0) }
    }
    replay.finish { verdicts.append($0) }
    #expect(verdicts.filter { $0.code == .concurrentRemoval } == [])
    let removals = events.filter { if case .remove = $0.body { true } else { false } }
    let deinits = events.filter { if case .deinit = $0.body { true } else { false } }
    #expect(removals.count == 2)
    #expect(deinits.count == (releasedElsewhere ? 2 : 1))
    #expect(deinits.last?.thread == removals.first?.thread)
  }
}
