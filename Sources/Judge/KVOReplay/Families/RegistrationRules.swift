import KVORules
import KVOTrace

/// Additions and removals (KVO001 to KVO005, KVO010, KVO018, KVO020, KVO031 and KVO038).
///
/// The ledger judges them; this family feeds it, handles unknowns, and stores additional data of each registration.
/// Needs `live` lines, additions and ends of registrations, references, and deallocations.
struct RegistrationRules: Sendable {
  private static let recentLimit = 4_096

  /// Registrations that ended before the log listed them; the oldest are dropped.
  ///
  /// A log begins while a program runs: a registration that it finds may end before it is written.
  private var endedUnlisted = BoundedMap<RegistrationTag, Void>(capacity: 4_096)
  /// The deallocated objects whose past the ledger still has, which explains a removal that comes too late; the oldest
  /// are closed.
  private var retired = BoundedMap<ObjectTag, Int>(capacity: 256)
  /// The slots of the registrations that ended last, which the ledger keeps for that long.
  private var recent: [Int32] = []
  private var oldestRecent = 0
  /// The slots of the live registrations by their tokens.
  private var tokens = WordTable()
  /// Whether an addition that may be one by name did not state its observer.
  var hasUnnamed = false
  /// Whether an addition by name stated its observer.
  var hasNamed = false
  /// KVO020.
  private var selfObservations = SelfObservations()
  /// The numbers of registrations that have none in the log: no log contains such an id.
  private var nextNumber: UInt64 = 1 << 62

  /// The sizes of the tables.
  var capacities: [Int] { [tokens.capacity, recent.count] }

  // MARK: - Additions

  /// The log lists a registration that was made before it began.
  mutating func restore(
    _ registration: Registration,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) {
    // Registrations in a crash record were logged before: they add nothing.
    if log.hasCrashed { return }
    // A listed registration may have ended before it was written.
    if let id = registration.id {
      if endedUnlisted[id] != nil || (target.slot >= 0 && !log.ledger.isLive(target.slot)) {
        return
      }
    }
    log.confirm(target.slot)
    if registration.id == nil, isKnown(registration, target, &log) { return }
    guard let numbered = admit(registration, target, &log) else { return }
    let subject = open(registration.subject.id, target, evidence, isListed: true, &log)
    let slot = log.ledger.insert(
      numbered.registration,
      on: subject,
      at: evidence.at(registration.site),
      isBeingAdded: false
    )
    note(slot, numbered.isOwn, target, isLive: true, &log)
  }

  /// Whether a `live` line without a number lists a registration whose addition is in the log, and which no other line
  /// listed.
  private func isKnown(
    _ registration: Registration,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) -> Bool {
    guard target.subject >= 0 else { return false }
    var found = -1
    log.ledger.forEach(of: registration.keyPath, on: target.subject) { slot in
      let other = log.ledger.slots[slot].registration
      if found < 0, !log.origins[slot].isListed, !log.ledger.slots[slot].isNumbered,
        NamePair(other) == NamePair(registration), other.context == registration.context
      {
        found = slot
      }
    }
    if found >= 0 { log.origins[found].isListed = true }
    return found >= 0
  }

  /// A registration is added.
  ///
  /// - Returns: the effect; nil if the log contradicts itself. End the registration that the addition displaced before
  ///   calling ``note(_:_:_:)``.
  mutating func add(
    _ registration: Registration,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) -> Added? {
    guard let numbered = admit(registration, target, &log) else { return nil }
    let subject = open(registration.subject.id, target, evidence, &log)
    let added = log.ledger.add(
      numbered.registration,
      on: subject,
      at: evidence.at(registration.site),
      &log.verdicts
    )
    return Added(
      slot: added.slot,
      displaced: added.displaced,
      subject: subject,
      isNumbered: numbered.isOwn
    )
  }

  /// Stores the data of an added registration.
  mutating func note(_ added: Added, _ target: EventTarget, _ log: inout ReplayState) {
    note(added.slot, added.isNumbered, target, isLive: false, &log)
  }

  /// Notes which locations the log states for additions, and which it lacks.
  mutating func noteSite(
    of registration: Registration,
    _ evidence: Evidence,
    _ log: inout ReplayState
  ) {
    if registration.executor != .none { log.seen.insert(.expectedExecutor) }
    if registration.site != .none || evidence.stack != .none {
      log.seen.insert(.site)
    } else if log.unsaid.location == nil {
      log.unsaid.location = evidence.event
    }
    if registration.site != .none {
      log.unsaid.saysSites = true
    } else if log.unsaid.site == nil {
      log.unsaid.site = evidence.event
    }
  }

  /// Processes the ledger's verdicts on an addition.
  mutating func sortOut(from first: Int, _ subject: Int, _ log: inout ReplayState) {
    let found = Array(log.verdicts[first...])
    log.verdicts.removeSubrange(first...)
    for verdict in found {
      if verdict.code == .duplicateRegistration, log.unsaid.copy == nil,
        !verdict.evidence.prefix(2).areComparable
      {
        log.unsaid.copy = verdict.evidence.first?.event
      }
      if verdict.code == .selfObservation {
        selfObservations.observe(verdict, &log)
      } else if verdict.code != .duplicateRegistration
        || !log.ledger.subjects[subject].hasUnknownPast
      {
        log.verdicts.append(verdict)
      }
    }
  }

  // MARK: - Ends

  /// A removal by name.
  mutating func remove(
    _ removal: Removal,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) -> Removed {
    let former = target.subject < 0 ? retired[removal.subject.id] : nil
    let subject = former ?? open(removal.subject.id, target, evidence, &log)
    let possible = possibleMatches(of: removal, on: subject, &log)
    let matching = possible.isEmpty ? matching(of: removal, on: subject, &log) : .byName
    let guessed = possible.first.flatMap { log.ledger.slots[$0].registration.id }
    if guessed != nil, log.unsaid.observer == nil { log.unsaid.observer = target.event }
    let copies = possible.isEmpty ? copies(endedBy: removal, on: subject, &log) : []
    let firstVerdict = log.verdicts.count
    let slot = log.ledger.remove(
      removal,
      from: subject,
      at: evidence.at(removal.site),
      matching: guessed.map { SubjectLedger.Matching.recorded($0) } ?? matching,
      &log.verdicts
    )
    if slot < 0, let id = removal.registration { endedUnlisted.set(id, ()) }
    if slot >= 0 {
      if !copies.isEmpty {
        share(copies, from: firstVerdict, at: target.event, &log)
      } else if log.ledger.slots[slot].isEndShared {
        settleCopies(of: slot, &log)
      }
    }
    let observers = Set(possible.map { log.ledger.slots[$0].registration.observer?.id })
    // Two that do not state their observer may have different ones.
    let areSeveral = observers.count > 1 || possible.count > 1 && observers.contains(nil)
    return Removed(
      slot: slot,
      subject: subject,
      matching: matching,
      doubtful: areSeveral ? possible : [],
      copies: copies,
      firstVerdict: firstVerdict
    )
  }

  /// Whether the registration of `target`, which ended in the log, also ended in the judged runtime.
  mutating func mayCancel(
    _ id: RegistrationID,
    _ cause: CancelCause,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) -> Bool {
    if target.slot < 0 {
      log.contradictionCount += 1
      endedUnlisted.set(id, ())
      if log.unsaid.registration != nil, log.unsaid.ended == nil {
        log.unsaid.ended = evidence.event
      }
      return false
    }
    guard log.ledger.isLive(target.slot) else { return false }
    // Another runtime would have kept it.
    if case .runtime = cause, log.rematches { return false }
    return true
  }

  /// The slot of the live registration of the token `object`; -1: none.
  @inline(__always)
  func slot(ofToken object: ObjectID, _ log: inout ReplayState) -> Int {
    if tokens.count == 0 { return -1 }
    let slot = tokens.find(object.rawValue)
    return slot >= 0 && log.ledger.isLive(slot) ? slot : -1
  }

  /// The registration at `slot` ended.
  @inline(__always)
  mutating func end(of slot: Int, _ log: inout ReplayState) {
    if let token = log.ledger.slots[slot].registration.token,
      tokens.find(token.id.rawValue) == slot
    {
      tokens.remove(token.id.rawValue)
    }
    if !selfObservations.isEmpty { selfObservations.end(of: slot, &log) }
  }

  /// Keeps the registration at `slot`, which has ended, for late events.
  ///
  /// - Returns: the slot of the one that is no longer kept; -1: none.
  mutating func keep(_ slot: Int) -> Int {
    if recent.count < Self.recentLimit {
      recent.append(Int32(slot))
      return -1
    }
    let oldest = Int(recent[oldestRecent])
    recent[oldestRecent] = Int32(slot)
    oldestRecent = oldestRecent + 1 == Self.recentLimit ? 0 : oldestRecent + 1
    return oldest
  }

  /// Frees the slot of a registration that is no longer kept.
  mutating func release(_ oldest: Int, _ log: inout ReplayState) {
    log.ledger.release(oldest)
    // They ended long ago, and are no longer in the caches.
    log.ledger.prefetchRelease(
      next: Int(recent[(oldestRecent + 4) % Self.recentLimit]),
      later: Int(recent[(oldestRecent + 8) % Self.recentLimit])
    )
  }

  // MARK: - Which registration a removal matched

  /// A log may state what a removal matched, including that it matched nothing.
  ///
  /// Otherwise the ledger determines it, and so does a profile other than the recorded one. A number that no addition
  /// has may belong to one that was logged without a number.
  private mutating func matching(
    of removal: Removal,
    on subject: Int,
    _ log: inout ReplayState
  ) -> SubjectLedger.Matching {
    if log.rematches {
      // After a loss the names may not decide; the statement holds on every runtime that matches as the recorded one.
      let isStated = removal.isUnmatched && log.droppedAt != nil && !log.notifiesOthers
      return isStated ? .recorded(nil) : .byName
    }
    if removal.isUnmatched { return .recorded(nil) }
    guard let id = removal.registration else { return .byName }
    if log.unsaid.registration != nil, log.ledger.slot(of: id) < 0 {
      let context = removal.context == .unspecified ? nil : removal.context
      let candidate = log.ledger.newestUnnumbered(NamePair(removal), context, on: subject)
      if candidate >= 0 { return .recorded(log.ledger.slots[candidate].registration.id) }
    }
    if log.unsaid.removed == nil { return .recorded(id) }
    let copy = standIn(for: log.ledger.slot(of: id), &log)
    return .recorded(copy < 0 ? id : log.ledger.slots[copy].registration.id ?? id)
  }

  // MARK: - Bookkeeping

  /// The index of the object `id` in the ledger, which is created if it has none.
  ///
  /// `isListed`: the log lists what is registered on it, so that nothing before that is unknown.
  mutating func open(
    _ id: ObjectID,
    _ target: EventTarget,
    _ evidence: Evidence,
    isListed: Bool = false,
    _ log: inout ReplayState
  ) -> Int {
    if target.subject >= 0 { return target.subject }
    let subject = log.ledger.open(
      id,
      MatchingSemantics(log.profile),
      hasUnknownPast: !isListed && log.process?.isComplete == false
    )
    log.subjects.set(id.rawValue, subject)
    if evidence.order != nil, let order = log.unobservedOrders[id] {
      log.ledger.note(order, of: subject)
    }
    return subject
  }

  /// The object was deallocated, and none of its registrations is live.
  mutating func retire(_ subject: Int, _ object: ObjectID, _ log: inout ReplayState) {
    guard log.ledger.hasPast(subject) else { return log.ledger.close(subject) }
    if let closed = retired.set(object, subject) { log.ledger.close(closed) }
  }

  /// Numbers a registration, unless that number exists already.
  private mutating func admit(
    _ registration: Registration,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) -> (registration: Registration, isOwn: Bool)? {
    if registration.id != nil {
      if target.slot >= 0, log.ledger.isLive(target.slot) {
        log.contradictionCount += 1
        return nil
      }
      return (registration, true)
    }
    var copy = registration
    if log.unsaid.registration == nil { log.unsaid.registration = target.event }
    while log.ledger.liveSlot(of: RegistrationID(nextNumber)) >= 0 { nextNumber += 1 }
    copy.id = RegistrationID(nextNumber)
    nextNumber += 1
    return (copy, false)
  }

  private mutating func note(
    _ slot: Int,
    _ isNumbered: Bool,
    _ target: EventTarget,
    isLive: Bool,
    _ log: inout ReplayState
  ) {
    let origin = ReplayState.Origin(
      scope: target.scope,
      activity: log.threads[target.thread].activity,
      classChangeCount: log.classChangeCount,
      isListed: isLive
    )
    if slot < log.origins.count { log.origins[slot] = origin } else { log.origins.append(origin) }
    let isScoped = target.scope != nil && !isLive
    noteNames(of: log.ledger.slots[slot].registration, isNumbered)
    if log.unsaid.unnamed == nil, log.ledger.slots[slot].registration.isClassic,
      log.ledger.slots[slot].registration.observer == nil
    {
      log.unsaid.unnamed = target.event
    }
    if let token = log.ledger.slots[slot].registration.token { tokens.set(token.id.rawValue, slot) }
    if isScoped || !isNumbered {
      log.ledger.mark(slot, isNumbered: isNumbered, isScoped: isScoped)
    }
  }

  // MARK: - KVO020

  mutating func hold(_ reference: Reference, _ evidence: Evidence, _ log: inout ReplayState) {
    selfObservations.hold(reference, evidence, &log)
  }

  mutating func drop(_ reference: Reference) { selfObservations.drop(reference) }

  /// The object was deallocated.
  mutating func forget(_ object: ObjectID) { selfObservations.forget(object) }

  /// Events are missing: they may have included one that raises a note's severity.
  mutating func lose() { selfObservations = SelfObservations() }
}

extension Collection<Evidence> {
  /// Whether the log states where all of them were made: all lines, or all stacks.
  fileprivate var areComparable: Bool {
    allSatisfy { $0.site != .none } || allSatisfy { $0.stack != .none }
  }
}
