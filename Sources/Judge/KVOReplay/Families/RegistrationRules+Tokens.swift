import KVORules
import KVOTrace

// KVO031.
extension RegistrationRules {
  /// What the log has of the end of a token.
  enum TokenEnd {
    /// Its `cancel`, with the time that it states.
    case cancelled(at: UInt64?)
    /// Only its deallocation.
    case deallocated
  }

  /// The longest life, in nanoseconds, of a token that counts as dropped at once in a log without scopes.
  private static let atOnce: UInt64 = 100_000_000

  /// A token that was dropped where it was created observed nothing at all.
  ///
  /// "Where" is the scope. In a log without scopes it is the very next event of the thread, within ``atOnce``: a token
  /// that lived longer was retained by something. Without times, and by a deallocation alone, that cannot be known: the
  /// log may have no other event of a long-lived token.
  ///
  /// A token that goes right after its call site handed out the next one was stored, and is replaced by it: the cell of a
  /// list observes another object. An optimized program does that in one frame, which proves nothing.
  ///
  /// - Parameters:
  ///   - slot: the registration of the token.
  ///   - evidence: the end.
  ///   - target: the object and the registration of the end.
  ///   - end: what that event is.
  ///   - log: the log so far.
  mutating func judgeDroppedToken(
    _ slot: Int,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ end: TokenEnd,
    _ log: inout ReplayState
  ) {
    let origin = log.origins[slot]
    let registration = log.ledger.slots[slot].registration
    let registered = log.ledger.slots[slot].registered
    guard log.droppedAt == nil, !origin.isListed, !log.ledger.slots[slot].wasNotified,
      !registration.options.contains(.initial), target.scope == origin.scope
    else { return }
    if origin.scope == nil {
      guard case .cancelled(let time) = end, evidence.thread == registered.thread,
        log.threads[target.thread].activity == origin.activity
      else { return }
      guard let time, let began = log.threads[target.thread].registeredAt else {
        if log.unsaid.time == nil { log.unsaid.time = evidence.event }
        return
      }
      guard time.subtractingReportingOverflow(began).partialValue <= Self.atOnce else { return }
    }
    // No notification can name it.
    if !log.ledger.slots[slot].isNumbered {
      if log.unsaid.dropped == nil { log.unsaid.dropped = registered.event }
      return
    }
    let thread = log.threads[target.thread]
    let isReplaced =
      thread.activity == thread.newestActivity && origin.activity != thread.newestActivity
      && registration.site != .none && registration.site == thread.newestSite
    if isReplaced { return }
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
