import KVORules
import KVOTrace

// KVO031.
extension RegistrationRules {
  /// A token that was dropped where it was created observed nothing at all.
  ///
  /// "Where" is the scope. In a log without scopes it is the very next event of the thread: a token that lived longer
  /// was retained by something. A deallocation alone does not prove that: the log may have no other event of a
  /// long-lived token.
  ///
  /// - Parameters:
  ///   - slot: the registration of the token.
  ///   - evidence: the end.
  ///   - target: the object and the registration of the end.
  ///   - isCancelled: whether that event is a `cancel`, and not the deallocation of the token.
  ///   - log: the log so far.
  mutating func judgeDroppedToken(
    _ slot: Int,
    _ evidence: Evidence,
    _ target: EventTarget,
    isCancelled: Bool,
    _ log: inout ReplayState
  ) {
    let origin = log.origins[slot]
    let registration = log.ledger.slots[slot].registration
    let registered = log.ledger.slots[slot].registered
    guard log.droppedAt == nil, !log.ledger.slots[slot].wasNotified,
      !registration.options.contains(.initial), target.scope == origin.scope
    else { return }
    if origin.scope == nil {
      guard isCancelled, evidence.thread == registered.thread,
        log.threads[target.thread].activity == origin.activity
      else { return }
    }
    log.verdicts.append(
      Verdict(
        .tokenDropped,
        subject: registration.subject,
        observer: registration.observer,
        keyPath: registration.keyPath,
        context: registration.context,
        registration: registration.id,
        evidence: [evidence, registered]
      )
    )
  }
}
