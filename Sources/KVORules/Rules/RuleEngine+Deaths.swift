import KVOTrace

// KVO006 and KVO007 by deaths, and KVO021 by the ends of scopes.
extension RuleEngine {
  /// The evidence of a death: the stack of the beginning of the deallocation where its end has none.
  func evidenceOfDeath(_ object: ObjectID, _ evidence: Evidence) -> Evidence {
    guard evidence.stack == .none, let began = deaths[object]?.began else { return evidence }
    var copy = evidence
    copy.stack = began.stack
    if copy.thread == nil { copy.thread = began.thread }
    return copy
  }

  mutating func die(_ object: ObjectID, _ evidence: Evidence, _ place: Place) {
    let failed = evidenceOfDeath(object, evidence)
    if place.subject >= 0 {
      for slot in ledger.subjectDied(place.subject, at: failed, &verdicts) { settle(slot) }
      ledger.close(place.subject)
      subjects.remove(object.rawValue)
    }
    dieObserving(object, failed)
    if !deepPaths.isEmpty { loseLinks(to: object, failed, place.thread) }
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
    let left = ended.members.filter { ledger.isLive($0) }.map { ($0, ledger.slots[$0]) }
    growth.end(ended.name, left, at: evidence)
    guard droppedAt == nil else { return }
    judgeLeaks(ended.members, name: ended.name, at: evidence, opened: ended.opened)
  }

  mutating func judgeLeaksAtExit(_ evidence: Evidence) {
    guard droppedAt == nil else { return }
    let live = ledger.slots.indices.filter { ledger.isLive($0) }
    judgeLeaks(live, name: .none, at: evidence, opened: nil)
  }

  private mutating func judgeLeaks(
    _ members: [Int],
    name: StringID,
    at evidence: Evidence,
    opened: Evidence?
  ) {
    var found: [Verdict] = []
    for slot in members where ledger.isLive(slot) {
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
