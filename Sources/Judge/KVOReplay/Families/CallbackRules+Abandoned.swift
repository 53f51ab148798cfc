import KVORules
import KVOTrace

extension CallbackRules {
  /// An exception leaves `callback`, as `end` says: if that was notified before a change, the change is not made.
  func abandonChange(
    of callback: ThreadTable.Callback,
    _ end: Delivery,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    guard case .prior = callback.delivery.phase, let change = callback.delivery.change else {
      return
    }
    let isKnown = callback.slot >= 0
    let exception = ChangeBrackets.Exception(
      name: end.isHandled == false ? .none : end.exception,
      observer: isKnown ? log.ledger.slots[callback.slot].registration.observer : nil,
      evidence: evidence.as(.raised)
    )
    log.threads[thread].brackets.abandon(change, by: exception)
  }
}
