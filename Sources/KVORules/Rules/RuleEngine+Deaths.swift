import KVOTrace

// KVO006 and KVO007 by deaths, and KVO021 by the ends of scopes.
extension RuleEngine {
  /// The evidence of a death: the stack of the beginning of the deallocation where its end has none.
  func evidenceOfDeath(_ object: ObjectID, _ evidence: Evidence) -> Evidence {
    guard evidence.stack == .none, let began = deaths[object] else { return evidence }
    var copy = evidence
    copy.stack = began.stack
    if copy.thread == nil { copy.thread = began.thread }
    return copy
  }

  mutating func die(_ object: ObjectID, _ evidence: Evidence) {
    let failed = evidenceOfDeath(object, evidence)
    if let outcome = subjects[object]?.ledger.subjectDied(at: failed) {
      settle(outcome)
      verdicts += outcome.verdicts
      subjects[object] = nil
    }
    if let observed = observing[object] { dieObserving(object, observed.keys, failed) }
    if deaths[object] == nil { deaths[object] = failed.as(.deallocated) }
    holds.forget(object)
    selfObservations[object] = nil
    var unended: [Verdict] = []
    for key in busyThreads {
      unended += threads[key]?.brackets.subjectDied(object) ?? []
      threads[key]?.missed.forget(object)
      if threads[key]?.isIdle ?? true { busyThreads.remove(key) }
    }
    // Threads have no order of their own; the log's is by event.
    verdicts += unended.sorted { ($0.evidence.first?.event ?? 0) < ($1.evidence.first?.event ?? 0) }
  }

  private mutating func settle(_ outcome: SubjectLedger.DeathOutcome) {
    for (registration, registered) in zip(outcome.ended, outcome.registered) {
      end(registration, registered: registered, cleanedUp: nil)
      if let id = registration.id { forget(id) }
    }
  }

  private mutating func dieObserving(
    _ observer: ObjectID,
    _ observed: some Collection<ObjectID>,
    _ failed: Evidence
  ) {
    // The place of a death among the events of the observer says nothing about the observed object.
    var unordered = failed
    unordered.order = nil
    var found: [Verdict] = []
    for subject in Array(observed) {
      guard let outcome = subjects[subject]?.ledger.observerDied(observer, at: unordered)
      else { continue }
      settle(outcome)
      found += outcome.verdicts
    }
    // Dictionaries have no order of their own; the log's is by registration.
    verdicts += found.sorted { ($0.evidence.last?.event ?? 0) < ($1.evidence.last?.event ?? 0) }
      .map {
        var copy = $0
        copy.evidence[0].order = failed.order
        return copy
      }
  }

  // MARK: - KVO021

  mutating func endScope(_ scope: ScopeID, _ event: Event, _ evidence: Evidence) {
    seen.insert(.scopeEnd)
    let opened = scopes.opened(scope)
    for thread in busyThreads.sorted(by: Self.precedes) {
      verdicts += threads[thread]?.brackets.closeScope(scope, openedAt: opened) ?? []
    }
    let ended = scopes.end(scope)
    act(event)
    guard droppedAt == nil else { return }
    judgeLeaks(ended.members, name: ended.name, at: evidence, opened: ended.opened)
  }

  mutating func judgeLeaksAtExit(_ evidence: Evidence) {
    guard droppedAt == nil else { return }
    judgeLeaks(Array(records.keys), name: .none, at: evidence, opened: nil)
  }

  private mutating func judgeLeaks(
    _ members: [RegistrationID],
    name: StringID,
    at evidence: Evidence,
    opened: Evidence?
  ) {
    var found: [Verdict] = []
    for id in members {
      guard let subject = records[id]?.subject, let ledger = subjects[subject]?.ledger,
        let registration = ledger.registration(id), let registered = ledger.evidence(of: id),
        registration.expectedToLive == .none
      else { continue }
      found.append(
        Verdict(
          .leakedRegistration,
          subject: registration.subject,
          observer: registration.observer,
          keyPath: registration.keyPath,
          context: registration.context,
          registration: id,
          evidence: [evidence, registered] + (opened.map { [$0] } ?? []),
          detail: .scope(name)
        )
      )
    }
    verdicts += found.sorted { $0.evidence[1].event < $1.evidence[1].event }
  }

  /// Threads in an order that is the same in every run.
  static func precedes(_ left: ThreadID?, _ right: ThreadID?) -> Bool {
    guard let right else { return false }
    guard let left else { return true }
    return left.rawValue < right.rawValue
  }
}
