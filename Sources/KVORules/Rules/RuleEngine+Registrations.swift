import KVOTrace

// KVO001 to KVO005, KVO010, KVO020 and KVO031: additions and removals.
extension RuleEngine {
  /// Whether the matching is done again, as another runtime than the recorded one would.
  var rematches: Bool { requestedProfile != nil && requestedProfile != recordedProfile }

  mutating func restore(
    _ registration: Registration,
    _ evidence: Evidence,
    _ place: Place
  ) {
    // What a crash record lists was registered before: it adds nothing.
    if hasCrashed { return }
    // What the log found may have ended before it wrote that it was there.
    if let id = registration.id {
      if endedUnlisted[id] != nil || (place.slot >= 0 && !ledger.isLive(place.slot)) { return }
    }
    confirm(place.slot)
    guard let numbered = admit(registration, place) else { return }
    let slot = ledger.insert(
      numbered.registration,
      on: open(registration.subject.id, place, evidence, hasUnknownPast: false),
      at: evidence.at(registration.site),
      isBeingAdded: false
    )
    note(slot, numbered.isOwn, place, isLive: true)
  }

  mutating func register(
    _ registration: Registration,
    _ evidence: Evidence,
    _ place: Place
  ) {
    act(place)
    guard let numbered = admit(registration, place) else { return }
    let subject = open(
      registration.subject.id,
      place,
      evidence,
      hasUnknownPast: process?.isComplete == false
    )
    let firstVerdict = verdicts.count
    let added = ledger.add(
      numbered.registration,
      on: subject,
      at: evidence.at(registration.site),
      &verdicts
    )
    if added.displaced >= 0 { settle(added.displaced) }
    note(added.slot, numbered.isOwn, place, isLive: false)
    findRace(added.slot)
    if !locks.isEmpty {
      judgeLock(added.slot, .addition, evidence.at(registration.site), place.thread)
    }
    if registration.executor != .none { seen.insert(.expectedExecutor) }
    if registration.site != .none || evidence.stack != .none {
      seen.insert(.site)
    } else if unsaid.place == nil {
      unsaid.place = evidence.event
    }
    if registration.site != .none {
      unsaid.saysSites = true
    } else if unsaid.site == nil {
      unsaid.site = evidence.event
    }
    if verdicts.count > firstVerdict { sortOut(from: firstVerdict, subject) }
  }

  /// Goes through what the ledger said of an addition.
  private mutating func sortOut(from first: Int, _ subject: Int) {
    let found = Array(verdicts[first...])
    verdicts.removeSubrange(first...)
    for verdict in found {
      if verdict.code == .duplicateRegistration, unsaid.copy == nil,
        !verdict.evidence.prefix(2).areComparable
      {
        unsaid.copy = verdict.evidence.first?.event
      }
      if verdict.code == .selfObservation {
        observeSelf(verdict)
      } else if verdict.code != .duplicateRegistration || !ledger.subjects[subject].hasUnknownPast {
        verdicts.append(verdict)
      }
    }
  }

  mutating func finishRegistering(_ slot: Int) {
    if slot < 0 {
      contradictionCount += 1
      return
    }
    guard ledger.isLive(slot) else { return }
    confirm(slot)
    ledger.finishAdding(slot)
    // A change that went on while the registration was being made need not be told to it.
    excuse(slot)
  }

  mutating func remove(
    _ removal: Removal,
    _ unplaced: Evidence,
    _ place: Place
  ) {
    act(place)
    let subject = open(
      removal.subject.id,
      place,
      unplaced,
      hasUnknownPast: process?.isComplete == false
    )
    let matching = matching(of: removal, on: subject)
    let firstVerdict = verdicts.count
    let slot = ledger.remove(
      removal,
      from: subject,
      at: unplaced.at(removal.site),
      matching: matching,
      &verdicts
    )
    judgeConcurrentRemoval(removal, slot, unplaced.at(removal.site), place.thread)
    if slot >= 0 { judgeRemoval(slot, unplaced.at(removal.site), place.thread) }
    if slot >= 0 {
      settle(slot)
    } else if let id = removal.registration {
      endedUnlisted.set(id, ())
    }
    if losses.first != nil, matching == .byName { withholdGuesses(from: firstVerdict, slot) }
    if verdicts.count > firstVerdict, ledger.subjects[subject].hasUnknownPast {
      withholdUnknownPast(from: firstVerdict, isSaid: removal.isUnmatched)
    }
  }

  /// Takes back what a removal found that may be of a registration from before the log began.
  private mutating func withholdUnknownPast(from first: Int, isSaid: Bool) {
    let found = Array(verdicts[first...])
    verdicts.removeSubrange(first...)
    verdicts += found.filter {
      switch $0.code {
      case .doubleRemove, .removeUnregistered: false
      // A writer that knows of no match may not know of what was there before it.
      case .removeWrongContext: isSaid
      default: true
      }
    }
  }

  /// A program removed the registration at `slot`.
  private mutating func judgeRemoval(_ slot: Int, _ evidence: Evidence, _ thread: Int) {
    if !locks.isEmpty { judgeLock(slot, .removal, evidence, thread) }
    if !classes.isEmpty { judgeClass(slot, evidence) }
  }

  mutating func cancel(
    _ id: RegistrationID,
    _ cause: CancelCause,
    _ evidence: Evidence,
    _ place: Place
  ) {
    let slot = place.slot
    if slot < 0 {
      contradictionCount += 1
      endedUnlisted.set(id, ())
      if unsaid.registration != nil, unsaid.ended == nil { unsaid.ended = evidence.event }
      return
    }
    guard ledger.isLive(slot) else { return }
    // Another runtime would have left it.
    if case .runtime = cause, rematches { return }
    if case .token = cause { judgeDroppedToken(slot, evidence, place, isCancelled: true) }
    var failed = evidence
    switch cause {
    case .subject:
      failed = evidenceOfDeath(ledger.slots[slot].registration.subject.id, evidence)
    case .observer:
      if let observer = ledger.slots[slot].registration.observer {
        failed = evidenceOfDeath(observer.id, evidence)
      }
    case .user, .owner, .token: judgeRemoval(slot, evidence, place.thread)
    case .runtime: break
    }
    ledger.cancel(slot, by: cause, at: failed, &verdicts)
    settle(slot)
    act(place)
  }

  // MARK: - Which registration a removal matched

  /// A log may say what a removal matched, nothing included.
  ///
  /// One that does not leaves it to the ledger, and so does a profile other than the recorded one. A
  /// number that no addition has may be that of one without a number.
  private mutating func matching(
    of removal: Removal,
    on subject: Int
  ) -> SubjectLedger.Matching {
    if rematches { return .byName }
    if removal.isUnmatched { return .recorded(nil) }
    guard let id = removal.registration else { return .byName }
    if unsaid.registration != nil, ledger.slot(of: id) < 0 {
      let candidate = ledger.newest(NamePair(removal), nil, on: subject).slot
      if candidate >= 0, !ledger.slots[candidate].isNumbered { return .byName }
    }
    return .recorded(id)
  }

  // MARK: - Bookkeeping

  /// The place of the object `id` in the ledger, which is opened for it where it has none.
  private mutating func open(
    _ id: ObjectID,
    _ place: Place,
    _ evidence: Evidence,
    hasUnknownPast: Bool
  ) -> Int {
    if place.subject >= 0 { return place.subject }
    let subject = ledger.open(id, MatchingSemantics(profile), hasUnknownPast: hasUnknownPast)
    subjects.set(id.rawValue, subject)
    if evidence.order != nil, let order = unobservedOrders[id] { ledger.note(order, of: subject) }
    return subject
  }

  /// Gives a registration its number, unless it was made already.
  private mutating func admit(
    _ registration: Registration,
    _ place: Place
  ) -> (registration: Registration, isOwn: Bool)? {
    if registration.id != nil {
      if place.slot >= 0, ledger.isLive(place.slot) {
        contradictionCount += 1
        return nil
      }
      return (registration, true)
    }
    var copy = registration
    if unsaid.registration == nil { unsaid.registration = place.event }
    while ledger.liveSlot(of: RegistrationID(nextNumber)) >= 0 { nextNumber += 1 }
    copy.id = RegistrationID(nextNumber)
    nextNumber += 1
    return (copy, false)
  }

  private mutating func note(
    _ slot: Int,
    _ isNumbered: Bool,
    _ place: Place,
    isLive: Bool
  ) {
    let origin = Origin(scope: place.scope, activity: threads[place.thread].activity)
    if slot < origins.count { origins[slot] = origin } else { origins.append(origin) }
    let isScoped = place.scope != nil && !isLive
    if isScoped, let scope = place.scope {
      scopes.enter(slot, in: scope)
      if place.isScopeInferred { inferredSlots.insert(Int32(slot)) }
    }
    if let token = ledger.slots[slot].registration.token { tokens.set(token.id.rawValue, slot) }
    if isScoped || !isNumbered { ledger.mark(slot, isNumbered: isNumbered, isScoped: isScoped) }
  }

  /// What remains to be done when a registration ended: the ledger holds it on, for what may still
  /// come of it, until many others have ended.
  mutating func settle(_ slot: Int) {
    if ledger.slots[slot].isScoped {
      scopes.leave(slot)
      if !inferredSlots.isEmpty { inferredSlots.remove(Int32(slot)) }
    }
    if let token = ledger.slots[slot].registration.token,
      tokens.find(token.id.rawValue) == slot
    {
      tokens.remove(token.id.rawValue)
    }
    if !selfObservations.isEmpty {
      let subject = ledger.slots[slot].registration.subject.id
      if ledger.slots[slot].registration.observer?.id == subject {
        let id = ledger.slots[slot].registration.id
        selfObservations[subject]?.removeAll { $0.registration == id }
        if selfObservations[subject]?.isEmpty == true { selfObservations[subject] = nil }
      }
    }
    if hasOpenEnds { endOpenEnds(of: slot) }
    if !growth.isEmpty { growth.leave(slot) }
    if !cycles.isEmpty, let id = ledger.slots[slot].registration.id { cycles.end(id) }
    excuse(slot)
    if recent.count < Self.recentLimit {
      recent.append(Int32(slot))
    } else {
      let oldest = Int(recent[oldestRecent])
      recent[oldestRecent] = Int32(slot)
      oldestRecent = oldestRecent + 1 == Self.recentLimit ? 0 : oldestRecent + 1
      if !deepPaths.isEmpty, let id = ledger.slots[oldest].registration.id { deepPaths.forget(id) }
      ledger.release(oldest)
      // They ended long ago, and are no longer in the caches.
      ledger.prefetchRelease(
        next: Int(recent[(oldestRecent + 4) % Self.recentLimit]),
        later: Int(recent[(oldestRecent + 8) % Self.recentLimit])
      )
    }
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

  mutating func hold(_ reference: Reference, _ evidence: Evidence, _ place: Place) {
    seen.insert(.reference)
    act(place)
    cycles.hold(reference, on: place.thread, at: evidence)
    guard holds.hold(reference) else { return }
    let known = selfObservations.removeValue(forKey: reference.to.id) ?? []
    verdicts += known.map { $0.heldBy(reference.from, at: evidence.at(reference.site)) }
  }

  // MARK: - KVO031

  /// A token that was dropped where it was handed out observed nothing at all.
  ///
  /// "Where" is the scope. In a log without scopes it is the very next thing that the thread did:
  /// a token that lived any longer was kept by somebody. A deallocation alone does not say so: the log may have
  /// nothing else of a token that lived for long.
  ///
  /// - Parameters:
  ///   - slot: the registration of the token.
  ///   - evidence: the end.
  ///   - place: where the event of the end is.
  ///   - isCancelled: whether that event is a `cancel`, and not the deallocation of the token.
  mutating func judgeDroppedToken(
    _ slot: Int,
    _ evidence: Evidence,
    _ place: Place,
    isCancelled: Bool
  ) {
    let origin = origins[slot]
    let registration = ledger.slots[slot].registration
    let registered = ledger.slots[slot].registered
    guard droppedAt == nil, !ledger.slots[slot].wasNotified,
      !registration.options.contains(.initial), place.scope == origin.scope
    else { return }
    if origin.scope == nil {
      guard isCancelled, evidence.thread == registered.thread,
        threads[place.thread].activity == origin.activity
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
        evidence: [evidence, registered]
      )
    )
  }
}

extension Collection<Evidence> {
  /// Whether the log says of all where they were made: all lines, or all stacks.
  fileprivate var areComparable: Bool {
    allSatisfy { $0.site != .none } || allSatisfy { $0.stack != .none }
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
