package import KVOTrace

/// The registrations of one observed object as its runtime keeps them, and what is wrong with each
/// addition, removal and death.
///
/// A pure state machine: no clock, no lock, no text. The layer inside the process drives one under
/// the lock of its object; a replay drives one per object of the log. Both get the same verdicts
/// for the same inputs.
///
/// Judges KVO001 to KVO007, KVO010 and KVO020.
///
/// Complexity: every input is O(1) amortised plus the registrations that it ends, whatever the
/// number of registrations.
package struct SubjectLedger: Sendable {
  /// What an addition did.
  package struct AddOutcome: Sendable {
    /// The equal registration that the new one took the place of; only where the runtime overwrites.
    package var displaced: Registration?
    package var verdicts: [Verdict]
  }

  /// What a removal by name did.
  package struct RemovalOutcome: Sendable {
    /// The registration that it ended; nil: none.
    package var matched: RegistrationID?
    package var verdicts: [Verdict]
  }

  /// What a cancellation did.
  package struct CancelOutcome: Sendable {
    /// Whether the registration was live until now; a second cancellation is silent.
    package var ended: Bool
    package var verdicts: [Verdict]
  }

  /// What a death did.
  package struct DeathOutcome: Sendable {
    /// The registrations that ended with it, in order of addition.
    package var ended: [Registration]
    /// Where each of them was made.
    package var registered: [Evidence]
    package var verdicts: [Verdict]
  }

  /// Who says which registration a removal matched.
  package enum Matching: Hashable, Sendable {
    /// The ledger finds it by observer, key path and context.
    case byName
    /// The log says it; nil: that there was none.
    case recorded(RegistrationID?)
  }

  /// How many contexts or earlier registrations one verdict lists at the most.
  static let listLimit = 8

  package let semantics: MatchingSemantics
  var table = RegistrationTable()
  var ended: EndedRegistrations

  /// A ledger without registrations.
  ///
  /// - Parameters:
  ///   - semantics: how the judged runtime keeps equal registrations.
  ///   - historyCapacity: how many ended registrations are remembered.
  package init(semantics: MatchingSemantics = .stacking, historyCapacity: Int = 64) {
    self.semantics = semantics
    ended = EndedRegistrations(capacity: historyCapacity)
  }

  // MARK: - Looking

  package var count: Int { table.count }
  package var isEmpty: Bool { table.count == 0 }

  /// The live registrations, in order of addition.
  ///
  /// Complexity: O(n).
  package var registrations: [Registration] { table.entries.map(\.registration) }

  /// The live registrations with the evidence of their addition, in order of addition.
  ///
  /// Complexity: O(n).
  package var registrationsWithEvidence: [(registration: Registration, registered: Evidence)] {
    table.entries.map { ($0.registration, $0.registered) }
  }

  package func contains(_ id: RegistrationID) -> Bool { table.entry(id) != nil }

  /// The live registration with the number `id`.
  package func registration(_ id: RegistrationID) -> Registration? {
    table.entry(id)?.registration
  }

  /// The newest registration that a removal of these objects and this key path could mean, under
  /// whatever context.
  mutating func newestCandidate(for removal: Removal) -> RegistrationID? {
    table.newest(
      RegistrationTable.Pair(
        observer: removal.observer?.id,
        keyPath: removal.keyPath,
        isClassic: true
      )
    )?.entry.id
  }

  /// The registration that ``remove(_:at:matching:)`` would end now.
  mutating func match(for removal: Removal, _ matching: Matching) -> RegistrationID? {
    if case .recorded(let id) = matching { return id }
    let pair = RegistrationTable.Pair(
      observer: removal.observer?.id,
      keyPath: removal.keyPath,
      isClassic: true
    )
    return removal.context == .unspecified
      ? table.newest(pair)?.entry.id
      : table.newest(RegistrationTable.Triple(pair: pair, context: removal.context))?.entry.id
  }

  /// Whether the initial delivery of the registration `id` is running.
  func isDeliveringInitial(_ id: RegistrationID) -> Bool { table.entry(id)?.initial != nil }

  /// Where the live registration with the number `id` was added.
  package func evidence(of id: RegistrationID) -> Evidence? { table.entry(id)?.registered }

  /// How many slots were looked at so far; lets a test see that nothing scans.
  package var stepCount: Int { table.stepCount }

  // MARK: - Adding

  /// Adds `registration`, whose number must be set; a number that is live already is ignored.
  ///
  /// - KVO005: an equal observer, key path and context is live. Without an observer nothing is
  ///   equal: two tokens of a closure each are two observations. KVO018 (two owners under one
  ///   context) will explain some of these away once it is judged; it exempts nothing yet.
  /// - KVO020: the object observes itself.
  package mutating func add(_ registration: Registration, at evidence: Evidence) -> AddOutcome {
    var outcome = AddOutcome(displaced: nil, verdicts: [])
    guard let id = registration.id, !contains(id) else { return outcome }
    if let observer = registration.observer {
      if let earlier = newestEqual(to: registration) {
        outcome.verdicts.append(
          verdict(
            .duplicateRegistration,
            registration,
            [evidence.as(.failed), earlier.entry.registered.as(.registered)],
            detail: .copies(earlier.count + 1)
          )
        )
        // Only what was added by name takes the place of what was added by name.
        if semantics == .overwriting, registration.form == .classic,
          earlier.entry.registration.form == .classic
        {
          _ = table.remove(earlier.entry.id)
          outcome.displaced = earlier.entry.registration
        }
      }
      if observer.id == registration.subject.id {
        outcome.verdicts.append(verdict(.selfObservation, registration, [evidence.as(.failed)]))
      }
    }
    insert(registration, id, evidence, isBeingAdded: true)
    return outcome
  }

  /// Takes in a registration that was there before the recording began: nothing is judged.
  package mutating func restore(_ registration: Registration, at evidence: Evidence) {
    guard let id = registration.id, !contains(id) else { return }
    insert(registration, id, evidence, isBeingAdded: false)
  }

  /// The addition has returned.
  package mutating func finishAdding(_ id: RegistrationID) {
    guard var entry = table[id] else { return }
    entry.isBeingAdded = false
    entry.initial = nil
    table[id] = entry
  }

  /// The initial delivery of a registration that is being added begins.
  package mutating func beginInitial(_ id: RegistrationID, at evidence: Evidence) {
    guard var entry = table[id], entry.isBeingAdded else { return }
    entry.initial = evidence
    table[id] = entry
  }

  /// The initial delivery has returned.
  package mutating func endInitial(_ id: RegistrationID) {
    guard var entry = table[id] else { return }
    entry.initial = nil
    table[id] = entry
  }

  // MARK: - Removing

  /// Removes by name, and judges what it found.
  ///
  /// Only what was added by name can be removed by name: tokens, controllers and streams end their
  /// registrations themselves. A removal without a context takes the newest of observer and key
  /// path (KVO004 where they have different contexts); one with a context takes the newest under it.
  ///
  /// What matched nothing is, in this order of precedence:
  /// 1. KVO001, where a registration under exactly this name is remembered that has ended, by
  ///    whatever means, a clean-up after a death included: "removed before" is then true and names
  ///    the place. It comes before KVO003 because it explains this very name, while a registration
  ///    under another context may belong to somebody else (a superclass); the contexts that are
  ///    left are in the detail.
  /// 2. KVO003, where the pair is live under another context.
  /// 3. KVO002, the catch-all.
  ///
  /// The last two say that history was lost where anything was evicted, because an older removal
  /// may have been the reason.
  package mutating func remove(
    _ removal: Removal,
    at evidence: Evidence,
    matching: Matching = .byName
  ) -> RemovalOutcome {
    var outcome = RemovalOutcome(matched: nil, verdicts: [])
    let pair = RegistrationTable.Pair(
      observer: removal.observer?.id,
      keyPath: removal.keyPath,
      isClassic: true
    )
    outcome.matched = match(for: removal, matching)
    if let id = outcome.matched, !contains(id) {
      // Said by the log: a registration from before it began, unless it was removed already.
      let before = ended.newest { $0.registration.id == id && $0.cause == nil }
      if let before { outcome.verdicts.append(again(removal, before, pair, evidence)) }
      return outcome
    }
    guard let id = outcome.matched else {
      outcome.verdicts.append(unmatched(removal, pair, evidence))
      return outcome
    }
    if removal.context == .unspecified, table.hasSeveralContexts(pair) {
      outcome.verdicts.append(ambiguous(removal, id, pair, evidence))
    }
    if let entry = table.remove(id) {
      if let verdict = removedDuringInitial(entry, at: evidence) {
        outcome.verdicts.append(verdict)
      }
      remember(entry, endedAt: evidence, by: nil)
    }
    return outcome
  }

  /// Ends the registration with the number `id` otherwise than by name.
  ///
  /// - KVO006 where its observed object died, KVO007 where its observer died and nothing else would
  ///   have cleaned up (the classic form).
  /// - KVO010 where a program ended it inside its own initial delivery.
  package mutating func cancel(
    _ id: RegistrationID,
    by cause: CancelCause,
    at evidence: Evidence
  ) -> CancelOutcome {
    guard let entry = table.remove(id) else { return CancelOutcome(ended: false, verdicts: []) }
    remember(entry, endedAt: evidence, by: cause)
    var outcome = CancelOutcome(ended: true, verdicts: [])
    switch cause {
    case .subject:
      outcome.verdicts = [leftBehind(.observedDeinitWhileObserved, entry, evidence)]
    case .observer:
      if entry.registration.form == .classic {
        outcome.verdicts = [leftBehind(.observerDeinitWhileRegistered, entry, evidence)]
      }
    case .user, .owner, .token:
      if let verdict = removedDuringInitial(entry, at: evidence) { outcome.verdicts = [verdict] }
    }
    return outcome
  }

  // MARK: - Deaths

  /// The observed object is gone: one KVO006 for each registration left, which all end.
  package mutating func subjectDied(at evidence: Evidence) -> DeathOutcome {
    let left = table.entries
    table.removeAll()
    for entry in left { remember(entry, endedAt: evidence, by: .subject) }
    return DeathOutcome(
      ended: left.map(\.registration),
      registered: left.map(\.registered),
      verdicts: left.map { leftBehind(.observedDeinitWhileObserved, $0, evidence) }
    )
  }

  /// An observer is gone: one KVO007 for each registration of its that only a removal by name would
  /// have ended.
  ///
  /// Controllers and streams end with their observer by design, without a verdict. What a token
  /// holds stays: the token may live on.
  package mutating func observerDied(_ observer: ObjectID, at evidence: Evidence) -> DeathOutcome {
    var outcome = DeathOutcome(ended: [], registered: [], verdicts: [])
    for entry in table.entries(observedBy: observer) where entry.registration.form != .token {
      _ = table.remove(entry.id)
      remember(entry, endedAt: evidence, by: .observer)
      outcome.ended.append(entry.registration)
      outcome.registered.append(entry.registered)
      if entry.registration.form == .classic {
        outcome.verdicts.append(leftBehind(.observerDeinitWhileRegistered, entry, evidence))
      }
    }
    return outcome
  }
}
