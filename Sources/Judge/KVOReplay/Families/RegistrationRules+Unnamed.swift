import KVORules
import KVOTrace

// Removals, and additions by name, of which the log does not state the observer.
extension RegistrationRules {
  /// Notes whether `registration`, which is added, states its observer.
  mutating func noteNames(of registration: Registration, _ isNumbered: Bool) {
    if registration.isClassic, registration.observer != nil { hasNamed = true }
    if registration.isUnnamed(isNumbered: isNumbered) { hasUnnamed = true }
  }

  /// The live registrations that `removal` may have ended although its names fit none, newest first.
  ///
  /// An observer that is missing is not stated; so a removal without one may be that of any observer, and an addition
  /// without one may have been removed by any. An addition with neither an observer nor a token counts as the token form,
  /// but may as well be one by name if no addition by name states its observer, and it has no number or the removal has
  /// no observer either. Empty if the log states the match by a number that an addition has, or if a registration fits.
  ///
  /// Complexity: O(registrations of the key path), if an observer is missing.
  func possibleMatches(
    of removal: Removal,
    on subject: Int,
    _ log: inout ReplayState
  ) -> [Int] {
    // A number that no addition has may belong to one that states none.
    let isNumberUnknown =
      removal.registration.map { log.unsaid.registration != nil && log.ledger.slot(of: $0) < 0 }
      ?? true
    guard removal.observer == nil || hasUnnamed, isNumberUnknown, !removal.isUnmatched
    else { return [] }
    let context = removal.context == .unspecified ? nil : removal.context
    if removal.observer != nil,
      log.ledger.newest(NamePair(removal), context, on: subject).slot >= 0
    {
      return []
    }
    var found: [Int] = []
    log.ledger.forEach(of: removal.keyPath, on: subject) { slot in
      if removal.registration != nil, log.ledger.slots[slot].isNumbered { return }
      let registration = log.ledger.slots[slot].registration
      let isNumbered = removal.observer != nil && log.ledger.slots[slot].isNumbered
      let isPossible =
        if registration.isClassic {
          registration.observer == nil || removal.observer == nil
        } else {
          registration.isUnnamed(isNumbered: isNumbered) && !hasNamed
        }
      guard isPossible, context == nil || registration.context.asAdded == context
      else { return }
      found.append(slot)
    }
    return found.sorted {
      log.ledger.slots[$1].registered.precedes(log.ledger.slots[$0].registered)
    }
  }

  /// Ends the registrations that a removal may have ended instead of the one that it was taken to have ended: nothing is
  /// concluded from them any more.
  ///
  /// - Returns: their slots.
  mutating func endDoubtful(
    _ removed: Removed,
    at evidence: Evidence,
    _ log: inout ReplayState
  ) -> [Int] {
    guard !removed.doubtful.isEmpty else { return [] }
    log.ledger.forgetPast(of: removed.subject)
    let others = removed.doubtful.filter { $0 != removed.slot }
    for slot in others where log.ledger.isLive(slot) {
      log.ledger.cancel(slot, by: .runtime, at: evidence, &log.verdicts)
    }
    for slot in removed.doubtful { log.ledger.markEndGuessed(slot) }
    return others
  }
}

extension Registration {
  /// Whether it may have been added by name, by an observer that the log does not state: a log that numbers a token can
  /// end it by a `cancel`.
  func isUnnamed(isNumbered: Bool) -> Bool {
    guard observer == nil else { return false }
    switch form {
    case .classic: return true
    case .token: return token == nil && !isNumbered
    case .controller, .stream: return false
    }
  }
}
