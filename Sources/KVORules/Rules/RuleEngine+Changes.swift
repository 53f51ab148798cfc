import KVOTrace

// KVO008, KVO012, KVO017 and KVO032: changes and the callbacks that tell of them.
extension RuleEngine {
  mutating func endChange(_ change: Change, _ event: Event, _ evidence: Evidence) {
    act(event)
    seen.insert(.change)
    var thread = threads[event.thread] ?? Thread()
    threads[event.thread] = nil
    let outcome = thread.brackets.end(change, at: evidence)
    for var verdict in outcome.verdicts {
      // The other half may be among what was lost.
      if droppedAt != nil || process?.isComplete == false { verdict.confidence = .low }
      verdicts.append(verdict)
    }
    if let began = outcome.began, droppedAt == nil {
      let waiting = audience(of: change, began: began)
      thread.missed.expect(
        .init(
          change: change,
          began: began.as(.changed),
          made: evidence,
          depth: thread.callbacks.count,
          waiting: waiting
        )
      )
    }
    if !thread.isIdle { busyThreads.insert(event.thread) }
    threads[event.thread] = thread
  }

  /// Who must be told of a change: what was registered before it began and is live now.
  ///
  /// Deep key paths and keys that depend on others are left out: no log says which changes concern
  /// them. So is a registration that is telling its initial value.
  private func audience(
    of change: Change,
    began: Evidence
  ) -> [RegistrationID: Confidence] {
    guard let subject = subjects[change.subject.id], let ids = subject.byKeyPath[change.key]
    else { return [:] }
    var waiting: [RegistrationID: Confidence] = [:]
    for id in ids {
      guard let registered = subject.ledger.evidence(of: id),
        !subject.ledger.isDeliveringInitial(id)
      else { continue }
      let isEarlier: Bool
      if let before = registered.order, let after = began.order {
        isEarlier = before < after
      } else {
        isEarlier = registered.event < began.event
      }
      if isEarlier { waiting[id] = Confidence(comparing: [began, registered]) }
    }
    return waiting
  }

  // MARK: - Callbacks

  mutating func beginCallback(_ delivery: Delivery, _ event: Event, _ evidence: Evidence) {
    act(event)
    let id = delivery.registration
    var callback = Callback(delivery: delivery, began: evidence.as(.notified))
    if let record = records[id] {
      records[id]?.wasNotified = true
      callback.registration = subjects[record.subject]?.ledger.registration(id)
      callback.registered = subjects[record.subject]?.ledger.evidence(of: id)
      if delivery.phase == .initial {
        subjects[record.subject]?.ledger.beginInitial(id, at: evidence)
      }
    } else if let over = ended[id] {
      callback.registration = over.registration
      callback.registered = over.registered
    } else {
      contradictionCount += 1
    }
    if delivery.phase == .after { deliver(delivery, event.thread) }
    judgeDeliveryToDead(callback, evidence)
    var thread = threads[event.thread] ?? Thread()
    threads[event.thread] = nil
    if thread.callbacks.count == Self.callbackLimit { thread.callbacks.removeFirst() }
    thread.callbacks.append(callback)
    threads[event.thread] = thread
  }

  mutating func endCallback(_ delivery: Delivery, _ event: Event, _ evidence: Evidence) {
    seen.insert(.callbackEnd)
    let id = delivery.registration
    let place = threads[event.thread]?.callbacks.lastIndex {
      $0.delivery.registration == id && $0.delivery.phase == delivery.phase
        && $0.delivery.change == delivery.change
    }
    var callback = Callback(delivery: delivery, began: evidence)
    var notified: Evidence?
    if let place, let found = threads[event.thread]?.callbacks[place] {
      callback = found
      notified = found.began
      // What was begun later and never ended ended with it.
      threads[event.thread]?.callbacks.removeSubrange(place...)
    } else if let record = records[id], let ledger = subjects[record.subject]?.ledger {
      callback.registration = ledger.registration(id)
      callback.registered = ledger.evidence(of: id)
    } else if let over = ended[id] {
      callback.registration = over.registration
      callback.registered = over.registered
    }
    if delivery.phase == .initial, let record = records[id] {
      subjects[record.subject]?.ledger.endInitial(id)
    }
    guard delivery.isHandled == false else { return }
    guard let registration = callback.registration else {
      // Nothing is known of the registration, but that nobody took the notification is certain.
      verdicts.append(
        Verdict(
          .unhandledNotification,
          subject: nil,
          registration: id,
          evidence: [evidence] + (notified.map { [$0] } ?? [])
        )
      )
      return
    }
    verdicts.append(
      .unhandled(
        registration,
        at: evidence,
        notified: notified,
        registered: callback.registered
      )
    )
  }

  /// KVO008: the deallocation of the observer had begun when the callback was claimed.
  private mutating func judgeDeliveryToDead(_ callback: Callback, _ evidence: Evidence) {
    guard let registration = callback.registration, let observer = registration.observer,
      let death = deaths[observer.id]
    else { return }
    // The claim and the death have an order of their own each, which do not compare. But a clean-up
    // behind the observer is an event of the observed object, and so is the claim.
    var confidence: Confidence = death.thread == evidence.thread ? .high : .low
    if confidence == .low, let id = registration.id, let cleanedUp = ended[id]?.cleanedUp?.order,
      let claimed = evidence.order
    {
      if claimed < cleanedUp { return }
      confidence = .high
    }
    verdicts.append(
      Verdict(
        .deliveryToDead,
        subject: registration.subject,
        observer: observer,
        keyPath: registration.keyPath,
        context: registration.context,
        registration: registration.id,
        evidence: [evidence, death] + (callback.registered.map { [$0] } ?? []),
        confidence: confidence
      )
    )
  }

  // MARK: - Missed deliveries

  private mutating func deliver(_ delivery: Delivery, _ thread: ThreadID?) {
    let id = delivery.registration
    if threads[thread]?.missed.deliver(id, delivery.change) == true { return }
    guard let change = delivery.change else { return }
    for other in busyThreads where threads[other]?.missed.isEmpty == false {
      if threads[other]?.missed.deliver(id, change) == true { return }
    }
  }

  /// A registration ended or came to be: whatever goes on need not reach it.
  mutating func excuse(_ id: RegistrationID) {
    for thread in busyThreads {
      threads[thread]?.missed.excuse(id)
      if threads[thread]?.isIdle ?? true { busyThreads.remove(thread) }
    }
  }

  mutating func concludeChanges(of event: Event) {
    guard let thread = threads[event.thread], !thread.missed.isEmpty else { return }
    let over = threads[event.thread]?.missed
      .conclude(before: event.body, depth: thread.callbacks.count)
    for pending in over ?? [] { judge(pending) }
  }

  private mutating func judge(_ pending: MissedDeliveries.Pending) {
    guard droppedAt == nil, let ledger = subjects[pending.change.subject.id]?.ledger
    else { return }
    var found: [Verdict] = []
    for (id, confidence) in pending.waiting {
      guard let registration = ledger.registration(id), let registered = ledger.evidence(of: id)
      else { continue }
      found.append(
        Verdict(
          .missedDelivery,
          subject: registration.subject,
          observer: registration.observer,
          keyPath: registration.keyPath,
          context: registration.context,
          registration: id,
          evidence: [pending.made, pending.began, registered],
          confidence: confidence
        )
      )
    }
    verdicts += found.sorted { $0.evidence[2].event < $1.evidence[2].event }
  }

  // MARK: - The end

  mutating func finishChanges() {
    for key in threads.keys.sorted(by: Self.precedes) {
      guard var thread = threads[key] else { continue }
      // A log without any `notifyEnd` does not say how deep a thread is.
      let depth = seen.contains(.callbackEnd) ? thread.callbacks.count : 0
      let rest = thread.missed.finish(isOrderly: hasEnded, depth: depth)
      for pending in rest.over { judge(pending) }
      if rest.isCut { cutRules.insert(.missedDelivery) }
      guard !thread.brackets.isEmpty else { continue }
      if hasEnded, depth == 0 {
        verdicts += thread.brackets.close()
      } else {
        cutRules.insert(.unbalancedChange)
      }
      threads[key] = thread
    }
  }
}
