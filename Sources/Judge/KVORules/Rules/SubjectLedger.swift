package import KVOTrace

/// The registrations of one observed object as its runtime keeps them, and the faults of each addition, removal and
/// deallocation.
///
/// A pure state machine: no clock, no lock, no text. The library inside the process drives one under
/// the lock of its object; a replay drives one per object of the log. Both get the same verdicts
/// for the same inputs.
///
/// Judges KVO001 to KVO007, KVO010, KVO018 and KVO020.
///
/// Complexity: every input is O(1) amortized plus the registrations that it ends, regardless of the number of
/// registrations.
package struct SubjectLedger: Sendable {
  /// The effect of an addition.
  package struct AddOutcome: Sendable {
    /// The equal registration that the new one replaced; only if the runtime overwrites.
    package var displaced: Registration?
    package var verdicts: [Verdict]
  }

  /// The effect of a removal by name.
  package struct RemovalOutcome: Sendable {
    /// The registration that it ended; nil: none.
    package var matched: RegistrationID?
    /// The slot that it had; -1: none.
    package var slot = -1
    package var verdicts: [Verdict]
  }

  /// The effect of a cancellation.
  package struct CancelOutcome: Sendable {
    /// Whether the registration was live until now; a second cancellation is silent.
    package var ended: Bool
    package var verdicts: [Verdict]
  }

  /// The effect of a deallocation.
  package struct DeallocationOutcome: Sendable {
    /// The registrations that ended with it, in order of addition.
    package var ended: [Registration]
    /// Where each of them was made.
    package var registered: [Evidence]
    package var verdicts: [Verdict]
  }

  /// The source of the match of a removal.
  package enum Matching: Hashable, Sendable {
    /// The ledger finds it by observer, key path and context.
    case byName
    /// The log states it; nil: there was none.
    case recorded(RegistrationID?)
  }

  private static let subject = 0

  package let semantics: MatchingSemantics
  private var ledger: RegistrationLedger

  /// A ledger without registrations.
  ///
  /// - Parameters:
  ///   - semantics: how the judged runtime keeps equal registrations.
  ///   - historyCapacity: how many ended registrations are remembered.
  ///   - isLive: whether the library in this process numbers the registrations, one after the other.
  package init(
    semantics: MatchingSemantics = .stacking,
    historyCapacity: Int = 64,
    isLive: Bool = false
  ) {
    self.semantics = semantics
    ledger = RegistrationLedger(historyCapacity: historyCapacity, isLive: isLive)
    // The number of the object is never needed: every event names it anyway.
    _ = ledger.open(ObjectID(0), semantics, hasUnknownPast: false)
  }

  // MARK: - Looking

  package var count: Int { ledger.liveCount }
  package var isEmpty: Bool { ledger.liveCount == 0 }

  /// The live registrations, in order of addition.
  ///
  /// Complexity: O(n).
  package var registrations: [Registration] {
    ledger.live(of: Self.subject).map { ledger.slots[$0].registration }
  }

  /// The live registrations with the evidence of their addition, in order of addition.
  ///
  /// Complexity: O(n).
  package var registrationsWithEvidence: [(registration: Registration, registered: Evidence)] {
    ledger.live(of: Self.subject).map {
      (ledger.slots[$0].registration, ledger.slots[$0].registered)
    }
  }

  package func contains(_ id: RegistrationID) -> Bool { ledger.liveSlot(of: id) >= 0 }

  /// The live registration with the number `id`.
  package func registration(_ id: RegistrationID) -> Registration? {
    let slot = ledger.liveSlot(of: id)
    return slot < 0 ? nil : ledger.slots[slot].registration
  }

  /// Where the live registration with the number `id` was added.
  package func evidence(of id: RegistrationID) -> Evidence? {
    let slot = ledger.liveSlot(of: id)
    return slot < 0 ? nil : ledger.slots[slot].registered
  }

  /// The slot of the live registration with the number `id`; -1 if there is none.
  ///
  /// Slots are small numbers, which are reused: additional data of registrations can be kept in an array.
  package func slot(of id: RegistrationID) -> Int { ledger.liveSlot(of: id) }

  /// The slots of the live registrations, in order of addition.
  ///
  /// Complexity: O(n).
  package var liveSlots: [Int] { ledger.live(of: Self.subject) }

  /// How many slots were examined so far; lets a test see that nothing scans.
  package var stepCount: Int { ledger.stepCount }

  /// The oldest registration that was added before the live one with the number `id` and is equal to it; nil if there is
  /// none.
  ///
  /// Equal are those of one observer, key path, context and form, and of controllers those of one controller.
  ///
  /// Complexity: O(registrations of the observer and the key path).
  package func copy(of id: RegistrationID) -> RegistrationID? {
    let slot = ledger.liveSlot(of: id)
    let copy = slot < 0 ? -1 : ledger.copy(of: slot, on: Self.subject)
    return copy < 0 ? nil : ledger.slots[copy].registration.id
  }

  /// The registration that ``remove(_:at:matching:)`` would end now; nil if there is none.
  package mutating func match(for removal: Removal) -> RegistrationID? {
    let slot = ledger.match(for: removal, on: Self.subject, .byName)
    return slot < 0 ? nil : ledger.slots[slot].registration.id
  }

  // MARK: - Adding

  /// Adds `registration`, whose number must be set; a number that is live already is ignored.
  ///
  /// - KVO005: an equal observer, key path and context is live, of the classic form or a controller's.
  /// - KVO018 instead, if the two were made at different call sites.
  /// - KVO020: the object observes itself.
  ///
  /// Tokens and streams are neither: each has its own handler.
  package mutating func add(_ registration: Registration, at evidence: Evidence) -> AddOutcome {
    var outcome = AddOutcome(displaced: nil, verdicts: [])
    guard let id = registration.id, !contains(id) else { return outcome }
    let displaced = ledger.add(registration, on: Self.subject, at: evidence, &outcome.verdicts)
      .displaced
    if displaced >= 0 {
      outcome.displaced = ledger.slots[displaced].registration
      ledger.release(displaced)
    }
    return outcome
  }

  /// As ``add(_:at:)``, for a number that no live registration has, in a runtime that stacks equal ones.
  ///
  /// - Parameters:
  ///   - registration: what is added.
  ///   - evidence: the location.
  ///   - isFinished: whether the addition has returned, as ``finishAdding(_:)`` would say.
  ///   - verdicts: receives the faults.
  /// - Returns: its slot.
  package mutating func add(
    _ registration: Registration,
    at evidence: Evidence,
    isFinished: Bool,
    _ verdicts: inout [Verdict]
  ) -> Int {
    ledger.add(
      registration,
      on: Self.subject,
      at: evidence,
      isFinished: isFinished,
      &verdicts
    ).slot
  }

  /// The addition of `registration` by name was refused (KVO029): the removal that pairs with it matches nothing, and is
  /// not judged.
  package mutating func noteRefusal(of registration: Registration) {
    ledger.noteRefusal(of: registration, on: Self.subject)
  }

  /// Adds a registration from before the recording began; nothing is judged.
  package mutating func restore(_ registration: Registration, at evidence: Evidence) {
    guard let id = registration.id, !contains(id) else { return }
    _ = ledger.insert(registration, on: Self.subject, at: evidence, isBeingAdded: false)
  }

  /// The addition has returned.
  package mutating func finishAdding(_ id: RegistrationID) {
    let slot = ledger.liveSlot(of: id)
    if slot >= 0 { ledger.finishAdding(slot) }
  }

  /// The initial delivery of a registration that is being added begins.
  package mutating func beginInitial(_ id: RegistrationID, at evidence: Evidence) {
    let slot = ledger.liveSlot(of: id)
    if slot >= 0 { ledger.beginInitial(slot, at: evidence) }
  }

  /// The initial delivery has returned.
  package mutating func endInitial(_ id: RegistrationID) {
    let slot = ledger.liveSlot(of: id)
    if slot >= 0 { ledger.endInitial(slot) }
  }

  // MARK: - Removing

  /// Removes by name, and judges the result.
  ///
  /// Only registrations by name can be removed by name: tokens, controllers and streams end their registrations
  /// themselves. A removal without a context removes the newest one of observer and key path (KVO004 if they have
  /// different contexts); one with a context removes the newest under it.
  ///
  /// A removal that matched nothing is silent if it pairs with a refused addition, which was reported; otherwise it is,
  /// in this order of precedence:
  /// 1. KVO001, if a registration under exactly this name is remembered that has ended, by whatever means, a clean-up
  ///    after a deallocation included: "removed before" is then true and has a location. It precedes KVO003 because it
  ///    explains exactly this name, while a registration under another context may belong to another class (a
  ///    superclass); the remaining contexts are in the detail.
  /// 2. KVO003, if the pair is live under another context.
  /// 3. KVO002, the catch-all.
  ///
  /// The last two mention lost history if anything was evicted, because an older removal may have been the reason.
  package mutating func remove(
    _ removal: Removal,
    at evidence: Evidence,
    matching: Matching = .byName
  ) -> RemovalOutcome {
    var outcome = RemovalOutcome(matched: nil, verdicts: [])
    let slot = ledger.remove(
      removal,
      from: Self.subject,
      at: evidence,
      matching: matching,
      &outcome.verdicts
    )
    if slot >= 0 {
      outcome.matched = ledger.slots[slot].registration.id
      outcome.slot = slot
      ledger.release(slot)
    } else if case .recorded(let id) = matching {
      outcome.matched = id
    }
    return outcome
  }

  /// Ends the registration with the number `id` otherwise than by name.
  ///
  /// - KVO006 if its observed object was deallocated, KVO007 if its observer was and nothing else would
  ///   have cleaned up (the classic form).
  /// - KVO010 if a program ended one of the classic form inside its own initial delivery.
  package mutating func cancel(
    _ id: RegistrationID,
    by cause: CancelCause,
    at evidence: Evidence
  ) -> CancelOutcome {
    var outcome = CancelOutcome(ended: false, verdicts: [])
    outcome.ended = cancel(id, by: cause, at: evidence, &outcome.verdicts) >= 0
    return outcome
  }

  /// As ``cancel(_:by:at:)``.
  ///
  /// - Returns: the slot that it had; -1 if it was not live.
  package mutating func cancel(
    _ id: RegistrationID,
    by cause: CancelCause,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) -> Int {
    let slot = ledger.liveSlot(of: id)
    if slot < 0 || ledger.drop(slot, by: cause) { return slot }
    ledger.cancel(slot, by: cause, at: evidence, &verdicts)
    ledger.release(slot)
    return slot
  }

  /// As ``cancel(_:by:at:)``, if it is not a fault and leaves no record, so that the caller need not provide its
  /// location: the end of a token whose object is alive.
  ///
  /// - Returns: the slot that it had; -1 if there is more to it, or it was not live.
  package mutating func drop(_ id: RegistrationID, by cause: CancelCause) -> Int {
    let slot = ledger.liveSlot(of: id)
    return slot >= 0 && ledger.drop(slot, by: cause) ? slot : -1
  }

  // MARK: - Deallocations

  /// The observed object was deallocated: one KVO006 for each remaining registration, all of which end.
  package mutating func subjectDeallocated(at evidence: Evidence) -> DeallocationOutcome {
    var outcome = DeallocationOutcome(ended: [], registered: [], verdicts: [])
    take(ledger.subjectDeallocated(Self.subject, at: evidence, &outcome.verdicts), into: &outcome)
    return outcome
  }

  /// An observer was deallocated: one KVO007 for each of its registrations that only a removal by name would
  /// have ended.
  ///
  /// Controllers and streams end with their observer by design, without a verdict. A token's registration remains: the
  /// token may outlive the observer.
  package mutating func observerDeallocated(
    _ observer: ObjectID,
    at evidence: Evidence
  ) -> DeallocationOutcome {
    var outcome = DeallocationOutcome(ended: [], registered: [], verdicts: [])
    take(ledger.observerDeallocated(observer, at: evidence, &outcome.verdicts), into: &outcome)
    return outcome
  }

  private mutating func take(_ ended: [Int], into outcome: inout DeallocationOutcome) {
    for slot in ended {
      outcome.ended.append(ledger.slots[slot].registration)
      outcome.registered.append(ledger.slots[slot].registered)
      ledger.release(slot)
    }
  }
}
