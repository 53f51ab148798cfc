import KVORules
import KVOTrace

// Verdicts on removals that the log does not prove.
extension RegistrationRules {
  /// Withdraws verdicts on a removal that only its writer can judge.
  func withhold(_ removal: Removal, _ removed: Removed, _ log: inout ReplayState) {
    let first = removed.firstVerdict
    if log.losses.first != nil, removed.matching == .byName {
      log.withholdGuesses(from: first, removed.slot)
    }
    if log.verdicts.count > first, log.ledger.subjects[removed.subject].hasUnknownPast {
      withholdUnknownPast(from: first, isSaid: removal.isUnmatched, &log)
    }
  }

  /// Withdraws verdicts on a removal that may concern a registration from before the log began.
  private func withholdUnknownPast(from first: Int, isSaid: Bool, _ log: inout ReplayState) {
    let found = Array(log.verdicts[first...])
    log.verdicts.removeSubrange(first...)
    log.verdicts += found.filter {
      switch $0.code {
      case .doubleRemove, .removeUnregistered: false
      // A writer that finds no match may not know of earlier registrations.
      case .removeWrongContext: isSaid
      default: true
      }
    }
  }
}
