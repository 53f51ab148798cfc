import KVOTrace

// KVO006 and KVO007 by deaths, and KVO021 by the ends of scopes.
extension RuleEngine {
  /// The evidence of a deallocation: the stack and the thread of its beginning if its end does not say them.
  func evidenceOfDeath(_ object: ObjectID, _ evidence: Evidence) -> Evidence {
    guard let began = deaths[object]?.began else { return evidence }
    var copy = evidence
    if copy.stack == .none { copy.stack = began.stack }
    if copy.thread == nil { copy.thread = began.thread }
    return copy
  }

  mutating func die(_ object: ObjectID, _ evidence: Evidence, _ place: Place) {
    let failed = evidenceOfDeath(object, evidence)
    endObservation(of: object, failed, place)
    act(place)
    if place.subject >= 0 {
      for slot in ledger.subjectDied(place.subject, at: failed, &verdicts) { settle(slot) }
      ledger.close(place.subject)
      subjects.remove(object.rawValue)
    }
    dieObserving(object, failed)
    if !deepPaths.isEmpty {
      let isThreadSaid = evidence.thread != nil || failed.thread == nil
      loseLinks(to: object, failed, isThreadSaid ? place.thread : threads.place(of: failed.thread))
    }
    deaths.set(object, Death(began: deaths[object]?.began ?? failed.as(.deallocated), isOver: true))
    holds.forget(object)
    exceptions.forget(object)
    cycles.forget(object)
    if !probes.isEmpty { probes.forget(object) }
    if !classes.isEmpty { classes.forget(object) }
    if !selfObservations.isEmpty { selfObservations[object] = nil }
    if threads.busy.isEmpty { return }
    var unended: [Verdict] = []
    for thread in threads.busy {
      unended += threads[thread].brackets.subjectDied(object)
      updateMissed(of: thread) { $0.forget(object) }
      threads.updateBusy(thread)
    }
    // Threads have no order of their own; the log's is by event.
    reportUnbalanced(
      unended.sorted { ($0.evidence.first?.event ?? 0) < ($1.evidence.first?.event ?? 0) }
    )
  }

  /// A token was deallocated, which ends its observation: a writer need not write a `cancel`.
  private mutating func endObservation(
    of token: ObjectID,
    _ failed: Evidence,
    _ place: Place
  ) {
    if tokens.count == 0 { return }
    let slot = tokens.find(token.rawValue)
    guard slot >= 0, ledger.isLive(slot) else { return }
    judgeDroppedToken(slot, failed, place, isCancelled: false)
    ledger.cancel(slot, by: .token, at: failed, &verdicts)
    settle(slot)
  }

  private mutating func dieObserving(_ observer: ObjectID, _ failed: Evidence) {
    // The place of a death among the events of the observer says nothing about the observed object.
    var unordered = failed
    unordered.order = nil
    var found: [Verdict] = []
    for slot in ledger.observerDied(observer, at: unordered, &found) { settle(slot) }
    if found.isEmpty { return }
    // The observed objects have no order among each other; the log's is by registration.
    verdicts += found.sorted { ($0.evidence.last?.event ?? 0) < ($1.evidence.last?.event ?? 0) }
      .map {
        var copy = $0
        copy.evidence[0].order = failed.order
        return copy
      }
  }

  /// The rules that a deallocation would have been judged by, had the log said that it ended.
  ///
  /// Complexity: O(registrations).
  var openDeaths: [(code: RuleCode, why: String)] {
    if deaths.isEmpty { return [] }
    var first: [RuleCode: Int] = [:]
    func note(_ code: RuleCode, _ object: ObjectID) {
      guard let death = deaths[object], !death.isOver else { return }
      first[code] = min(first[code] ?? .max, death.began.event)
    }
    for slot in ledger.slots.indices where ledger.isLive(slot) {
      let registration = ledger.slots[slot].registration
      if registration.form != .stream {
        note(.observedDeinitWhileObserved, registration.subject.id)
      }
      if registration.isClassic, let observer = registration.observer {
        note(.observerDeinitWhileRegistered, observer.id)
      }
    }
    return first.map { code, event in
      (code, "the log does not say that the deallocation at event \(event) ended (deinitEnd)")
    }
  }

  // MARK: - KVO021

  mutating func endScope(_ scope: ScopeID, _ evidence: Evidence, _ place: Place) {
    seen.insert(.scopeEnd)
    let opened = scopes.opened(scope)
    for thread in threads.sorted(threads.busy) {
      reportUnbalanced(threads[thread].brackets.closeScope(scope, openedAt: opened))
      breakPromises(of: thread)
      threads.updateBusy(thread)
    }
    let ended = scopes.end(scope)
    act(place)
    let left = ended.members.filter { isLeft($0) }.map { ($0, ledger.slots[$0]) }
    growth.end(ended.name, left, at: evidence)
    guard droppedAt == nil else { return }
    judgeLeaks(ended.members, name: ended.name, at: evidence, opened: ended.opened)
  }

  mutating func judgeLeaksAtExit(_ evidence: Evidence) {
    guard droppedAt == nil else { return }
    let live = ledger.slots.indices.filter { ledger.isLive($0) }
    judgeLeaks(live, name: .none, at: evidence, opened: nil)
  }

  /// Whether the registration at `slot` is live, and its token is not being deallocated.
  private func isLeft(_ slot: Int) -> Bool {
    guard ledger.isLive(slot) else { return false }
    guard !deaths.isEmpty, let token = ledger.slots[slot].registration.token else { return true }
    return deaths[token.id] == nil
  }

  private mutating func judgeLeaks(
    _ members: [Int],
    name: StringID,
    at evidence: Evidence,
    opened: Evidence?
  ) {
    var found: [Verdict] = []
    for slot in members where isLeft(slot) {
      let registration = ledger.slots[slot].registration
      let registered = ledger.slots[slot].registered
      guard registration.expectedToLive == .none else { continue }
      found.append(
        Verdict(
          .leakedRegistration,
          of: registration,
          [evidence, registered] + (opened.map { [$0] } ?? []),
          .scope(name),
          confidence: .high
        )
      )
    }
    verdicts += found.sorted { $0.evidence[1].event < $1.evidence[1].event }
  }
}
