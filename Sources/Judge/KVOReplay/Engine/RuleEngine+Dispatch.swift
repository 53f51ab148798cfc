import KVORules
import KVOTrace

// Which families an event concerns, and in which order they judge it.
extension RuleEngine {
  mutating func dispatch(
    _ event: UnsafePointer<Event>,
    _ evidence: Evidence,
    _ target: EventTarget
  ) {
    switch event.pointee.body {
    case .process(let info): log.begin(info)
    case .live(let registration): registrations.restore(registration, evidence, target, &log)
    case .register(let registration):
      register(registration, evidence, target)
      log.threads[target.thread].noteRegistration(at: registration.site, event.pointee.time)
    case .registerEnd: finishRegistering(target.slot)
    case .refused(let registration, let reason, let part):
      log.act(target)
      log.verdicts.append(
        .refused(registration, reason: reason, part: part, at: evidence.at(registration.site))
      )
      registrations.refuse(registration, part: part, evidence, target, &log)
    case .remove(let removal): remove(removal, evidence, target, Moment(of: event))
    case .cancel(let id, let cause): cancel(id, cause, evidence, target, at: event.pointee.time)
    case .willChange(let change): beginChange(change, evidence, target, Moment(of: event))
    case .didChange(let change): endChange(change, evidence, target, Moment(of: event))
    case .notify(let delivery): beginCallback(delivery, evidence, target)
    case .notifyEnd(let delivery):
      log.act(target)
      callbacks.end(delivery, evidence, target, &log)
    case .deinit(let object):
      beginDeallocation(of: object.id, evidence, target, Moment(of: event))
    case .deinitEnd(let object): finishDeallocation(of: object.id, evidence, target)
    case .attach(let attachment): values.attach(attachment, evidence, target, &log)
    case .detach(let attachment): values.detach(attachment, evidence, target, &log)
    case .write(let subject, let key, let fingerprint):
      log.act(target)
      values.see(fingerprint, of: key, on: subject, evidence, target, &log)
    case .hold(let reference):
      log.seen.insert(.reference)
      log.act(target)
      scopes.note(target)
      graphs.hold(reference, evidence, target.thread)
      registrations.hold(reference, evidence, &log)
    case .drop(let reference):
      log.act(target)
      registrations.drop(reference)
      graphs.drop(reference)
    case .walkBegin:
      log.act(target)
      graphs.beginWalk(target.thread)
    case .walkEnd(let isComplete, _, let isAsserted):
      log.act(target)
      graphs.endWalk(isComplete: isComplete, isAsserted: isAsserted, evidence, target, &log)
    case .lock(let lock):
      log.seen.insert(.lock)
      log.act(target)
      concurrency.lock(lock, evidence, target.thread)
    case .unlock(let lock):
      log.act(target)
      concurrency.unlock(lock, target.thread)
    case .classChanged(let object, let name, let isKVOSubclass):
      log.seen.insert(.classChange)
      concurrency.change(object, to: name, isKVOSubclass: isKVOSubclass, evidence, &log)
    case .declares(let key):
      scopes.note(target)
      graphs.declare(key, evidence, &log)
    case .removeEnd(let removal):
      log.act(target)
      concurrency.end(removal, at: Moment(of: event), target.thread, &log)
    case .threadName(let name):
      // A name that the log gives to no thread is not that of the events without a thread.
      if event.pointee.thread != nil { callbacks.name(target.thread, name, &log) }
    case .scopeBegin(let scope):
      log.act(target)
      scopes.begin(scope, evidence, &log)
    case .scopeEnd(let scope): endScope(scope, evidence, target)
    case .crash:
      log.hasCrashed = true
      log.isCrashing = true
    case .dropped(let count, _):
      droppedCount = droppedCount.addingSaturated(count)
      lose(at: evidence)
    case .exit:
      log.hasEnded = !log.isCrashing
      log.exitingThread = event.pointee.thread.map { _ in target.thread }
      if options.judgesLeaksAtExit { scopes.exit(evidence, &log) }
    case .expects(let rules): if let scope = target.scope { scopes.expect(rules, in: scope) }
    case .sample(let share, _):
      if log.sample(share, at: evidence) { lose(at: evidence) }
    case .consumerBegin(let consumer):
      log.act(target)
      consumers.begin(consumer, evidence)
    case .parked(let consumer):
      let name = target.scope.map { scopes.name(of: $0) } ?? .none
      consumers.park(consumer, in: target.scope, called: name, evidence, &log)
    case .consumerEnd(let id, let why):
      log.act(target)
      consumers.end(id, why, evidence, &log)
    case .expectDeinit: log.act(target)
    case .module, .keep: break
    }
  }

  // MARK: - Registrations

  private mutating func register(
    _ registration: Registration,
    _ evidence: Evidence,
    _ target: EventTarget
  ) {
    log.act(target)
    let firstVerdict = log.verdicts.count
    guard let added = registrations.add(registration, evidence, target, &log) else { return }
    if added.displaced >= 0 { settle(added.displaced) }
    registrations.note(added, target, &log)
    if target.scope != nil { scopes.enter(added.slot, target) }
    obligations.registered(added.slot, &log)
    concurrency.judge(
      .addition,
      added.slot,
      evidence.at(registration.site),
      target.thread,
      &log
    )
    registrations.noteSite(of: registration, evidence, &log)
    if log.verdicts.count > firstVerdict {
      registrations.sortOut(from: firstVerdict, added.subject, &log)
    }
  }

  private mutating func finishRegistering(_ slot: Int) {
    log.seen.insert(.additionEnd)
    if slot < 0 {
      log.contradictionCount += 1
      return
    }
    guard log.ledger.isLive(slot) else { return }
    log.confirm(slot)
    log.ledger.finishAdding(slot)
    // A change that was in progress while the registration was made need not be delivered to it.
    changes.excuse(slot, &log)
  }

  private mutating func remove(
    _ removal: Removal,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ moment: Moment
  ) {
    log.act(target)
    let placed = evidence.at(removal.site)
    let removed = registrations.remove(removal, evidence, target, &log)
    concurrency.begin(removal, removed.slot, placed, at: moment, target.thread, &log)
    if concurrency.isWaiting { scopes.note(target) }
    if removed.slot >= 0 {
      concurrency.removed(removed.slot, placed, target.thread, &log)
      settle(removed.slot)
    }
    for slot in removed.copies where slot != removed.slot {
      changes.excuse(slot, &log)
      obligations.excuse(slot)
    }
    for slot in registrations.endDoubtful(removed, at: placed, &log) { settle(slot) }
    registrations.withhold(removal, removed, &log)
  }

  private mutating func cancel(
    _ id: RegistrationID,
    _ cause: CancelCause,
    _ evidence: Evidence,
    _ target: EventTarget,
    at time: UInt64?
  ) {
    var target = target
    target.slot = registrations.standIn(for: target.slot, &log)
    guard registrations.mayCancel(id, cause, evidence, target, &log) else { return }
    let slot = target.slot
    if case .token = cause {
      registrations.judgeDroppedToken(slot, evidence, target, .cancelled(at: time), &log)
    }
    var failed = evidence
    switch cause {
    case .subject:
      let subject = log.ledger.slots[slot].registration.subject.id
      failed = log.evidenceOfDeallocation(subject, evidence)
    case .observer:
      if let observer = log.ledger.slots[slot].registration.observer {
        failed = log.evidenceOfDeallocation(observer.id, evidence)
      }
    case .user, .owner, .token: concurrency.removed(slot, evidence, target.thread, &log)
    case .runtime: log.ledger.judgeDisplacement(of: slot, &log.verdicts)
    }
    log.ledger.cancel(slot, by: cause, at: failed, &log.verdicts)
    if log.ledger.slots[slot].isEndShared { registrations.settleCopies(of: slot, &log) }
    settle(slot)
    log.act(target)
  }

  /// The remaining work when a registration has ended: the ledger keeps it for late events until many others have
  /// ended.
  mutating func settle(_ slot: Int) {
    scopes.leave(slot, &log)
    registrations.end(of: slot, &log)
    if log.hasOpenEnds {
      values.end(of: slot)
      obligations.end(of: slot, &log)
      updateOpenEnds()
    }
    if !obligations.broken.isEmpty { obligations.endBroken(of: slot, &log) }
    graphs.end(of: slot, &log)
    changes.end(of: slot, &log)
    let oldest = registrations.keep(slot)
    if oldest < 0 { return }
    if values.hasPaths, let id = log.ledger.slots[oldest].registration.id { values.forget(id) }
    registrations.release(oldest, &log)
  }

  // MARK: - Changes

  private mutating func beginChange(
    _ change: Change,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ moment: Moment
  ) {
    log.act(target)
    log.seen.insert(.change)
    concurrency.begin(change, evidence, at: moment, target.thread, &log)
    if concurrency.isWaiting { scopes.note(target) }
    values.noteHalf(of: change, &log)
    let prior = log.threads[target.thread].prior
    log.threads[target.thread].brackets.will(
      change,
      scope: target.scope,
      inside: prior,
      at: evidence
    )
    obligations.began(change, on: target.subject, by: target.thread, evidence, &log)
    log.threads.updateBusy(target.thread)
  }

  private mutating func endChange(
    _ change: Change,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ moment: Moment
  ) {
    let thread = target.thread
    log.act(target)
    log.seen.insert(.change)
    let began = changes.end(change, evidence, thread, &log)
    if let began {
      concurrency.end(began, evidence, at: moment, &log)
      callbacks.leavePriors(of: change, began: began, thread, &log)
    }
    let early = log.threads[thread].early.isEmpty ? [] : log.threads[thread].early.end(change)
    if log.hasOpenEnds { obligations.made(change, evidence, thread, &log) }
    values.noteHalf(of: change, &log)
    if let began, log.droppedAt == nil, !log.notifiesOthers {
      changes.expect(
        change,
        began: began,
        early: early,
        obligations.promises,
        evidence,
        target,
        &log
      )
    }
    log.threads.updateBusy(thread)
  }

  private mutating func beginCallback(
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ target: EventTarget
  ) {
    let (slot, thread) = (target.slot, target.thread)
    log.act(target)
    log.seen.insert(.callback)
    let isLive = slot >= 0 && log.ledger.isLive(slot)
    if slot >= 0 {
      log.confirm(slot)
      if isLive, log.ledger.slots[slot].isEndShared { registrations.settleCopies(of: slot, &log) }
      log.ledger.beginCallback(slot)
    } else {
      log.contradictionCount += 1
      if log.unsaid.registration != nil, log.unsaid.notified == nil {
        log.unsaid.notified = evidence.event
      }
    }
    if slot >= 0, log.hasOpenEnds || values.hasPaths { values.deliver(slot, &log) }
    var isTaken = false
    if log.hasOpenEnds, slot >= 0 {
      isTaken = obligations.deliver(slot, delivery, thread)
      updateOpenEnds()
    }
    switch delivery.phase {
    case .initial: if isLive { log.ledger.beginInitial(slot, at: evidence) }
    case .prior: if isLive { obligations.promise(slot, delivery, evidence, thread, &log) }
    case .after:
      if isLive, !(log.threads.busy.isEmpty && changes.misses.isEmpty) {
        isTaken = changes.deliver(slot, delivery.change, thread, &log) || isTaken
      } else if slot >= 0, !isLive {
        isTaken = changes.refute(slot, delivery.change, log) || isTaken
      }
      if !isTaken, slot >= 0, !obligations.broken.isEmpty {
        obligations.refute(slot, delivery.change, log)
      }
    }
    if slot >= 0 {
      callbacks.claim(slot, isLive, delivery, evidence, thread, &log)
      concurrency.judge(.callback, slot, evidence, thread, &log)
      callbacks.nest(slot, evidence, thread, &log)
    }
    callbacks.begin(slot, delivery, evidence, thread, &log)
  }

  // MARK: - What is owed

  private mutating func updateOpenEnds() {
    log.hasOpenEnds = !obligations.isEmpty || values.hasPending
  }

  /// A thread is about to act while notifications are pending.
  mutating func concludeOpenEnds(of event: UnsafePointer<Event>, _ thread: Int) {
    values.conclude(of: event, thread, &log)
    obligations.conclude(of: event, thread, &log)
    updateOpenEnds()
  }

  /// Open changes of `thread` were abandoned.
  mutating func giveUp(of thread: Int) {
    obligations.giveUp(of: thread, &log)
    updateOpenEnds()
  }

  // MARK: - Scopes and losses

  private mutating func endScope(_ scope: ScopeID, _ evidence: Evidence, _ target: EventTarget) {
    let opened = scopes.close(scope, &log)
    for thread in log.threads.sorted(log.threads.busy) {
      if thread == target.thread, evidence.thread != nil {
        log.reportUnbalanced(log.threads[thread].brackets.closeScope(scope, openedAt: opened))
      } else {
        let left = log.threads[thread].brackets.leaveScope(scope, openedAt: opened)
        scopes.noteLeftChanges(left, atEndOf: scope)
      }
      if let opened, scopes.hasExpectations {
        for (change, began) in log.threads[thread].brackets.openOutsideOfScopes
        where began.event > opened.event {
          scopes.noteOpenChange(of: change.subject.id, began: began.event, atEndOf: scope)
        }
      }
      giveUp(of: thread)
      log.threads.updateBusy(thread)
    }
    log.act(target)
    consumers.endScope(scope, called: scopes.name(of: scope), evidence)
    scopes.end(scope, evidence, &log)
  }

  /// Events are missing here.
  private mutating func lose(at evidence: Evidence) {
    log.lose(at: evidence)
    changes.lose(&log)
    concurrency.lose(&log)
    values.lose(&log)
    graphs.lose()
    registrations.lose()
    obligations.lose(&log)
    updateOpenEnds()
  }
}
