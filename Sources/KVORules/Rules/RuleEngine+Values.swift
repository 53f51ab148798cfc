import KVOTrace

// KVO014 to KVO016: values that become others without a change.
extension RuleEngine {
  /// A half of a change: probes and deep paths may find another value from here on.
  mutating func noteHalf(of change: Change) {
    if !deepPaths.isEmpty { deepPaths.change(change.key, on: change.subject.id) }
    if probes.isEmpty { return }
    if mayLackBeginnings { return probes.changeAll(on: change.subject.id) }
    let dependents = dependencies.dependents(of: change.key, in: change.subject.className)
    probes.change(change.key, dependents: dependents, on: change.subject.id)
  }

  // MARK: - KVO014

  /// A probe sees a value.
  mutating func see(
    _ fingerprint: StringID,
    of key: StringID,
    on subject: ObjectRef,
    _ evidence: Evidence,
    _ place: Place
  ) {
    seen.insert(.write)
    let sources = dependencies.sources(of: key, in: subject.className)
    let isAnySource = mayLackBeginnings
    let isChanging = threads.busy.contains { thread in
      threads[thread].brackets.open(of: subject.id) {
        isAnySource || $0 == key || sources.contains($0)
      } != nil
    }
    let before = probes.see(
      fingerprint,
      of: key,
      on: subject.id,
      isChanging: isChanging,
      at: evidence
    )
    guard let before else { return }
    var verdict = Verdict(
      .mutationWithoutNotification,
      subject: subject,
      keyPath: key,
      evidence: [evidence, before.seen],
      confidence: Confidence(comparing: [evidence, before.seen])
    )
    if let slot = firstObserver(of: key, on: place.subject) {
      let registration = ledger.slots[slot].registration
      verdict.observer = registration.observer
      verdict.context = registration.context
      verdict.registration = registration.id
      verdict.evidence.append(ledger.slots[slot].registered)
    }
    if droppedAt != nil { verdict.confidence = .low }
    verdicts.append(verdict)
  }

  /// The oldest live registration of `key`.
  private func firstObserver(of key: StringID, on subject: Int) -> Int? {
    guard subject >= 0 else { return nil }
    var first: Int?
    ledger.forEach(of: key, on: subject) { slot in
      let isOlder = first.map {
        ledger.slots[slot].registered.event < ledger.slots[$0].registered.event
      }
      if isOlder ?? true { first = slot }
    }
    return first
  }

  // MARK: - Deep paths

  mutating func attach(_ attachment: Attachment, _ evidence: Evidence, _ place: Place) {
    seen.insert(.attachment)
    guard place.slot >= 0 else {
      if unsaid.registration != nil, unsaid.attached == nil { unsaid.attached = evidence.event }
      return contradictionCount += 1
    }
    let subject = ledger.slots[place.slot].registration.subject.id
    deepPaths.attach(attachment, subject: subject, at: evidence)
  }

  mutating func detach(_ attachment: Attachment, _ evidence: Evidence, _ place: Place) {
    guard let hold = deepPaths.detach(attachment), place.slot >= 0 else { return }
    verdicts.append(
      Verdict(
        .mutationWithoutNotification,
        of: ledger.slots[place.slot].registration,
        [evidence, hold.attached, ledger.slots[place.slot].registered],
        .links(attached: hold.object, detached: attachment.object),
        confidence: droppedAt == nil ? nil : .low
      )
    )
  }

  // MARK: - KVO015 and KVO016

  /// An object died that paths may hang on.
  ///
  /// One that is being replaced dies between the halves of the change, and one that dies with the
  /// observed object dies with the observation: neither is a fault.
  mutating func loseLinks(to object: ObjectID, _ failed: Evidence, _ thread: Int) {
    for loss in deepPaths.die(object) {
      let slot = ledger.liveSlot(of: loss.registration)
      guard slot >= 0 else { continue }
      let subject = ledger.slots[slot].registration.subject.id
      if let death = deaths[subject], !death.isOver { continue }
      let isReplaced = threads.busy.contains { thread in
        threads[thread].brackets.open(of: loss.parent) { key in
          loss.parentKey.map { $0 == key } ?? true
        } != nil
      }
      if isReplaced { continue }
      if failed.thread == nil, unsaid.death == nil { unsaid.death = failed.event }
      deepPaths.wait(DeepPaths.Pending(slot: slot, loss: loss, died: failed, thread: thread))
      hasOpenEnds = true
    }
  }

  mutating func judgeLosses(_ losses: [DeepPaths.Pending]) {
    for lost in losses {
      let hold = lost.loss.hold
      let code: RuleCode =
        if case .weak = hold.strength { .weakLinkSilentlyNil } else { .deepPathIntermediateDeath }
      verdicts.append(
        Verdict(
          code,
          of: ledger.slots[lost.slot].registration,
          [lost.died.as(.failed), hold.attached, ledger.slots[lost.slot].registered],
          .link(hold.object),
          confidence: droppedAt == nil ? nil : .low
        )
      )
    }
  }
}
