import KVORules
import KVOTrace

/// Values that change without a notification, and paths whose objects are deallocated (KVO014 to KVO016).
///
/// Needs probes, both halves of changes, attachments and detachments of paths, deallocations, and the next event of the
/// thread on which a path lost its object.
struct ValueRules: Sendable {
  private var probes = ValueProbes()
  private var deepPaths = DeepPaths()
  private var changes = KeyChanges()

  var isEmpty: Bool { probes.isEmpty && deepPaths.isEmpty }
  var hasPaths: Bool { !deepPaths.isEmpty }
  /// Whether a path lost an object and it is unknown whether its observation ended with it.
  var hasPending: Bool { deepPaths.hasPending }
  var counts: [Int] { [probes.count, deepPaths.count] }

  /// A thread is about to do something.
  mutating func conclude(of event: UnsafePointer<Event>, _ thread: Int, _ log: inout ReplayState) {
    if deepPaths.hasPending, !DeepPaths.isPartOfDeallocation(event) {
      Self.judge(deepPaths.conclude(on: thread), &log)
    }
  }

  /// A callback of the registration at `slot` begins.
  mutating func deliver(_ slot: Int, _ log: inout ReplayState) {
    if deepPaths.hasPending { deepPaths.excuseWeak(slot) }
    if deepPaths.isEmpty || log.deallocations.isEmpty { return }
    guard let id = log.ledger.slots[slot].registration.id else { return }
    deepPaths.noteNotified(id) { log.deallocations[$0].map { !$0.isOver } ?? false }
  }

  /// The registration at `slot` ended.
  mutating func end(of slot: Int) { deepPaths.excuse(slot) }

  /// The registration, which ended long ago, is no longer kept.
  mutating func forget(_ id: RegistrationID) { deepPaths.forget(id) }

  /// The object was deallocated.
  mutating func forget(_ object: ObjectID) {
    if !probes.isEmpty { probes.forget(object) }
  }

  /// Events are missing: values may have changed, and paths may be attached elsewhere.
  mutating func lose(_ log: inout ReplayState) {
    if !probes.isEmpty { log.losses.rules.insert(.mutationWithoutNotification) }
    if !deepPaths.isEmpty {
      log.losses.rules.formUnion([.deepPathIntermediateDeath, .weakLinkSilentlyNil])
    }
    self = ValueRules()
  }

  mutating func finish(_ log: inout ReplayState) {
    Self.judge(deepPaths.conclude(on: nil), &log)
  }

  /// A half of a change: probes and deep paths may see another value from here on.
  @inline(__always)
  mutating func noteHalf(of change: Change, _ log: inout ReplayState) {
    if !isEmpty { noteHeldHalf(of: change, &log) }
  }

  private mutating func noteHeldHalf(of change: Change, _ log: inout ReplayState) {
    changes.note(change.key)
    let className = log.classNames.observed(change.subject.className)
    let dependents = log.dependencies.dependents(of: change.key, in: className)
    if !deepPaths.isEmpty {
      deepPaths.change(change.key, dependents: dependents, on: change.subject.id)
    }
    if probes.isEmpty { return }
    if log.mayLackBeginnings { return probes.changeAll(on: change.subject.id) }
    probes.change(change.key, dependents: dependents, on: change.subject.id)
  }

  // MARK: - KVO014

  /// A probe sees a value.
  mutating func see(
    _ fingerprint: StringID,
    of key: StringID,
    on subject: ObjectRef,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) {
    log.seen.insert(.write)
    let sources = log.dependencies.sources(of: key, in: log.classNames.observed(subject.className))
    let isAnySource = log.mayLackBeginnings
    let isChanging = log.threads.busy.contains { thread in
      log.threads[thread].brackets.open(of: subject.id) {
        isAnySource || $0 == key || sources.contains($0)
      } != nil
    }
    let before = probes.see(
      fingerprint,
      of: key,
      on: subject.id,
      isChanging: isChanging,
      at: changes.moment,
      evidence
    )
    guard let before, !mayBeChanged(key, of: subject, since: before.moment, &log) else { return }
    var verdict = Verdict(
      .mutationWithoutNotification,
      subject: subject,
      keyPath: key,
      evidence: [evidence, before.seen],
      confidence: Confidence(comparing: [evidence, before.seen])
    )
    if let slot = firstObserver(of: key, on: target.subject, &log) {
      let registration = log.ledger.slots[slot].registration
      verdict.observer = registration.observer
      verdict.context = registration.context
      verdict.registration = registration.id
      verdict.evidence.append(log.ledger.slots[slot].registered)
    }
    if log.droppedAt != nil { verdict.confidence = .low }
    log.verdicts.append(verdict)
  }

  /// The oldest live registration of `key`.
  private func firstObserver(
    of key: StringID,
    on subject: Int,
    _ log: inout ReplayState
  ) -> Int? {
    guard subject >= 0 else { return nil }
    var first: Int?
    log.ledger.forEach(of: key, on: subject) { slot in
      let isOlder = first.map {
        log.ledger.slots[slot].registered.precedes(log.ledger.slots[$0].registered)
      }
      if isOlder ?? true { first = slot }
    }
    return first
  }

  /// Whether `key` depends on a path to another object, and a change along such a path is open, or came after `moment`.
  ///
  /// The log need not say which object the path leads to: any may be the one, and one that is not in the sample may have
  /// been changed at any time. If the log lacks declarations, each change may be along such a path.
  private func mayBeChanged(
    _ key: StringID?,
    of object: ObjectRef,
    since moment: Int,
    _ log: inout ReplayState
  ) -> Bool {
    let className = log.classNames.observed(object.className)
    let remote = key.map { log.dependencies.remoteSources(of: $0, in: className) } ?? []
    if !remote.isEmpty, log.sampling != nil { return true }
    if log.mayLackBeginnings { return changes.moment > moment || Self.isAnyChangeOpen(log) }
    if remote.isEmpty { return false }
    return changes.contains(anyOf: remote, after: moment)
      || log.threads.busy.contains { log.threads[$0].brackets.isOpen(anyOf: remote) }
  }

  private static func isAnyChangeOpen(_ log: borrowing ReplayState) -> Bool {
    log.threads.busy.contains { !log.threads[$0].brackets.isEmpty }
  }

  // MARK: - Deep paths

  mutating func attach(
    _ attachment: Attachment,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) {
    log.seen.insert(.attachment)
    guard target.slot >= 0 else {
      if log.unsaid.registration != nil, log.unsaid.attached == nil {
        log.unsaid.attached = evidence.event
      }
      return log.contradictionCount += 1
    }
    let subject = log.ledger.slots[target.slot].registration.subject
    deepPaths.attach(attachment, subject: subject, at: changes.moment, evidence)
  }

  mutating func detach(
    _ attachment: Attachment,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) {
    if deepPaths.hasPending { deepPaths.excuse(attachment) }
    guard let link = deepPaths.detach(attachment), target.slot >= 0 else { return }
    let hold = link.hold
    if mayBeChanged(link.parentKey, of: link.parent, since: hold.moment, &log) { return }
    log.verdicts.append(
      Verdict(
        .mutationWithoutNotification,
        of: log.ledger.slots[target.slot].registration,
        [evidence, hold.attached, log.ledger.slots[target.slot].registered],
        .links(attached: hold.object, detached: attachment.object),
        confidence: log.droppedAt == nil ? nil : .low
      )
    )
  }

  // MARK: - KVO015 and KVO016

  /// An object that paths may be attached to was deallocated.
  ///
  /// A replaced object is deallocated between the halves of the change, and an object that is deallocated with the
  /// observed object ends with the observation: neither is a fault.
  mutating func loseLinks(
    to object: ObjectID,
    _ failed: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    for loss in deepPaths.deallocate(object) {
      let slot = log.ledger.liveSlot(of: loss.registration)
      guard slot >= 0 else { continue }
      let subject = log.ledger.slots[slot].registration.subject.id
      if let deallocation = log.deallocations[subject], !deallocation.isOver { continue }
      if Self.isBeingReplaced(loss, &log) { continue }
      if failed.thread == nil, log.unsaid.deallocation == nil {
        log.unsaid.deallocation = failed.event
      }
      deepPaths.wait(DeepPaths.Pending(slot: slot, loss: loss, deallocated: failed, thread: thread))
      log.hasOpenEnds = true
    }
  }

  /// Whether a change is open that may give the link to the object another value.
  private static func isBeingReplaced(_ loss: DeepPaths.Loss, _ log: inout ReplayState) -> Bool {
    if log.mayLackBeginnings, isAnyChangeOpen(log) { return true }
    guard let key = loss.parentKey else {
      return log.threads.busy.contains { thread in
        log.threads[thread].brackets.open(of: loss.parent.id) { _ in true } != nil
      }
    }
    let className = log.classNames.observed(loss.parent.className)
    let sources = log.dependencies.sources(of: key, in: className).union([key])
    let remote = log.dependencies.remoteSources(of: key, in: className)
    if !remote.isEmpty, log.sampling != nil { return true }
    return log.threads.busy.contains { thread in
      let brackets = log.threads[thread].brackets
      return brackets.open(of: loss.parent.id) { sources.contains($0) } != nil
        || (!remote.isEmpty && brackets.isOpen(anyOf: remote))
    }
  }

  private static func judge(_ losses: [DeepPaths.Pending], _ log: inout ReplayState) {
    for lost in losses {
      let hold = lost.loss.hold
      let code: RuleCode =
        if case .weak = hold.strength { .weakLinkSilentlyNil } else { .deepPathIntermediateDeath }
      log.verdicts.append(
        Verdict(
          code,
          of: log.ledger.slots[lost.slot].registration,
          [lost.deallocated.as(.failed), hold.attached, log.ledger.slots[lost.slot].registered],
          .link(hold.object),
          confidence: log.droppedAt == nil ? nil : .low
        )
      )
    }
  }
}
