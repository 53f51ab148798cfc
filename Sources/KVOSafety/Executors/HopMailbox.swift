internal import KVORecorder

/// Changes on their way to an actor.
///
/// The threads that make changes put them in; one task on the actor takes them out, for as long as
/// there are any.
final class HopMailbox<Value: Sendable>: Sendable {
  private struct State {
    var waiting = WaitingLine<HoppedChange<Value>>()
    /// Whether a task is scheduled or running on the actor.
    var isDraining = false
    /// How many threads are putting something in.
    var arrivingCount = 0
    /// How often two threads did so concurrently.
    var overlapCount = 0
  }

  // State: `state`, under its own lock; nothing is called or released while it is held.
  private let state = GuardedState(State())
  private let buffering: HopBuffering

  init(_ buffering: HopBuffering) { self.buffering = buffering }

  /// Adds the change that `read` creates.
  ///
  /// - Returns: whether a task must be started to take it out.
  func put(_ read: () -> ObservedChange<Value>) -> Bool {
    let overlapsBefore = state.withLock { state in
      state.arrivingCount += 1
      if state.arrivingCount > 1 { state.overlapCount += 1 }
      return state.arrivingCount > 1 ? -1 : state.overlapCount
    }
    let change = read()
    let (mustSend, left) = state.withLock { state -> (Bool, HoppedChange<Value>?) in
      let isAlone = state.overlapCount == overlapsBefore
      state.arrivingCount -= 1
      let left = buffering == .newest ? state.waiting.takeNewest() : nil
      state.waiting.append(
        HoppedChange(
          change: change,
          skippedCount: left.map { $0.skippedCount + 1 } ?? 0,
          isOrderUncertain: !isAlone
        )
      )
      defer { state.isDraining = true }
      return (!state.isDraining, left)
    }
    withExtendedLifetime(left) {}
    return mustSend
  }

  /// Takes the oldest change out; nil if there is none, in which case the task is done.
  ///
  /// Complexity: O(1) amortized, however many wait.
  func take() -> HoppedChange<Value>? {
    state.withLock { state in
      guard let oldest = state.waiting.takeOldest() else {
        state.isDraining = false
        return nil
      }
      return oldest
    }
  }
}
