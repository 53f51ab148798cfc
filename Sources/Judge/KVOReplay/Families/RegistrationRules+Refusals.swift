import KVORules
import KVOTrace

// Additions that were refused (KVO029).
extension RegistrationRules {
  /// An addition, a removal or a change was refused.
  ///
  /// The removal that pairs with a refused addition by name matches nothing, and is not judged.
  mutating func refuse(
    _ registration: Registration,
    part: StringID,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) {
    // An addition that does not state its observer may be one by name, as in `remove`.
    let mayBeUnnamed =
      registration.observer == nil && registration.token == nil && registration.id == nil
    guard registration.isClassic || mayBeUnnamed else { return }
    // A live registration is refused a later part of its key path.
    if let id = registration.id {
      if log.ledger.slot(of: id) >= 0 { return }
    } else if part != .none, target.subject >= 0 {
      let context = registration.context.asAdded
      let live = log.ledger.newest(NamePair(registration), context, on: target.subject).slot
      if live >= 0 { return }
    }
    let subject = open(registration.subject.id, target, evidence, &log)
    log.ledger.noteRefusal(of: registration, on: subject)
  }
}
