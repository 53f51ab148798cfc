import KVOTrace

// How the ledger makes its verdicts: what each carries as evidence.
extension SubjectLedger {
  mutating func insert(
    _ registration: Registration,
    _ id: RegistrationID,
    _ evidence: Evidence,
    isBeingAdded: Bool
  ) {
    table.insert(
      .init(
        registration: registration,
        id: id,
        registered: evidence.as(.registered),
        initial: nil,
        isBeingAdded: isBeingAdded
      )
    )
  }

  /// The newest live registration of the same triple, whatever form made it.
  mutating func newestEqual(
    to registration: Registration
  ) -> (entry: RegistrationTable.Entry, count: Int)? {
    var triple = RegistrationTable.triple(of: registration)
    let sameForm = table.newest(triple)
    triple.pair.isClassic.toggle()
    guard let otherForm = table.newest(triple) else { return sameForm }
    guard let sameForm else { return otherForm }
    return (sameForm.entry, sameForm.count + otherForm.count)
  }

  mutating func remember(
    _ entry: RegistrationTable.Entry,
    endedAt evidence: Evidence,
    by cause: CancelCause?
  ) {
    ended.append(
      .init(
        registration: entry.registration,
        registered: entry.registered,
        ended: evidence.as(.removed),
        cause: cause
      )
    )
  }

  mutating func unmatched(
    _ removal: Removal,
    _ pair: RegistrationTable.Pair,
    _ evidence: Evidence
  ) -> Verdict {
    let before = ended.newest {
      $0.registration.observer?.id == removal.observer?.id
        && $0.registration.keyPath == removal.keyPath
        && (removal.context == .unspecified
          || $0.registration.context.asAdded == removal.context)
    }
    if let before { return again(removal, before, pair, evidence) }
    let others = removal.context == .unspecified ? [] : otherContexts(than: removal, pair)
    return verdict(
      others.isEmpty ? .removeUnregistered : .removeWrongContext,
      removal,
      [evidence.as(.failed)] + others.map(\.registered),
      detail: others.isEmpty ? .none : .otherContexts(others.map(\.registration.context)),
      isHistoryLost: ended.isIncomplete
    )
  }

  mutating func again(
    _ removal: Removal,
    _ before: EndedRegistrations.Entry,
    _ pair: RegistrationTable.Pair,
    _ evidence: Evidence
  ) -> Verdict {
    let others = otherContexts(than: removal, pair)
    return verdict(
      .doubleRemove,
      removal,
      [evidence.as(.failed), before.ended, before.registered],
      registration: before.registration.id,
      detail: others.isEmpty ? .none : .otherContexts(others.map(\.registration.context))
    )
  }

  mutating func otherContexts(
    than removal: Removal,
    _ pair: RegistrationTable.Pair
  ) -> [RegistrationTable.Entry] {
    table.newestPerContext(pair, limit: Self.listLimit)
      .filter { $0.registration.context.asAdded != removal.context }
  }

  mutating func ambiguous(
    _ removal: Removal,
    _ matched: RegistrationID,
    _ pair: RegistrationTable.Pair,
    _ evidence: Evidence
  ) -> Verdict {
    let candidates = table.newestPerContext(pair, limit: Self.listLimit)
    return verdict(
      .ambiguousRemove,
      removal,
      [evidence.as(.failed)] + candidates.map(\.registered),
      registration: matched,
      detail: .otherContexts(candidates.map(\.registration.context))
    )
  }

  /// KVO010, where the removal ran inside the registration's own initial delivery: on the thread
  /// that delivers it.
  func removedDuringInitial(
    _ entry: RegistrationTable.Entry,
    at evidence: Evidence
  ) -> Verdict? {
    guard entry.isBeingAdded, let initial = entry.initial, initial.thread == evidence.thread
    else { return nil }
    return verdict(
      .removeDuringInitial,
      entry.registration,
      [evidence.as(.failed), initial.as(.notified), entry.registered]
    )
  }

  func leftBehind(
    _ code: RuleCode,
    _ entry: RegistrationTable.Entry,
    _ evidence: Evidence
  ) -> Verdict {
    verdict(code, entry.registration, [evidence.as(.failed), entry.registered])
  }

  func verdict(
    _ code: RuleCode,
    _ registration: Registration,
    _ evidence: [Evidence],
    detail: Verdict.Detail = .none
  ) -> Verdict {
    Verdict(
      code,
      subject: registration.subject,
      observer: registration.observer,
      keyPath: registration.keyPath,
      context: registration.context,
      registration: registration.id,
      evidence: evidence,
      detail: detail,
      confidence: Confidence(comparing: evidence)
    )
  }

  fileprivate func verdict(
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
