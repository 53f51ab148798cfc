internal import KVORecorder
internal import KVORules
internal import KVOTrace
internal import Synchronization

/// The registrations on one object: runs `SubjectStateMachine` under a lock, and acts on what it
/// returns when the lock is given back.
///
/// The timeline of a registration:
/// 1. `add`, under the lock: it is in the table; every change from here on is delivered to it.
/// 2. A delivery is claimed in its cell and begins. User code runs, with no lock held.
/// 3. It is finished; who waits for that is let go.
/// 4. `remove`, `cancel` or `subjectDied`, under the lock: it is out of the table and its cell is
///    closed; nothing is claimed any more.
///
/// While something records, claims are made under the lock as well, so that their `order` and that of
/// removals say what happened first.
@usableFromInline
final class SubjectStorage: Sendable {
  let record: ObjectRecord
  /// The keys of the object's class.
  let keys: ObservableKeyTable
  // State:
  // - `machine`, under its own lock. No other lock is taken and nothing is called under it.
  // - `published`: written under that lock, read without it; see there.
  // - `lastOrder`: what the lock makes true takes its number under the lock; other events of the object
  //   take theirs without. relaxed: the number is all that is exchanged. Above the number it holds how many
  //   recorded changes are open, and whether two threads' changes overlap: see `SubjectStorage+Overlaps`.
  private let machine: GuardedState<SubjectStateMachine>
  let published = PublishedKeys()
  let lastOrder = Atomic<UInt64>(0)

  init(record: ObjectRecord, keys: ObservableKeyTable) {
    self.record = record
    self.keys = keys
    machine = GuardedState(
      SubjectStateMachine(
        historyCapacity: KVO.historyCapacity,
        hasManualKeys: keys.hasManualKeys
      )
    )
    if keys.hasManualKeys { machine.withLock { $0.publishMasks(in: published) } }
  }

  deinit { machine.withLock { $0.deallocateCells() } }

  // MARK: Registering

  /// Puts the observation into the table and records that.
  ///
  /// - Parameters:
  ///   - observation: what is added.
  ///   - stack: where.
  ///   - isFinished: whether nothing of the addition remains to be done, such as an initial delivery; else
  ///     ``finishAdding(_:)`` follows.
  func add(_ observation: Observation, stack: StackID, isFinished: Bool = false) {
    add(.passRetained(observation), observation.registration, stack, isFinished: isFinished)
    observation.observer?.observes(observation.id, in: self)
  }

  /// The same, and takes over a reference to the observation; its observer is not told what it observes.
  ///
  /// When it returns another thread may have ended the observation.
  ///
  /// - Returns: where its deliveries are claimed.
  @discardableResult
  func add(
    _ observation: Unmanaged<Observation>,
    _ registration: Registration,
    _ stack: StackID,
    isFinished: Bool
  ) -> DeliveryCellReference {
    var verdicts: [Verdict] = []
    let (cell, order, orderOfEnd, isRecording) = machine.withLock { machine in
      // Asked under the lock: a log that begins finds the registration, or is told of it.
      let isRecording = Recorder.shared.isRecording
      let order = nextOrder()
      let evidence = Evidence(stack: stack, site: registration.site, order: order)
      let cell = machine.add(
        observation,
        at: evidence,
        isFinished: isFinished,
        in: published,
        &verdicts
      )
      return (cell, order, isFinished && isRecording ? nextOrder() : 0, isRecording)
    }
    if isRecording {
      Recorder.shared.record(.register(registration), order: order, stack: stack)
      if isFinished, let id = registration.id {
        Recorder.shared.record(.registerEnd(id), order: orderOfEnd)
      }
    }
    if !verdicts.isEmpty { LiveMonitor.shared.report(verdicts) }
    if NotedLocks.areHeld {
      let evidence = Evidence(stack: stack, site: registration.site, order: order)
      NotedLocks.judge(.addition, of: registration, at: evidence)
    }
    return cell
  }

  /// The initial delivery of an addition is done.
  func finishAdding(_ observation: Observation) {
    let isRecording = Recorder.shared.isRecording
    let order = machine.withLock { machine in
      machine.finishAdding(observation.id)
      return isRecording ? nextOrder() : 0
    }
    if isRecording { Recorder.shared.record(.registerEnd(observation.id), order: order) }
  }

  // MARK: Ending

  /// Removes by name; what matches nothing is swallowed and reported.
  func remove(_ removal: Removal) {
    let stack = Recorder.shared.captureStack()
    var evidence = Evidence(stack: stack, site: removal.site)
    let before = NotedLocks.areHeld ? self.registered : []
    let (end, matched) = machine.withLock { machine in
      let order = nextOrder()
      evidence.order = order
      return machine.remove(removal, order: order, at: evidence, in: published)
    }
    var removal = removal
    removal.registration = matched
    removal.isUnmatched = matched == nil
    Recorder.shared.record(.remove(removal), order: end.order, stack: stack)
    if let observation = end.ended { letGo(of: observation) }
    NotedLocks.judgeRemoval(of: before.first { $0.registration.id == matched }, at: evidence)
    LiveMonitor.shared.report(end.verdicts)
    Recorder.shared.record(.removeEnd(removal))
  }

  /// Ends a registration by token, controller, or in place of somebody who died.
  func cancel(_ id: RegistrationID, by cause: CancelCause, stack: StackID? = nil) {
    // Asked under the lock, as when it was added: a log that begins finds the registration gone, or is told
    // of its end.
    let dropped = machine.withLock { machine in
      Recorder.shared.isRecording ? nil : machine.drop(id, by: cause, in: published)
    }
    if let dropped {
      letGo(ofHeld: dropped)
    } else {
      cancel(id, by: cause, at: stack ?? Recorder.shared.captureStack())
    }
  }

  /// The same where the end is recorded or judged, with where it was made.
  private func cancel(_ id: RegistrationID, by cause: CancelCause, at stack: StackID) {
    var verdicts: [Verdict] = []
    var order: UInt64 = 0
    var isRecording = false
    let isJudged = cause == .user || cause == .owner || cause == .token
    let before = isJudged && NotedLocks.areHeld ? self.registered : []
    let ended: Unmanaged<Observation>? = machine.withLock { machine in
      // One that has ended takes no place, which would be missed in the log.
      guard machine.contains(id) else { return nil }
      order = nextOrder()
      isRecording = Recorder.shared.isRecording
      let evidence = Evidence(stack: stack, order: order)
      return machine.cancel(id, by: cause, at: evidence, in: published, &verdicts)
    }
    guard let ended else { return }
    if isRecording {
      Recorder.shared.record(.cancel(id, by: cause), order: order, stack: stack)
    }
    letGo(ofHeld: ended)
    if !before.isEmpty {
      let evidence = Evidence(stack: stack, order: order)
      NotedLocks.judgeRemoval(of: before.first { $0.registration.id == id }, at: evidence)
    }
    LiveMonitor.shared.report(verdicts)
  }

  /// Who ends a registration when its observer dies: the observer of the classic form should have
  /// removed it, the owner of a controller or a stream takes its registrations along.
  func causeAtObserverDeath(of id: RegistrationID) -> CancelCause {
    let form = machine.withLock { $0.registration(id)?.form }
    return form == .controller || form == .stream ? .owner : .observer
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
    endStreams(at: stack)
    BoundTokens.shared.release(boundTo: record.ref.id)
    let interrupted = observationsThroughHere
    let isFirstWord = record.beginDying()
    record.subject = nil
    var evidence = Evidence(stack: stack)
    let (order, end) = machine.withLock { machine in
      let order = nextOrder()
      evidence.order = order
      let end = machine.die(at: evidence, in: published)
      return (order, end)
    }
    if isFirstWord { Recorder.shared.record(.deinit(record.ref), order: order, stack: stack) }
    for observation in end.ended {
      Recorder.shared.record(.cancel(observation.id, by: .subject), order: order, stack: stack)
    }
    for observation in end.ended { letGo(of: observation) }
    LiveMonitor.shared.report(end.verdicts)
    noteDeath(on: interrupted)
  }

  /// What remains to do for a registration that ended, without the lock, with the reference to it.
  private func letGo(ofHeld observation: Unmanaged<Observation>) {
    observation._withUnsafeGuaranteedRef { letGo(of: $0) }
    // Perhaps the last reference, which nobody may give up under the lock.
    observation.release()
  }

  /// What remains to do for a registration that ended, without the lock.
  private func letGo(of observation: Observation) {
    observation.observer?.observesNoMore(observation.id)
    observation.tree?.detachAll(of: observation)
    observation.didEnd?()
  }

  // MARK: Delivering

  /// Claims a delivery for the calling thread.
  ///
  /// While something records the claim is made under the lock.
  ///
  /// - Returns: its place among the events of the object, 0 where nothing records; nil where the
  ///   registration has ended.
  func claim(_ observation: Observation, isInitial: Bool) -> UInt64? {
    guard let cell = observation.cell else { return nil }
    var aftermath: DeliveryCell.Aftermath = []
    let order: UInt64?
    if isInitial || Recorder.shared.isRecording {
      order = machine.withLock { machine in
        guard isClaimed(cell, by: observation, &aftermath) else { return nil }
        let order = nextOrder()
        if isInitial { machine.beginInitial(observation.id, at: Evidence(order: order)) }
        return order
      }
    } else {
      order = isClaimed(cell, by: observation, &aftermath) ? 0 : nil
    }
    settle(cell, aftermath)
    return order
  }

  /// The place of a delivery that is claimed among the events of the object, for the log, which says what
  /// came first, the claim or a removal; nil where the registration has ended since the claim.
  func orderOfClaim(in cell: DeliveryCellReference) -> UInt64? {
    machine.withLock { _ in cell.pointer.pointee.isLive ? nextOrder() : nil }
  }

  /// Claims a delivery of `observation`; false where its registration has ended.
  func isClaimed(
    _ cell: DeliveryCellReference,
    by observation: Observation,
    _ aftermath: inout DeliveryCell.Aftermath
  ) -> Bool {
    guard cell.pointer.pointee.claim(&aftermath) else { return false }
    let found = cell.pointer.pointee.observation?.toOpaque()
    if found == Unmanaged.passUnretained(observation).toOpaque() { return true }
    aftermath = cell.pointer.pointee.finish()
    return false
  }

  /// Ends a delivery.
  func finish(_ cell: DeliveryCellReference) { settle(cell, cell.pointer.pointee.finish()) }

  /// Does what a finished delivery left to be done.
  @inline(__always)
  func settle(_ cell: DeliveryCellReference, _ aftermath: DeliveryCell.Aftermath) {
    if !aftermath.isEmpty { settle(cell) }
  }

  @inline(never)
  private func settle(_ cell: DeliveryCellReference) {
    let (released, gates) = machine.withLock { $0.settle(cell) }
    for gate in gates { gate.open() }
    released?.release()
  }

  /// The initial delivery of a registration has returned.
  func endInitial(_ id: RegistrationID) { machine.withLock { $0.endInitial(id) } }

  /// The links that listen to `key` of this object.
  func links(to key: StringID) -> [ObservationLink] {
    guard published.mayListen(to: key) else { return [] }
    return machine.withLock { $0.links(to: key) }
  }

  /// The next place among the events of this object.
  func nextOrder() -> UInt64 {
    OrderWord(lastOrder.wrappingAdd(1, ordering: .relaxed).newValue).order
  }

  /// Returns when no delivery of the registration is running on another thread.
  func waitForDeliveries(of id: RegistrationID, in cell: DeliveryCellReference) {
    let depth = cell.depthOnThisThread
    while let gate = machine.withLock({ $0.wait(for: id, in: cell, depth: depth) }) { gate.wait() }
  }

  // MARK: Listening

  func attach(_ link: ObservationLink) -> Bool {
    machine.withLock { machine in
      defer { machine.publish(link.key, in: published) }
      return machine.attach(link)
    }
  }

  func detach(_ id: RegistrationID, number: Int32, key: StringID) -> Bool {
    machine.withLock { machine in
      defer { machine.publish(key, in: published) }
      return machine.detach(id, number: number, key: key)
    }
  }

  /// A change that covers what setters say inside it begins (1) or ends (-1): until its end every change of
  /// the object goes the longer way, which knows what a setter inside it may not tell.
  func noteCoveringChange(_ step: Int) {
    machine.withLock { machine in
      machine.noteCoveringChange(step)
      machine.publishMasks(in: published)
    }
  }

  /// Reports an add, a removal or a change that is not carried out.
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

  /// The links on this object of observations that were made on others.
  var linksOfOthers: [ObservationLink] {
    machine.withLock { $0.linksOfOthers }
  }

  /// Where the registration was made.
  func evidence(of id: RegistrationID) -> Evidence? { machine.withLock { $0.evidence(of: id) } }

  /// Where the observations are that the object keeps alive.
  ///
  /// Holds none of them for longer than the lock: whoever walks references releases nothing.
  var keptAddresses: [UInt] {
    machine.withLock { machine in
      Array(Set(machine.kept.map { ObjectTable.address(of: $0) })).sorted()
    }
  }

  /// Where the observation is, or nil where it has ended; likewise.
  func address(of id: RegistrationID) -> UInt? {
    machine.withLock { machine in machine.observation(id).map { ObjectTable.address(of: $0) } }
  }

  /// The observation, or nil where it has ended.
  func observation(_ id: RegistrationID) -> Observation? { machine.withLock { $0.observation(id) } }

  /// What is registered, oldest first, with where it was.
  var registered: [(registration: Registration, registered: Evidence)] {
    machine.withLock { $0.registrationsWithEvidence }
  }

  var count: Int { machine.withLock { $0.count } }

  var registrations: [Registration] { machine.withLock { $0.registrations } }
}
