import KVORules
import KVOTrace

// Deallocations concern all families: the ledger judges KVO006 and KVO007, the other machines drop the object.
extension RuleEngine {
  /// A deallocation begins: an observer is not notified any more, also of changes that were made before.
  ///
  /// So its registrations are owed nothing, even if another thread recorded the change first: between the last release
  /// and this event the observer's weak references are nil already.
  mutating func beginDeallocation(
    of object: ObjectID,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ moment: Moment
  ) {
    concurrency.beginDeallocation(of: object, evidence, at: moment, target, &log)
    if concurrency.isWaiting { scopes.note(target) }
    guard changes.isWaiting || !obligations.isEmpty else { return }
    for slot in log.ledger.live(observedBy: object) where log.isSilencedByDeallocation(slot) {
      changes.excuse(slot, &log)
      obligations.excuse(slot)
    }
  }

  mutating func finishDeallocation(of object: ObjectID, _ evidence: Evidence, _ target: EventTarget)
  {
    let failed = log.evidenceOfDeallocation(object, evidence)
    endObservation(of: object, failed, target)
    if target.subject >= 0 {
      for slot in log.ledger.subjectDeallocated(target.subject, at: failed, &log.verdicts) {
        settle(slot)
      }
      registrations.retire(target.subject, object, &log)
      log.subjects.remove(object.rawValue)
    }
    endObservations(object, failed)
    if values.hasPaths {
      let isThreadSaid = evidence.thread != nil || failed.thread == nil
      let thread = isThreadSaid ? target.thread : log.threads.index(of: failed.thread)
      values.loseLinks(to: object, failed, thread, &log)
    }
    let began = log.deallocations[object]?.began ?? failed.as(.deallocated)
    log.deallocations.set(object, ReplayState.Deallocation(began: began, isOver: true))
    registrations.forget(object)
    callbacks.forget(object)
    graphs.forget(object)
    values.forget(object)
    concurrency.forget(object)
    changes.forget(object, &log)
  }

  /// A token was deallocated, which ends its observation: a writer need not write a `cancel`.
  private mutating func endObservation(
    of token: ObjectID,
    _ failed: Evidence,
    _ target: EventTarget
  ) {
    let slot = registrations.slot(ofToken: token, &log)
    if slot < 0 { return }
    registrations.judgeDroppedToken(slot, failed, target, .deallocated, &log)
    log.ledger.cancel(slot, by: .token, at: failed, &log.verdicts)
    settle(slot)
  }

  private mutating func endObservations(_ observer: ObjectID, _ failed: Evidence) {
    // The position of a deallocation among the events of the observer says nothing about the observed object.
    var unordered = failed
    unordered.order = nil
    var found: [Verdict] = []
    for slot in log.ledger.observerDeallocated(observer, at: unordered, &found) { settle(slot) }
    if found.isEmpty { return }
    // Observed objects have no common order; the log orders by registration.
    log.verdicts += found.sorted { ($0.evidence.last?.event ?? 0) < ($1.evidence.last?.event ?? 0) }
      .map {
        var copy = $0
        copy.evidence[0].order = failed.order
        return copy
      }
  }

  /// The rules that a deallocation would have been judged by, if the log had recorded its end.
  ///
  /// Complexity: O(registrations).
  var openDeallocations: [(code: RuleCode, why: String)] {
    if log.deallocations.isEmpty { return [] }
    var first: [RuleCode: Int] = [:]
    func note(_ code: RuleCode, _ object: ObjectID) {
      guard let deallocation = log.deallocations[object], !deallocation.isOver else { return }
      first[code] = min(first[code] ?? .max, deallocation.began.event)
    }
    for slot in log.ledger.slots.indices where log.ledger.isLive(slot) {
      let registration = log.ledger.slots[slot].registration
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
}
