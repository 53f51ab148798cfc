import KVORules
import KVOTrace

/// How changes nest, and whether each is delivered to every registration that it concerns (KVO012 and KVO032).
///
/// Needs both halves of changes, callbacks, additions and ends of registrations, ends of scopes, deallocations, and any
/// event of a thread after a change.
struct ChangeRules: Sendable {
  /// KVO032.
  private(set) var misses = RefutableMisses(of: .missedDelivery)
  /// How many threads have pending deliveries.
  private var waitingThreadCount = 0
  /// The slots of those that must be notified of the change that is being judged; reused.
  private var audience: [Int32] = []
  /// Whether a change ended that may have begun before the log did.
  private(set) var lacksBeginnings = false

  /// Whether any thread has pending deliveries.
  var isWaiting: Bool { waitingThreadCount > 0 }

  /// Events are missing: the state of the threads is unknown, and reset.
  mutating func lose(_ log: inout ReplayState) {
    waitingThreadCount = 0
    if !misses.isEmpty { log.addMisses(misses.lose()) }
  }

  /// A change ends.
  ///
  /// - Returns: where it began; nil if that is unknown.
  mutating func end(
    _ change: Change,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) -> Evidence? {
    let outcome = log.threads[thread].brackets.end(change, at: evidence)
    if outcome.began == nil, !outcome.verdicts.isEmpty, !forget(change, &log),
      log.process?.isComplete == false
    {
      // It may have begun in a log file that was rotated out.
      lacksBeginnings = true
    } else {
      log.reportUnbalanced(outcome.verdicts)
    }
    return outcome.began
  }

  /// The end of a change was reported that did not begin on its thread: if it began on another one, that is the same
  /// fault.
  ///
  /// - Returns: whether it did.
  private mutating func forget(_ change: Change, _ log: inout ReplayState) -> Bool {
    guard change.id != nil else { return false }
    for other in log.threads.busy where log.threads[other].brackets.forget(change) {
      log.threads.updateBusy(other)
      return true
    }
    return false
  }

  /// A change that began at `began` ended: from here on its deliveries are awaited.
  ///
  /// - Parameters:
  ///   - change: the change.
  ///   - began: where it began.
  ///   - early: the slots that it was delivered to before it ended.
  ///   - promises: the registrations that were notified before the change, which are not awaited.
  ///   - evidence: where it ended.
  ///   - target: the object and the registration of the event.
  ///   - log: the log so far.
  mutating func expect(
    _ change: Change,
    began: Evidence,
    early: Set<Int32>,
    _ promises: PriorPromises,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) {
    let thread = target.thread
    findAudience(of: change, on: target.subject, by: thread, began: began, promises, &log)
    if !early.isEmpty { audience.removeAll { early.contains($0) } }
    if audience.isEmpty { return }
    let pending = MissedDeliveries.Pending(
      change: change,
      began: began.as(.changed),
      made: evidence,
      depth: log.threads[thread].depth,
      isInsideOwn: log.threads[thread].callbacks.contains { callback in
        callback.slot >= 0 && log.ledger.slots[callback.slot].registration.concerns(change)
      }
    )
    if log.threads[thread].missed.isEmpty { waitingThreadCount += 1 }
    log.threads[thread].missed.expect(pending, by: audience)
  }

  /// Finds which registrations must be notified of a change: those that began before it and are live now.
  ///
  /// Deep key paths and keys that depend on others are excluded: no log states which changes concern them. Also
  /// excluded are those without a number, which no notification can name, and a registration that is delivering its
  /// initial value, or whose observer is being deallocated. A registration that was notified before the change belongs
  /// to KVO013.
  private mutating func findAudience(
    of change: Change,
    on subject: Int,
    by thread: Int,
    began: Evidence,
    _ promises: PriorPromises,
    _ log: inout ReplayState
  ) {
    if !audience.isEmpty { audience.removeAll(keepingCapacity: true) }
    guard subject >= 0 else { return }
    log.ledger.forEach(of: change.key, on: subject) { slot in
      if log.ledger.slots[slot].isDeliveringInitial || !log.ledger.slots[slot].isNumbered { return }
      if log.ledger.slots[slot].isEndShared { return }
      if isBeingAddedElsewhere(slot, began, log) { return }
      if !promises.isEmpty, promises.contains(slot, change, on: thread) { return }
      if log.isSilencedByDeallocation(slot) { return }
      if log.ledger.slots[slot].registered.precedes(began) {
        audience.append(Int32(truncatingIfNeeded: slot))
      }
    }
  }

  /// Whether another thread is still adding the registration: the runtime may have entered it after the change.
  ///
  /// A log without ends of additions does not say.
  private func isBeingAddedElsewhere(
    _ slot: Int,
    _ began: Evidence,
    _ log: ReplayState
  ) -> Bool {
    log.ledger.slots[slot].isBeingAdded && log.seen.contains(.additionEnd)
      && log.ledger.slots[slot].registered.thread != began.thread
  }

  // MARK: - Missed deliveries

  /// A callback of the registration at `slot` begins, which is live, for a change or for one without a number.
  ///
  /// - Returns: whether it is for a change that is in progress, or refutes a verdict.
  mutating func deliver(
    _ slot: Int,
    _ change: ChangeID?,
    _ thread: Int,
    _ log: inout ReplayState
  ) -> Bool {
    if !log.threads[thread].missed.isEmpty,
      updateMissed(of: thread, &log, { $0.deliver(slot, change) })
    {
      follow(slot, change, &log)
      return true
    }
    if change != nil, deliver(slot, change, of: log.threads.busy, &log) {
      follow(slot, change, &log)
      return true
    }
    if deliverEarly(slot, change, thread, &log) {
      follow(slot, change, &log)
      return true
    }
    if refute(slot, change, log) { return true }
    if change != nil { return false }
    // Another thread notifies of a change without stating which.
    return deliver(slot, change, of: log.threads.busy, &log)
  }

  /// Finds a change of one of `threads` whose delivery to the registration at `slot` is awaited.
  ///
  /// - Returns: whether there is one.
  private mutating func deliver(
    _ slot: Int,
    _ change: ChangeID?,
    of threads: [Int],
    _ log: inout ReplayState
  ) -> Bool {
    if waitingThreadCount == 0 { return false }
    for thread in threads where !log.threads[thread].missed.isEmpty {
      if updateMissed(of: thread, &log, { $0.deliver(slot, change) }) { return true }
    }
    return false
  }

  /// A callback is for an open change: its writer writes `didChange` only after the deliveries.
  ///
  /// - Returns: whether there is such a change.
  private mutating func deliverEarly(
    _ slot: Int,
    _ id: ChangeID?,
    _ thread: Int,
    _ log: inout ReplayState
  ) -> Bool {
    let registration = log.ledger.slots[slot].registration
    let subject = registration.subject.id
    if let open = log.threads[thread].brackets.open(id, of: registration.keyPath, on: subject) {
      log.threads[thread].early.deliver(slot, open)
      return true
    }
    guard let id else { return false }
    for other in log.threads.busy {
      let open = log.threads[other].brackets.open(id, of: registration.keyPath, on: subject)
      if let open, open.id != nil {
        log.threads[other].early.deliver(slot, open)
        return true
      }
    }
    return false
  }

  /// A callback of the registration at `slot`, for no change that is in progress, may refute a verdict.
  ///
  /// - Returns: whether it does.
  mutating func refute(_ slot: Int, _ change: ChangeID?, _ log: ReplayState) -> Bool {
    if misses.isEmpty { return false }
    return misses.refute(log.ledger.slots[slot].registration.id, change)
  }

  private mutating func follow(_ slot: Int, _ change: ChangeID?, _ log: inout ReplayState) {
    if !misses.isFollowable || change == nil { return }
    misses.follow(log.ledger.slots[slot].registration.id)
  }

  // MARK: - Verdicts that wait

  /// Takes back the verdicts that a later callback can refute, except for those that have waited for too long.
  mutating func holdMisses(_ log: inout ReplayState) {
    let surplus = misses.take(from: &log.verdicts)
    log.addMisses(surplus)
  }

  /// The log ends: nothing refutes a verdict any more, unless the program's callbacks come late and the process may
  /// have gone on.
  mutating func releaseMisses(_ log: inout ReplayState) {
    if misses.isEmpty { return }
    log.addMisses(of: .missedDelivery, misses.finish(isOrderly: log.hasEnded))
  }

  /// The registration at `slot` ended.
  mutating func end(of slot: Int, _ log: inout ReplayState) {
    if !misses.isEmpty { log.addMisses(misses.end(log.ledger.slots[slot].registration.id)) }
    excuse(slot, &log)
  }

  /// A registration ended or began, or its observer is being deallocated: a change in progress need not reach it.
  mutating func excuse(_ slot: Int, _ log: inout ReplayState) {
    if !misses.isEmpty, misses.excuse(log.ledger.slots[slot].registration.id) {
      log.unsaid.threadRules.insert(.missedDelivery)
    }
    if waitingThreadCount == 0 { return }
    for thread in log.threads.busy where !log.threads[thread].missed.isEmpty {
      updateMissed(of: thread, &log) { $0.excuse(slot) }
      log.threads.updateBusy(thread)
    }
  }

  /// Updates the pending deliveries of a thread, and counts the threads that have any.
  @discardableResult
  private mutating func updateMissed<Result>(
    of thread: Int,
    _ log: inout ReplayState,
    _ body: (inout MissedDeliveries) -> Result
  ) -> Result {
    let wasEmpty = log.threads[thread].missed.isEmpty
    let result = body(&log.threads[thread].missed)
    let isEmpty = log.threads[thread].missed.isEmpty
    if wasEmpty != isEmpty { waitingThreadCount += isEmpty ? -1 : 1 }
    if isEmpty { log.threads.updateBusy(thread) }
    return result
  }

  /// A thread is about to do something, while some of its changes have not been delivered to all.
  mutating func conclude(
    of event: UnsafePointer<Event>,
    _ thread: Int,
    _ exceptions: RaisedExceptions,
    _ log: inout ReplayState
  ) {
    let outcome = MissedDeliveries.conclusion(of: event)
    if outcome == .none { return }
    let depth = log.threads[thread].depth
    let over = updateMissed(of: thread, &log) { $0.conclude(outcome, depth: depth) }
    if over.isEmpty { return }
    var saysDepth = log.saysDepth
    if case .notifyEnd = event.pointee.body { saysDepth = true }
    for pending in over { judge(pending, exceptions, saysDepth: saysDepth, &log) }
    log.threads.updateBusy(thread)
  }

  private mutating func judge(
    _ over: MissedDeliveries.Over,
    _ exceptions: RaisedExceptions,
    saysDepth: Bool,
    _ log: inout ReplayState
  ) {
    guard log.droppedAt == nil else { return }
    let pending = over.pending
    var found: [Verdict] = []
    for slot in over.waiting where log.ledger.isLive(slot) {
      let registration = log.ledger.slots[slot].registration
      let registered = log.ledger.slots[slot].registered
      var verdict = Verdict(
        .missedDelivery,
        of: registration,
        [pending.made, pending.began, registered],
        confidence: Confidence(comparing: [pending.began, registered])
      )
      if let raised = exceptions.exception(of: registration) {
        verdict.explain(by: raised)
      } else if pending.isInsideOwn, saysDepth {
        verdict.detail = .insideCallback
      }
      found.append(verdict)
    }
    if !found.isEmpty { misses.announce(pending.change.id, madeAt: pending.made.event) }
    log.verdicts += found.sorted { $0.evidence[2].event < $1.evidence[2].event }
  }

  // MARK: - Ends

  /// The object was deallocated: its open changes can no longer end.
  mutating func forget(_ object: ObjectID, _ log: inout ReplayState) {
    if log.threads.busy.isEmpty { return }
    var unended: [Verdict] = []
    for thread in log.threads.busy {
      unended += log.threads[thread].brackets.subjectDeallocated(object)
      updateMissed(of: thread, &log) { $0.forget(object) }
      log.threads.updateBusy(thread)
    }
    // Threads have no order; verdicts are ordered by event.
    log.reportUnbalanced(
      unended.sorted { ($0.evidence.first?.event ?? 0) < ($1.evidence.first?.event ?? 0) }
    )
  }

  /// The log has ended without another event of `thread`.
  ///
  /// - Returns: whether its open changes were abandoned.
  mutating func finish(
    _ thread: Int,
    _ exceptions: RaisedExceptions,
    _ log: inout ReplayState
  ) -> Bool {
    let depth = log.depthAtEnd(of: thread)
    let lastAct = log.lastAct(of: thread)
    let isOrderly = log.hasEnded
    let rest = updateMissed(of: thread, &log) { missed in
      missed.finish(isOrderly: isOrderly, depth: depth, before: lastAct)
    }
    for pending in rest.over { judge(pending, exceptions, saysDepth: log.saysDepth, &log) }
    if rest.isCut { log.cutRules.insert(.missedDelivery) }
    guard !log.threads[thread].brackets.isEmpty else { return false }
    let innermost = log.threads[thread].brackets.open(nil)?.began.event ?? 0
    guard log.hasEnded, depth == 0, innermost < lastAct else {
      if !log.hasEnded { log.reportUnbalanced(log.threads[thread].brackets.closeLeft()) }
      if !log.threads[thread].brackets.isEmpty { log.cutRules.insert(.unbalancedChange) }
      return false
    }
    log.reportUnbalanced(log.threads[thread].brackets.close())
    return true
  }
}

extension Registration {
  /// Whether it is for the object and the key of `change`.
  fileprivate func concerns(_ change: Change) -> Bool {
    subject.id == change.subject.id && keyPath == change.key
  }
}
