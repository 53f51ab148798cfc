import KVOTrace

// KVO012 and KVO032: changes and the callbacks that tell of them.
extension RuleEngine {
  mutating func beginChange(_ change: Change, _ evidence: Evidence, _ place: Place) {
    let thread = place.thread
    act(place)
    seen.insert(.change)
    judgeConcurrentChange(change, evidence, thread)
    if !probes.isEmpty || !deepPaths.isEmpty { noteHalf(of: change) }
    threads[thread].brackets.will(change, scope: place.scope, at: evidence)
    findRaces(of: change, on: place.subject, by: thread, began: evidence)
    threads.updateBusy(thread)
  }

  mutating func endChange(
    _ change: Change,
    _ evidence: Evidence,
    _ place: Place
  ) {
    let thread = place.thread
    act(place)
    seen.insert(.change)
    let outcome = threads[thread].brackets.end(change, at: evidence)
    if outcome.began == nil, !outcome.verdicts.isEmpty, process?.isComplete == false {
      // It may have begun in a part that was rotated away.
      lacksBeginnings = true
    } else {
      reportUnbalanced(outcome.verdicts)
    }
    if !overlaps.isEmpty, let began = outcome.began {
      verdicts += overlaps.end(began, at: evidence)
    }
    let early = threads[thread].early.isEmpty ? [] : threads[thread].early.end(change)
    if hasOpenEnds { makeChange(change, evidence, thread) }
    if !probes.isEmpty || !deepPaths.isEmpty { noteHalf(of: change) }
    if let began = outcome.began, droppedAt == nil, !tellsOthers {
      findAudience(of: change, on: place.subject, by: thread, began: began)
      if !early.isEmpty { audience.removeAll { early.contains($0) } }
      if !audience.isEmpty {
        let pending = MissedDeliveries.Pending(
          change: change,
          began: began.as(.changed),
          made: evidence,
          depth: threads[thread].depth
        )
        if threads[thread].missed.isEmpty { waitingThreadCount += 1 }
        threads[thread].missed.expect(pending, by: audience)
      }
    }
    threads.updateBusy(thread)
  }

  /// Finds who must be told of a change: what was registered before it began and is live now.
  ///
  /// Deep key paths and keys that depend on others are left out: no log says which changes concern
  /// them. So are those without a number, which no notification can name, and so is a registration that is telling its initial value. One that was told before the change
  /// is KVO013's.
  private mutating func findAudience(
    of change: Change,
    on subject: Int,
    by thread: Int,
    began: Evidence
  ) {
    audience.removeAll(keepingCapacity: true)
    guard subject >= 0 else { return }
    ledger.forEach(of: change.key, on: subject) { slot in
      if ledger.slots[slot].isDeliveringInitial || !ledger.slots[slot].isNumbered { return }
      if !promises.isEmpty, promises.contains(slot, change, on: thread) { return }
      let isEarlier: Bool
      if let before = ledger.slots[slot].registered.order, let after = began.order {
        isEarlier = before < after
      } else {
        isEarlier = ledger.slots[slot].registered.event < began.event
      }
      if isEarlier { audience.append(Int32(truncatingIfNeeded: slot)) }
    }
  }

  /// Reports changes that lack a half, unless it may be among the events that were lost.
  mutating func reportUnbalanced(_ found: [Verdict]) {
    if droppedAt == nil { verdicts += found }
  }

  // MARK: - Callbacks

  mutating func beginCallback(
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ place: Place
  ) {
    let thread = place.thread
    act(place)
    seen.insert(.callback)
    let slot = place.slot
    let isLive = slot >= 0 && ledger.isLive(slot)
    if slot >= 0 {
      confirm(slot)
      ledger.beginCallback(slot)
    } else {
      contradictionCount += 1
      if unsaid.registration != nil, unsaid.notified == nil { unsaid.notified = evidence.event }
    }
    if hasOpenEnds, slot >= 0 { keepPromises(slot, delivery, thread) }
    switch delivery.phase {
    case .initial: if isLive { ledger.beginInitial(slot, at: evidence) }
    case .prior: if isLive { promise(slot, delivery, evidence, thread) }
    case .after:
      if isLive, !threads.busy.isEmpty { deliver(slot, delivery.change, thread) }
    }
    if slot >= 0 { judgeCallback(slot, isLive, delivery, evidence, thread) }
    if threads[thread].callbacks.count == Self.callbackLimit { forgetCallbacks(of: thread) }
    threads[thread].callbacks.append(
      ThreadTable.Callback(delivery: delivery, began: evidence.as(.notified), slot: slot)
    )
  }

  /// Forgets the outer half of the callbacks that a thread is in: it may be that none of them ever ends.
  private mutating func forgetCallbacks(of thread: Int) {
    let half = Self.callbackLimit / 2
    for callback in threads[thread].callbacks.prefix(half) where callback.slot >= 0 {
      ledger.endCallback(callback.slot)
    }
    threads[thread].callbacks.removeFirst(half)
    // A log without any `notifyEnd` does not say how deep a thread is.
    if seen.contains(.callbackEnd) { threads[thread].forgottenCallbackCount += half }
  }

  mutating func endCallback(
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ place: Place
  ) {
    seen.insert(.callbackEnd)
    let thread = place.thread
    let begun = threads[thread].callbacks.lastIndex { delivery.isEnd(of: $0.delivery) }
    if delivery.isHandled == nil, unsaid.handled == nil,
      place.slot < 0 || ledger.slots[place.slot].registration.isClassic
    {
      unsaid.handled = evidence.event
    }
    if let isHandled = delivery.isHandled, !isHandled {
      judgeUnhandled(delivery, begun.map { threads[thread].callbacks[$0] }, evidence, place.slot)
    }
    if delivery.exception != .none {
      judgeException(delivery, begun.map { threads[thread].callbacks[$0] }, evidence, place.slot)
    }
    if begun == nil, threads[thread].callbacks.isEmpty, threads[thread].forgottenCallbackCount > 0 {
      threads[thread].forgottenCallbackCount -= 1
    }
    // What was begun later and never ended ended with it.
    while let begun, threads[thread].callbacks.count > begun {
      let slot = threads[thread].callbacks.removeLast().slot
      if slot >= 0 { ledger.endCallback(slot) }
    }
    if case .initial = delivery.phase, place.slot >= 0, ledger.isLive(place.slot) {
      ledger.endInitial(place.slot)
    }
  }

  // MARK: - Missed deliveries

  private mutating func deliver(_ slot: Int, _ change: ChangeID?, _ thread: Int) {
    if !threads[thread].missed.isEmpty,
      updateMissed(of: thread, { $0.deliver(slot, change) })
    {
      return
    }
    if change != nil, waitingThreadCount > 0 {
      for other in threads.busy where !threads[other].missed.isEmpty {
        if updateMissed(of: other, { $0.deliver(slot, change) }) { return }
      }
    }
    deliverEarly(slot, change, thread)
  }

  /// A callback is for an open change: its writer writes `didChange` only after the deliveries.
  private mutating func deliverEarly(_ slot: Int, _ id: ChangeID?, _ thread: Int) {
    let registration = ledger.slots[slot].registration
    let subject = registration.subject.id
    if let open = threads[thread].brackets.open(id, of: registration.keyPath, on: subject) {
      return threads[thread].early.deliver(slot, open)
    }
    guard let id else { return }
    for other in threads.busy {
      let open = threads[other].brackets.open(id, of: registration.keyPath, on: subject)
      if let open, open.id != nil { return threads[other].early.deliver(slot, open) }
    }
  }

  /// A registration ended or came to be: whatever goes on need not reach it.
  mutating func excuse(_ slot: Int) {
    if waitingThreadCount == 0 { return }
    for thread in threads.busy where !threads[thread].missed.isEmpty {
      updateMissed(of: thread) { $0.excuse(slot) }
      threads.updateBusy(thread)
    }
  }

  /// Changes what a thread has still to tell, and keeps count of the threads that have anything.
  @discardableResult
  mutating func updateMissed<Result>(
    of thread: Int,
    _ body: (inout MissedDeliveries) -> Result
  ) -> Result {
    let wasEmpty = threads[thread].missed.isEmpty
    let result = body(&threads[thread].missed)
    let isEmpty = threads[thread].missed.isEmpty
    if wasEmpty != isEmpty { waitingThreadCount += isEmpty ? -1 : 1 }
    return result
  }

  mutating func concludeChanges(of event: UnsafePointer<Event>, _ thread: Int) {
    let outcome = MissedDeliveries.conclusion(of: event)
    if outcome == .none { return }
    let depth = threads[thread].depth
    let over = updateMissed(of: thread) { $0.conclude(outcome, depth: depth) }
    if over.isEmpty { return }
    for pending in over { judge(pending) }
    threads.updateBusy(thread)
  }

  private mutating func judge(_ over: MissedDeliveries.Over) {
    guard droppedAt == nil else { return }
    let pending = over.pending
    var found: [Verdict] = []
    for slot in over.waiting where ledger.isLive(slot) {
      let registration = ledger.slots[slot].registration
      let registered = ledger.slots[slot].registered
      var verdict = Verdict(
        .missedDelivery,
        of: registration,
        [pending.made, pending.began, registered],
        confidence: Confidence(comparing: [pending.began, registered])
      )
      if let raised = exceptions.exception(of: registration) { verdict.explain(by: raised) }
      found.append(verdict)
    }
    verdicts += found.sorted { $0.evidence[2].event < $1.evidence[2].event }
  }

  // MARK: - The end

  mutating func finishChanges() {
    for thread in threads.sorted(0..<threads.count) {
      // A log without any `notifyEnd` does not say how deep a thread is.
      let depth = seen.contains(.callbackEnd) ? threads[thread].depth : 0
      let isOrderly = hasEnded
      let rest = updateMissed(of: thread) { $0.finish(isOrderly: isOrderly, depth: depth) }
      for pending in rest.over { judge(pending) }
      if rest.isCut { cutRules.insert(.missedDelivery) }
      guard !threads[thread].brackets.isEmpty else { continue }
      if hasEnded, depth == 0 {
        reportUnbalanced(threads[thread].brackets.close())
        breakPromises(of: thread)
      } else {
        cutRules.insert(.unbalancedChange)
      }
    }
  }
}

extension Delivery {
  /// Whether the receiver, an end, belongs to the beginning `begun`.
  fileprivate func isEnd(of begun: Delivery) -> Bool {
    guard registration == begun.registration,
      change == nil || begun.change == nil || change == begun.change
    else { return false }
    // The comparison of the phases would be one of their names.
    switch (phase, begun.phase) {
    case (.initial, .initial), (.prior, .prior), (.after, .after): return true
    default: return false
    }
  }
}
