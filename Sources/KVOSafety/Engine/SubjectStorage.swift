internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The registrations on one object: runs `SubjectStateMachine` under a lock, and acts on what it
/// returns when the lock is given back.
///
/// The timeline of a registration, each step in the critical section that makes it true:
/// 1. `add`: it is in the table; every change from here on is delivered to it.
/// 2. `claim`: a delivery begins. User code runs, with no lock held.
/// 3. `finishDelivery`: user code is done; who waits for that is let go.
/// 4. `remove`, `cancel` or `subjectDied`: it is out of the table; nothing is claimed any more.
final class SubjectStorage: Sendable {
  let record: ObjectRecord
  // State: `machine`, under its own lock. No other lock is taken and nothing is called under it.
  private let machine: GuardedState<SubjectStateMachine>

  init(record: ObjectRecord) {
    self.record = record
    machine = GuardedState(SubjectStateMachine(historyCapacity: KVO.historyCapacity))
  }

  // MARK: Registering

  /// Puts the observation into the table and records that.
  func add(_ observation: Observation, stack: StackID) {
    let evidence = Evidence(stack: stack, site: observation.registration.site)
    let (order, verdicts) = machine.withLock { $0.add(observation, at: evidence) }
    observation.observer?.observes(observation.id, in: self)
    Recorder.shared.record(.register(observation.registration), order: order, stack: stack)
    LiveMonitor.shared.report(verdicts)
  }

  func finishAdding(_ observation: Observation) {
    let order = machine.withLock { $0.finishAdding(observation.id) }
    Recorder.shared.record(.registerEnd(observation.id), order: order)
  }

  // MARK: Ending

  /// Removes by name; what matches nothing is swallowed and reported.
  func remove(_ removal: Removal) {
    let stack = Recorder.shared.captureStack()
    let evidence = Evidence(stack: stack, site: removal.site)
    let (end, matched) = machine.withLock { $0.remove(removal, at: evidence) }
    var removal = removal
    removal.registration = matched
    Recorder.shared.record(.remove(removal), order: end.order, stack: stack)
    finish(end)
    Recorder.shared.record(.removeEnd(removal))
  }

  /// Ends a registration by token, controller, or in place of somebody who died.
  func cancel(_ id: RegistrationID, by cause: CancelCause, stack: StackID? = nil) {
    guard contains(id) else { return }
    let stack = stack ?? Recorder.shared.captureStack()
    let end = machine.withLock { $0.cancel(id, by: cause, at: Evidence(stack: stack)) }
    guard let end else { return }
    Recorder.shared.record(.cancel(id, by: cause), order: end.order, stack: stack)
    finish(end)
  }

  /// Who ends a registration when its observer dies: the observer of the classic form should have
  /// removed it, the owner of a controller takes its registrations along.
  func causeAtObserverDeath(of id: RegistrationID) -> CancelCause {
    let form = machine.withLock { $0.registration(id)?.form }
    return form == .controller ? .owner : .observer
  }

  /// The object dies: its registrar was destroyed.
  ///
  /// What is registered then is judged at once, or, where the hook of the class tells of it, when the
  /// object's other properties are gone as well.
  func subjectDied() {
    let mustExplain = count > 0 || Recorder.shared.isRecording
    let stack = mustExplain ? Recorder.shared.captureStack() : .none
    if record.postpone(.init(subject: self, stack: stack)) { return }
    finishDying(at: stack)
    // An object that is watched is not done yet: the hook of its class says when.
    guard !record.isWatched else { return }
    ObjectTable.shared.forget(record)
    Recorder.shared.record(.deinitEnd(record.ref))
  }

  /// The object is gone: what is still registered on it ends, and is reported.
  func finishDying(at stack: StackID) {
    let isFirstWord = record.beginDying()
    let end = machine.withLock { $0.die(at: Evidence(stack: stack)) }
    if isFirstWord { Recorder.shared.record(.deinit(record.ref), order: end.order, stack: stack) }
    for observation in end.ended {
      Recorder.shared.record(.cancel(observation.id, by: .subject), order: end.order, stack: stack)
    }
    finish(end)
  }

  /// What remains to do for registrations that ended, without the lock.
  private func finish(_ end: SubjectStateMachine.End) {
    for observation in end.ended {
      observation.observer?.observesNoMore(observation.id)
      observation.chain?.detachAll(of: observation)
    }
    LiveMonitor.shared.report(end.verdicts)
  }

  // MARK: Delivering

  /// Tells the observer of a change, if the registration is still there and the observer alive.
  ///
  /// - Parameters:
  ///   - observation: a registration on this object.
  ///   - subject: this object.
  ///   - phase: which of its notifications it is.
  ///   - change: the number of the change, nil for the initial notification.
  ///   - value: makes what the observer is told. Called before the delivery is claimed.
  func deliver(
    _ observation: Observation,
    to subject: AnyObject,
    phase: Delivery.Phase,
    change: ChangeID?,
    value: Observation.Change
  ) {
    // Held until the callback is done: an observer does not die under its own callback.
    let observer = observation.observer?.object
    if let record = observation.observer, observer == nil {
      if !record.isWatched { ObserverDeath.noticedLate(record) }
      return
    }
    let id = observation.id
    let thread = Recorder.currentThread
    let isInitial = phase == .initial
    let claim = machine.withLock { machine in
      machine.claim(id, on: thread, isInitial: isInitial).map {
        (order: $0, depth: machine.depth(of: id, on: thread))
      }
    }
    guard let order = claim?.order else { return }
    var delivery = Delivery(registration: id, change: change, phase: phase)
    let isTooDeep = ReentrantDelivery.isTooDeep(claim?.depth ?? 0)
    let stack = isTooDeep ? Recorder.shared.captureStack() : .none
    Recorder.shared.record(delivery, isEnd: false, order: order, stack: stack)
    if isTooDeep { reportReentrance(observation, at: Evidence(stack: stack, order: order)) }
    delivery.isHandled = observation.deliver(subject, observer, value)
    let (endOrder, gates) = machine.withLock {
      $0.finishDelivery(id, on: thread, isInitial: isInitial)
    }
    for gate in gates { gate.open() }
    if delivery.isHandled == false {
      let notified = Evidence(order: order)
      reportUnhandled(observation, delivery, notified: notified, order: endOrder)
    } else {
      Recorder.shared.record(delivery, isEnd: true, order: endOrder)
    }
    withExtendedLifetime(observer) {}
  }

  private func reportReentrance(_ observation: Observation, at evidence: Evidence) {
    let registered = machine.withLock { $0.evidence(of: observation.id) }
    let verdict = ReentrantDelivery.verdict(
      of: observation.registration,
      at: evidence,
      registered: registered
    )
    LiveMonitor.shared.report([verdict])
  }

  private func reportUnhandled(
    _ observation: Observation,
    _ delivery: Delivery,
    notified: Evidence,
    order: UInt64
  ) {
    let stack = Recorder.shared.captureStack()
    Recorder.shared.record(delivery, isEnd: true, order: order, stack: stack)
    let registered = machine.withLock { $0.evidence(of: observation.id) }
    let verdict = Verdict.unhandled(
      observation.registration,
      at: Evidence(stack: stack, order: order),
      notified: notified,
      registered: registered
    )
    LiveMonitor.shared.report([verdict])
  }

  /// The links that listen to `key` of this object.
  func links(to key: StringID) -> [ObservationLink] { machine.withLock { $0.links(to: key) } }

  /// The next place among the events of this object.
  func nextOrder() -> UInt64 { machine.withLock { $0.nextOrder() } }

  /// Returns when no delivery of `id` is running on another thread.
  func waitForDeliveries(of id: RegistrationID) {
    let thread = Recorder.currentThread
    while let gate = machine.withLock({ $0.wait(for: id, on: thread) }) { gate.wait() }
  }

  // MARK: Deep paths

  func attach(_ link: ObservationLink) -> Bool { machine.withLock { $0.attach(link) } }

  func detach(_ id: RegistrationID, depth: Int, key: StringID) -> Bool {
    machine.withLock { $0.detach(id, depth: depth, key: key) }
  }

  /// Reports an add or a removal that is not carried out.
  func refuse(_ registration: Registration, reason: RefusalReason, part: String) {
    let stack = Recorder.shared.captureStack()
    let order = nextOrder()
    let part = Recorder.shared.id(of: part)
    Recorder.shared.record(
      .refused(registration, reason: reason, part: part),
      order: order,
      stack: stack
    )
    let evidence = Evidence(stack: stack, site: registration.site, order: order)
    LiveMonitor.shared.report([
      .refused(registration, reason: reason, part: part, at: evidence)
    ])
  }

  // MARK: Looking

  func contains(_ id: RegistrationID) -> Bool { machine.withLock { $0.contains(id) } }

  var count: Int { machine.withLock { $0.count } }

  var registrations: [Registration] { machine.withLock { $0.registrations } }
}
