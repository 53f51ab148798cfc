import KVORules
import KVOTrace

// Removals that may have ended any of several equal registrations.
//
// Of a removal that states its context, but not what it matched, only the runtime knows which of the equal ones it took:
// no runtime but this library's says that it is the newest. The ledger ends the newest. It and its copies are marked, and
// nothing is concluded from what is delivered to either, until a later event shows which of them are live.
extension RegistrationRules {
  /// How many copies of a registration are looked at.
  private static let copyLimit = 64

  /// The live copies of the registration that `removal` ends, if it may end any of them instead; itself included.
  func copies(
    endedBy removal: Removal,
    on subject: Int,
    _ log: inout ReplayState
  ) -> [Int] {
    guard removal.context != .unspecified, removal.registration == nil, !removal.isUnmatched,
      log.process?.runtime != .swift
    else { return [] }
    let pair = NamePair(removal)
    let found = log.ledger.newest(pair, removal.context, on: subject)
    // No other event names a registration without a number.
    guard found.count > 1, log.ledger.subjects[subject].semantics == .stacking,
      log.ledger.slots[found.slot].isNumbered
    else { return [] }
    return log.ledger.copies(of: pair, removal.context, on: subject, limit: Self.copyLimit)
  }

  /// Marks `copies`, one of which ended at the event `removal`, and takes back what depends on which it was.
  func share(_ copies: [Int], from firstVerdict: Int, at removal: Int, _ log: inout ReplayState) {
    for slot in copies { log.ledger.mark(slot, isEndShared: true) }
    if log.unsaid.removed == nil { log.unsaid.removed = removal }
    let found = Array(log.verdicts[firstVerdict...])
    log.verdicts.removeSubrange(firstVerdict...)
    log.verdicts += found.filter { $0.code != .removeDuringInitial }
  }

  /// An event shows that the registration at `slot` is live, or that it ended: its copies may be known now.
  func settleCopies(of slot: Int, _ log: inout ReplayState) {
    log.ledger.mark(slot, isEndShared: false)
    let subject = log.ledger.subject(of: slot)
    if subject < 0 || liveCopy(of: slot, on: subject, &log) >= 0 { return }
    // All that are live are known, and so the others have ended.
    let registration = log.ledger.slots[slot].registration
    while true {
      let ended = log.ledger.newestEnded(of: subject) {
        $0.isEndShared && $0.registration.isCopy(of: registration)
      }
      if ended < 0 { return }
      log.ledger.mark(ended, isEndShared: false)
    }
  }

  /// The live registration that ended in place of the one at `slot`, which a later event ends as well; otherwise `slot`.
  func standIn(for slot: Int, _ log: inout ReplayState) -> Int {
    guard slot >= 0, !log.ledger.isLive(slot), log.ledger.slots[slot].isEndShared else {
      return slot
    }
    let subject = log.ledger.subject(of: slot)
    let copy = subject < 0 ? -1 : liveCopy(of: slot, on: subject, &log)
    return copy < 0 ? slot : copy
  }

  /// The newest live copy of the registration at `slot` that may have ended; -1: none.
  private func liveCopy(of slot: Int, on subject: Int, _ log: inout ReplayState) -> Int {
    let registration = log.ledger.slots[slot].registration
    let copies = log.ledger.copies(
      of: NamePair(registration),
      registration.context.asAdded,
      on: subject,
      limit: Self.copyLimit
    )
    return copies.first { log.ledger.slots[$0].isEndShared } ?? -1
  }
}

extension Registration {
  /// Whether a removal by name cannot distinguish it from `other`, of the same object.
  fileprivate func isCopy(of other: Registration) -> Bool {
    NamePair(self) == NamePair(other) && context.asAdded == other.context.asAdded
  }
}
