internal import KVORecorder

/// Changes on their way to an actor.
///
/// The threads that make changes put them in; one task on the actor takes them out, for as long as
/// there are any.
final class HopMailbox<Value: Sendable>: Sendable {
  private struct State {
    var waiting: [HoppedChange<Value>] = []
    /// Whether a task is on its way to the actor, or there.
    var isDraining = false
    /// How many threads are putting something in.
    var arrivingCount = 0
    /// How often two threads did so at once.
    var overlapCount = 0
  }

  // State: `state`, under its own lock; nothing is called while it is held.
  private let state = GuardedState(State())
  private let buffering: HopBuffering

  init(_ buffering: HopBuffering) { self.buffering = buffering }

  /// Puts a change in that `read` makes.
  ///
  /// - Returns: whether a task must be sent to take it out.
  func put(_ read: () -> ObservedChange<Value>) -> Bool {
    let overlapsBefore = state.withLock { state in
      state.arrivingCount += 1
      if state.arrivingCount > 1 { state.overlapCount += 1 }
      return state.arrivingCount > 1 ? -1 : state.overlapCount
    }
    let change = read()
    return state.withLock { state in
      let isAlone = state.overlapCount == overlapsBefore
      state.arrivingCount -= 1
      var skippedCount = 0
      if buffering == .newest, let last = state.waiting.popLast() {
        skippedCount = last.skippedCount + 1
      }
      state.waiting.append(
        HoppedChange(
          change: change,
          skippedCount: skippedCount,
          isOrderUncertain: !isAlone
        )
      )
      defer { state.isDraining = true }
      return !state.isDraining
    }
  }

  /// Takes the oldest change out; nil where there is none, and then the task is done.
  func take() -> HoppedChange<Value>? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isDraining = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
