package import KVOTrace

// The evidence of the ledger's verdicts.
extension RegistrationLedger {
  /// The fault of a removal that matched nothing; nil if the addition had been refused, or the runtime had already ended
  /// the named registration.
  package mutating func unmatched(
    _ removal: Removal,
    _ subject: Int,
    _ evidence: Evidence
  ) -> Verdict? {
    func isNamed(_ slot: Slot) -> Bool {
      slot.registration.observer?.id == removal.observer?.id
        && slot.registration.keyPath == removal.keyPath
        && (removal.context == .unspecified || slot.registration.context.asAdded == removal.context)
    }
    if takeRefusal(for: removal, on: subject) { return nil }
    let asked = newestEnded(of: subject) { $0.cause == .runtime && isNamed($0) }
    if asked >= 0 {
      noteRemoval(asked, at: evidence)
      return nil
    }
    let before = newestEnded(of: subject, where: isNamed)
    if before >= 0 { return again(removal, before, subject, evidence) }
    let others = removal.context == .unspecified ? [] : otherContexts(than: removal, subject)
    return verdict(
      others.isEmpty ? .removeUnregistered : .removeWrongContext,
      removal,
      [evidence.as(.failed)] + others.map { slots[$0].registered },
      detail: detail(others),
      isHistoryLost: subjects[subject].hasLostHistory
    )
  }

  package mutating func again(
    _ removal: Removal,
    _ before: Int,
    _ subject: Int,
    _ evidence: Evidence
  ) -> Verdict {
    let others = otherContexts(than: removal, subject)
    let ended =
      switch slots[before].cause {
      case .subject, .observer: slots[before].later.as(.deallocated)
      case nil, .user, .owner, .token, .runtime: slots[before].later
      }
    return verdict(
      .doubleRemove,
      removal,
      [evidence.as(.failed), ended, slots[before].registered],
      registration: slots[before].registration.id,
      detail: detail(others)
    )
  }

  package mutating func ambiguous(
    _ removal: Removal,
    _ matched: Int,
    _ subject: Int,
    _ evidence: Evidence
  ) -> Verdict {
    let taken = slots[matched].registration.context
    let candidates =
      [matched]
      + newestPerContext(NamePair(removal), on: subject, limit: Self.listLimit)
      .filter { slots[$0].registration.context != taken }
    return verdict(
      .ambiguousRemove,
      removal,
      [evidence.as(.failed)] + candidates.map { slots[$0].registered },
      registration: slots[matched].registration.id,
      detail: .otherContexts(candidates.map { slots[$0].registration.context })
    )
  }

  package func leftBehind(_ code: RuleCode, _ slot: Int, _ evidence: Evidence) -> Verdict {
    verdict(
      code,
      slots[slot].registration,
      [evidence.as(.failed), slots[slot].registered],
      detail: slots[slot].registration.isClassic ? .none : .endsByItself
    )
  }

  private mutating func otherContexts(than removal: Removal, _ subject: Int) -> [Int] {
    newestPerContext(NamePair(removal), on: subject, limit: Self.listLimit)
      .filter { slots[$0].registration.context.asAdded != removal.context }
  }

  private func detail(_ others: [Int]) -> Verdict.Detail {
    others.isEmpty ? .none : .otherContexts(others.map { slots[$0].registration.context })
  }

  package func verdict(
    _ code: RuleCode,
    _ registration: Registration,
    _ evidence: [Evidence],
    detail: Verdict.Detail = .none
  ) -> Verdict {
    Verdict(code, of: registration, evidence, detail)
  }

  private func verdict(
    _ code: RuleCode,
    _ removal: Removal,
    _ evidence: [Evidence],
    registration: RegistrationID? = nil,
    detail: Verdict.Detail = .none,
    isHistoryLost: Bool = false
  ) -> Verdict {
    Verdict(
      code,
      subject: removal.subject,
      observer: removal.observer,
      keyPath: removal.keyPath,
      context: removal.context,
      registration: registration,
      evidence: evidence,
      detail: detail,
      confidence: Confidence(comparing: evidence),
      isHistoryLost: isHistoryLost
    )
  }
}
