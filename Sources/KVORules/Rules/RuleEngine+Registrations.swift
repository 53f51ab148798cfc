import KVOTrace

// KVO001 to KVO005, KVO010, KVO020 and KVO031: additions and removals.
extension RuleEngine {
  /// Whether the matching is done again, as another runtime than the recorded one would.
  var rematches: Bool { requestedProfile != nil && requestedProfile != recordedProfile }

  mutating func restore(_ registration: Registration, _ event: Event, _ evidence: Evidence) {
    // What a crash record lists was registered before: it adds nothing.
    if hasCrashed { return }
    guard let numbered = admit(registration) else { return }
    let id = numbered.registration.subject.id
    openSubject(id, hasUnknownPast: false)
    subjects[id]?.ledger.restore(numbered.registration, at: evidence.at(registration.site))
    note(numbered.registration, numbered.isOwn, event, isLive: true)
  }

  mutating func register(_ registration: Registration, _ event: Event, _ evidence: Evidence) {
    act(event)
    guard let numbered = admit(registration) else { return }
    let subject = registration.subject.id
    openSubject(subject, hasUnknownPast: process?.isComplete == false)
    let outcome = subjects[subject]?.ledger
      .add(numbered.registration, at: evidence.at(registration.site))
    guard let outcome else { return }
    if let displaced = outcome.displaced {
      end(displaced, registered: nil, cleanedUp: nil)
      if let id = displaced.id { forget(id) }
    }
    note(numbered.registration, numbered.isOwn, event, isLive: false)
    for verdict in outcome.verdicts {
      if verdict.code == .selfObservation {
        observeSelf(verdict)
      } else if verdict.code != .duplicateRegistration || !hasUnknownPast(subject) {
        verdicts.append(verdict)
      }
    }
  }

  mutating func finishRegistering(_ id: RegistrationID) {
    guard let record = records[id] else {
      if ended[id] == nil { contradictionCount += 1 }
      return
    }
    subjects[record.subject]?.ledger.finishAdding(id)
    // A change that went on while the registration was being made need not be told to it.
    excuse(id)
  }

  mutating func remove(_ removal: Removal, _ event: Event, _ unplaced: Evidence) {
    act(event)
    let evidence = unplaced.at(removal.site)
    let subject = removal.subject.id
    openSubject(subject, hasUnknownPast: process?.isComplete == false)
    let matching = matching(of: removal)
    if let id = subjects[subject]?.ledger.match(for: removal, matching) {
      remember(id, subject, cleanedUp: nil)
    }
    guard
      let outcome = subjects[subject]?.ledger.remove(removal, at: evidence, matching: matching)
    else { return }
    if let matched = outcome.matched { forget(matched) }
    for verdict in outcome.verdicts {
      let needsPast = verdict.code == .doubleRemove || verdict.code == .removeUnregistered
      if !needsPast || !hasUnknownPast(subject) { verdicts.append(verdict) }
    }
  }

  mutating func cancel(
    _ id: RegistrationID,
    _ cause: CancelCause,
    _ event: Event,
    _ evidence: Evidence
  ) {
    guard let record = records[id] else {
      if ended[id] == nil { contradictionCount += 1 }
      return
    }
    guard let registration = subjects[record.subject]?.ledger.registration(id) else { return }
    let registered = subjects[record.subject]?.ledger.evidence(of: id)
    if cause == .token { judgeDroppedToken(registration, registered, record, event, evidence) }
    var failed = evidence
    switch cause {
    case .subject: failed = evidenceOfDeath(registration.subject.id, evidence)
    case .observer:
      if let observer = registration.observer { failed = evidenceOfDeath(observer.id, evidence) }
    case .user, .owner, .token: break
    }
    remember(id, record.subject, cleanedUp: cause == .observer ? evidence : nil)
    let outcome = subjects[record.subject]?.ledger.cancel(id, by: cause, at: failed)
    verdicts += outcome?.verdicts ?? []
    forget(id)
  }

  // MARK: - Which registration a removal matched

  /// A log that numbers its registrations says what a removal matched, nothing included.
  ///
  /// One that does not leaves it to the ledger, and so does a profile other than the recorded one.
  private mutating func matching(of removal: Removal) -> SubjectLedger.Matching {
    if rematches { return .byName }
    if let id = removal.registration { return .recorded(id) }
    guard let candidate = subjects[removal.subject.id]?.ledger.newestCandidate(for: removal),
      records[candidate]?.isNumbered == true
    else { return .byName }
    return .recorded(nil)
  }

  // MARK: - Bookkeeping

  private mutating func openSubject(_ id: ObjectID, hasUnknownPast: Bool) {
    guard subjects[id] == nil else { return }
    subjects[id] = Subject(
      ledger: SubjectLedger(
        semantics: MatchingSemantics(profile),
        historyCapacity: options.historyCapacity
      ),
      hasUnknownPast: hasUnknownPast
    )
  }

  private func hasUnknownPast(_ id: ObjectID) -> Bool { subjects[id]?.hasUnknownPast ?? false }

  /// Gives a registration its number, unless it was made already.
  private mutating func admit(
    _ registration: Registration
  ) -> (registration: Registration, isOwn: Bool)? {
    if let id = registration.id {
      guard records[id] == nil else {
        contradictionCount += 1
        return nil
      }
      return (registration, true)
    }
    var copy = registration
    while records[RegistrationID(nextNumber)] != nil { nextNumber += 1 }
    copy.id = RegistrationID(nextNumber)
    nextNumber += 1
    return (copy, false)
  }

  private mutating func note(
    _ registration: Registration,
    _ isNumbered: Bool,
    _ event: Event,
    isLive: Bool
  ) {
    guard let id = registration.id else { return }
    var record = Record(
      subject: registration.subject.id,
      scope: event.scope,
      isNumbered: isNumbered,
      hasInitial: registration.options.contains(.initial),
      thread: event.thread,
      activity: threads[event.thread]?.activity ?? 0
    )
    if let scope = event.scope, !isLive { record.answeringScope = scopes.enter(id, in: scope) }
    records[id] = record
    subjects[record.subject]?.byKeyPath[registration.keyPath, default: []].insert(id)
    if let observer = registration.observer {
      observing[observer.id, default: [:]][record.subject, default: 0] += 1
    }
  }

  /// Remembers a live registration for what may still come of it after its end.
  mutating func remember(_ id: RegistrationID, _ subject: ObjectID, cleanedUp: Evidence?) {
    guard let registration = subjects[subject]?.ledger.registration(id) else { return }
    let registered = subjects[subject]?.ledger.evidence(of: id)
    end(registration, registered: registered, cleanedUp: cleanedUp)
  }

  /// Takes an ending registration out of everything that is kept by its objects.
  mutating func end(_ registration: Registration, registered: Evidence?, cleanedUp: Evidence?) {
    guard let id = registration.id else { return }
    ended[id] = Ended(
      registration: registration,
      registered: registered,
      cleanedUp: cleanedUp
    )
    let subject = registration.subject.id
    subjects[subject]?.byKeyPath[registration.keyPath]?.remove(id)
    if subjects[subject]?.byKeyPath[registration.keyPath]?.isEmpty == true {
      subjects[subject]?.byKeyPath[registration.keyPath] = nil
    }
    guard let observer = registration.observer?.id else { return }
    if let count = observing[observer]?[subject] {
      observing[observer]?[subject] = count > 1 ? count - 1 : nil
      if observing[observer]?.isEmpty == true { observing[observer] = nil }
    }
    if observer == subject {
      selfObservations[subject]?.removeAll { $0.registration == id }
      if selfObservations[subject]?.isEmpty == true { selfObservations[subject] = nil }
    }
  }

  /// Drops the record of a registration that is over.
  mutating func forget(_ id: RegistrationID) {
    guard let record = records.removeValue(forKey: id) else { return }
    if let scope = record.answeringScope { scopes.leave(id, from: scope) }
    excuse(id)
  }

  // MARK: - KVO020

  /// A note, or a warning where a strong registry holds the object as well: it then never dies.
  private mutating func observeSelf(_ verdict: Verdict) {
    guard let object = verdict.subject?.id else { return }
    if let holder = holds.holder(of: object) {
      verdicts.append(verdict.heldBy(holder, at: nil))
    } else {
      verdicts.append(verdict)
      selfObservations[object, default: []].append(verdict)
    }
  }

  mutating func hold(_ reference: Reference, _ evidence: Evidence) {
    guard holds.hold(reference) else { return }
    let known = selfObservations.removeValue(forKey: reference.to.id) ?? []
    verdicts += known.map { $0.heldBy(reference.from, at: evidence.at(reference.site)) }
  }

  // MARK: - KVO031

  /// A token that was dropped where it was handed out observed nothing at all.
  ///
  /// "Where" is the scope. In a log without scopes it is the very next thing that the thread did:
  /// a token that lived any longer was kept by somebody.
  private mutating func judgeDroppedToken(
    _ registration: Registration,
    _ registered: Evidence?,
    _ record: Record,
    _ event: Event,
    _ evidence: Evidence
  ) {
    guard droppedAt == nil, !record.wasNotified, !record.hasInitial, event.scope == record.scope
    else { return }
    if record.scope == nil {
      guard event.thread == record.thread,
        threads[event.thread]?.activity ?? 0 == record.activity
      else { return }
    }
    verdicts.append(
      Verdict(
        .tokenDropped,
        subject: registration.subject,
        observer: registration.observer,
        keyPath: registration.keyPath,
        context: registration.context,
        registration: registration.id,
        evidence: [evidence] + (registered.map { [$0] } ?? [])
      )
    )
  }
}

extension Verdict {
  /// KVO020 made worse: `holder` keeps the object alive, and so the registration.
  fileprivate func heldBy(_ holder: ObjectRef, at evidence: Evidence?) -> Verdict {
    var copy = self
    copy.severity = .warning
    copy.detail = .heldBy(holder)
    if let evidence { copy.evidence.append(evidence.as(.changed)) }
    return copy
  }
}
