package import KVOTrace

/// Where recorded events go: a file, or the memory of a test.
///
/// This is the seam that a faster recorder fills. A sink is called with the recorder's lock held, in
/// the order in which the threads come by, so `take` only puts the event aside; what can wait for a
/// disk is done in the closure that it returns, after the lock is given back.
package protocol EventSink: AnyObject, Sendable {
  /// Takes one event. `names` is what its ids mean.
  ///
  /// - Returns: what is left to do without the lock, or nil.
  func take(_ event: Event, names: borrowing TraceNames) -> (@Sendable () -> Void)?
}

/// Keeps events in memory, for as long as a test scope is open.
package final class EventMemory: EventSink {
  // State: `events`, under its own lock; appended to by `take`, copied by `events`.
  private let storage = GuardedState<[Event]>([])

  package init() {}

  /// What was recorded so far, in the order of recording.
  package var events: [Event] { storage.withLock { $0 } }

  package func take(_ event: Event, names: borrowing TraceNames) -> (@Sendable () -> Void)? {
    storage.withLock { $0.append(event) }
    return nil
  }
}
