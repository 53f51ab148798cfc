import KVORules
import KVOTrace

// Callbacks whose end is not recorded.
extension CallbackRules {
  /// A change that began at `began` ends on its thread: the notifications before it are over, and so is what they
  /// called.
  ///
  /// A log that records the ends of callbacks states that itself.
  mutating func leavePriors(
    of change: Change,
    began: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    if log.seen.contains(.callbackEnd) || log.threads[thread].callbacks.isEmpty { return }
    let first = log.threads[thread].callbacks.firstIndex { callback in
      callback.began.event > began.event && callback.delivery.isPrior(to: change)
    }
    if let first { leaveCallbacks(of: thread, after: first, &log) }
  }
}

extension Delivery {
  /// Whether it is a notification before `other`, as far as the log states the numbers of both.
  fileprivate func isPrior(to other: Change) -> Bool {
    guard case .prior = phase else { return false }
    return change == nil || other.id == nil || change == other.id
  }
}
