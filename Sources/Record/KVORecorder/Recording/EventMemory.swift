package import KVOTrace

/// Keeps events in memory, for as long as a test scope is open.
package final class EventMemory: Sendable {
  // State: `events`, under its own lock; appended to by `take`, copied by `events`.
  private let storage = GuardedState<[Event]>([])

  package init() {}

  /// The events recorded so far, in the order of recording.
  package var events: [Event] { storage.withLock { $0 } }

  /// Keeps `event`.
  func take(_ event: Event) { storage.withLock { $0.append(event) } }
}
