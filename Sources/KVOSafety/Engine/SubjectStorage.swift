internal import KVORecorder
internal import KVORules
internal import KVOTrace
internal import Synchronization

/// The registrations on one object: runs `SubjectStateMachine` under a lock, and acts on its result after unlocking.
///
/// The timeline of a registration:
/// 1. `add`, under the lock: it is in the table; every change from here on is delivered to it.
/// 2. A delivery is claimed in its cell and begins. User code runs, with no lock held.
/// 3. The delivery finishes; threads that wait for that go on.
/// 4. `remove`, `cancel` or `subjectDeallocated`, under the lock: it is out of the table and its cell is
///    closed; nothing is claimed any more.
///
/// While something records, claims are made under the lock as well, so that their `order` and that of removals show
/// which came first.
@usableFromInline
final class SubjectStorage: Sendable {
  let record: ObjectRecord
  /// The keys of the object's class.
  let keys: ObservableKeyTable
  // State:
  // - `machine`, under its own lock. No other lock is taken and nothing is called under it.
  // - `published`: written under that lock, read without it; see there.
  // - `lastOrder`: events that the lock orders take their number under it; other events of the object take theirs
  //   without. relaxed: no other data is published with the number. Above the number it holds how many recorded changes
  //   are open, and whether two threads' changes overlap: see `SubjectStorage+Overlaps`.
  private let machine: GuardedState<SubjectStateMachine>
  let published = PublishedKeys()
  // - `isOver`: whether the object is deallocated. relaxed: nothing else is published with it.
  let lastOrder = Atomic<UInt64>(0)
  private let isOver = Atomic<Bool>(false)

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
  ///   - stack: the stack of the call.
  ///   - isFinished: whether nothing of the addition remains to be done, such as an initial delivery; else
  ///     ``finishAdding(_:)`` follows.
  func add(_ observation: Observation, stack: StackID, isFinished: Bool = false) {
    // First: another thread may end it as soon as it is in the table.
    observation.observer?.observes(observation.id, in: self)
    add(.passRetained(observation), observation.registration, stack, isFinished: isFinished)
  }

  /// The same, but takes over a reference to the observation; the observer's record does not note the observed object.
  ///
  /// When it returns, another thread may already have ended the observation.
  ///
  /// - Returns: the cell in which its deliveries are claimed.
  @discardableResult
  func add(
    _ observation: Unmanaged<Observation>,
    _ registration: Registration,
    _ stack: StackID,
    isFinished: Bool
  ) -> DeliveryCellReference {
    var verdicts: [Verdict] = []
    let (cell, order, orderOfEnd, isRecording) = machine.withLock { machine in
      // Checked under the lock: a log that begins now either finds the registration or receives its event.
      let isRecording = isRecorded
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
        log(.registerEnd(id), order: orderOfEnd)
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
    let isRecording = isRecorded
    let order = machine.withLock { machine in
      machine.finishAdding(observation.id)
      return isRecording ? nextOrder() : 0
    }
    if isRecording { log(.registerEnd(observation.id), order: order) }
  }

  // MARK: Ending

  /// Removes by name; a removal that matches nothing is ignored and reported.
  func remove(_ removal: Removal) {
    ObserverDeallocation.removes(from: record)
    let stack = Recorder.shared.captureStack(of: record.ref.id)
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

  /// Ends a registration by token or controller, or for an observer or owner that was deallocated.
  func cancel(_ id: RegistrationID, by cause: CancelCause, stack: StackID? = nil) {
    // Checked under the lock, as for the addition: a log that begins now either finds the registration gone or receives
    // the event of its end.
    let dropped = machine.withLock { isRecorded ? nil : $0.drop(id, by: cause, in: published) }
    if let dropped {
      letGo(ofHeld: dropped)
    } else {
      cancel(id, by: cause, at: stack ?? Recorder.shared.captureStack(of: record.ref.id))
    }
  }

  /// The same if the end is recorded or judged, with the stack of the call.
  private func cancel(_ id: RegistrationID, by cause: CancelCause, at stack: StackID) {
    var verdicts: [Verdict] = []
    var order: UInt64 = 0
    var isRecording = false
    let isJudged = cause == .user || cause == .owner || cause == .token
    let before = isJudged && NotedLocks.areHeld ? self.registered : []
    let ended: Unmanaged<Observation>? = machine.withLock { machine in
      // A registration that has ended takes no number, which would be missing in the log.
      guard machine.contains(id) else { return nil }
      order = nextOrder()
      isRecording = isRecorded
      let evidence = Evidence(stack: stack, order: order)
      return machine.cancel(id, by: cause, at: evidence, in: published, &verdicts)
    }
    guard let ended else { return }
    if isRecording {
      log(.cancel(id, by: cause), order: order, stack: stack)
    }
    letGo(ofHeld: ended)
    if !before.isEmpty {
      let evidence = Evidence(stack: stack, order: order)
      NotedLocks.judgeRemoval(of: before.first { $0.registration.id == id }, at: evidence)
    }
    LiveMonitor.shared.report(verdicts)
  }

  /// The cause that ends a registration when its observer is deallocated: the observer of the
  /// classic form should have removed it, the owner of a controller or a stream ends its
  /// registrations with itself.
  func causeAtObserverDeallocation(of id: RegistrationID) -> CancelCause {
    let form = machine.withLock { $0.registration(id)?.form }
    return form == .controller || form == .stream ? .owner : .observer
  }

  /// The object is being deallocated: its registrar was destroyed.
  ///
  /// Its registrations are judged at once or, if the hook of the class reports the deallocation, after the object's
  /// other properties have been destroyed.
  func subjectDeallocated() {
    let mustExplain = count > 0 || isRecorded
    let stack = mustExplain ? Recorder.shared.captureStack(of: record.ref.id) : .none
    if record.postpone(.init(subject: self, stack: stack)) { return }
    finishDeallocation(at: stack)
    // The deallocation of a watched object has not finished: the hook of its class reports when it has.
    guard !record.isWatched else { return }
    ObjectTable.shared.forget(record)
    Recorder.shared.record(.deinitEnd(record.ref))
  }

  /// The object is deallocated: its remaining registrations end, and are reported.
  func finishDeallocation(at stack: StackID) {
    endIntended(at: stack)
    BoundTokens.shared.release(boundTo: record.ref.id)
    let interrupted = observationsThroughHere
    let isFirst = record.beginDeinit()
    record.subject = nil
    isOver.store(true, ordering: .relaxed)
    var evidence = Evidence(stack: stack)
    let (order, end) = machine.withLock { machine in
      let order = nextOrder()
      evidence.order = order
      let end = machine.deallocate(at: evidence, in: published)
      return (order, end)
    }
    if isFirst { Recorder.shared.record(.deinit(record.ref), order: order, stack: stack) }
    for observation in end.ended {
      log(.cancel(observation.id, by: .subject), order: order, stack: stack)
    }
    for observation in end.ended { letGo(of: observation) }
    LiveMonitor.shared.report(end.verdicts)
    noteDeallocation(on: interrupted)
  }

  /// Does what remains for a registration that ended, without the lock, and releases the reference to it.
  private func letGo(ofHeld observation: Unmanaged<Observation>) {
    observation._withUnsafeGuaranteedRef { letGo(of: $0) }
    // Possibly the last reference, which must not be released under the lock.
    observation.release()
  }

  /// Does what remains for a registration that ended, without the lock.
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
  /// - Returns: its position among the events of the object, 0 if nothing records; nil if the
  ///   registration has ended.
  func claim(_ observation: Observation, isInitial: Bool) -> UInt64? {
    guard let cell = observation.cell else { return nil }
    var aftermath: DeliveryCell.Aftermath = []
    let order: UInt64?
    if isInitial || isRecorded {
      order = machine.withLock { machine in
        guard claim(cell, by: observation, &aftermath) else { return nil }
        let order = nextOrder()
        if isInitial { machine.beginInitial(observation.id, at: Evidence(order: order)) }
        return order
      }
    } else {
      order = claim(cell, by: observation, &aftermath) ? 0 : nil
    }
    settle(cell, aftermath)
    return order
  }

  /// The position of a claimed delivery among the events of the object, for the log, which says
  /// whether the claim or a removal came first; nil if the registration has ended since the claim.
  func orderOfClaim(in cell: DeliveryCellReference) -> UInt64? {
    machine.withLock { _ in cell.pointer.pointee.isLive ? nextOrder() : nil }
  }

  /// Claims a delivery of `observation`; false if its registration has ended.
  func claim(
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

  /// Does the work that a finished delivery left.
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

  /// The next position among the events of this object.
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
    machine.withLock { $0.attach(link, in: published) }
  }

  func detach(_ id: RegistrationID, number: Int32, key: StringID) -> Bool {
    machine.withLock { $0.detach(id, number: number, key: key, in: published) }
  }

  /// A change that covers the notifications of setters inside it begins (1) or ends (-1).
  ///
  /// Until its end every change of the object takes the slow path, which knows which setters must not notify.
  func noteCoveringChange(_ step: Int) {
    machine.withLock { machine in
      machine.noteCoveringChange(step)
      machine.publishMasks(in: published)
    }
  }

  /// An addition by name is refused.
  func noteRefusal(of registration: Registration) {
    machine.withLock { $0.noteRefusal(of: registration) }
  }

  /// Reports an addition, a removal or a change that is refused.
  func refuse(_ registration: Registration, reason: RefusalReason, part: String) {
    let stack = Recorder.shared.captureStack(of: record.ref.id)
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

  /// Whether the object has not been deallocated: no other object has its address.
  var isInUse: Bool { !isOver.load(ordering: .relaxed) }

  func contains(_ id: RegistrationID) -> Bool { machine.withLock { $0.contains(id) } }

  /// The links on this object of observations that are registered on others.
  var linksOfOthers: [ObservationLink] { machine.withLock { $0.linksOfOthers } }

  /// The evidence of the registration.
  func evidence(of id: RegistrationID) -> Evidence? { machine.withLock { $0.evidence(of: id) } }

  /// The addresses of the observations that the object keeps alive.
  ///
  /// Retains none of them beyond the locked section: a reference walk must release nothing.
  var keptAddresses: [UInt] {
    machine.withLock { machine in
      Array(Set(machine.kept.map { ObjectTable.address(of: $0) })).sorted()
    }
  }

  /// The address of the observation, or nil if it has ended; not retained either.
  func address(of id: RegistrationID) -> UInt? {
    machine.withLock { machine in machine.observation(id).map { ObjectTable.address(of: $0) } }
  }

  /// The observation, or nil if it has ended.
  func observation(_ id: RegistrationID) -> Observation? { machine.withLock { $0.observation(id) } }

  /// What is registered, oldest first, each with the evidence of its registration.
  var registered: [(registration: Registration, registered: Evidence)] {
    machine.withLock { $0.registrationsWithEvidence }
  }

  func copy(of id: RegistrationID) -> RegistrationID? { machine.withLock { $0.copy(of: id) } }
  func match(_ removal: Removal) -> RegistrationID? { machine.withLock { $0.match(for: removal) } }

  var count: Int { machine.withLock { $0.count } }

  var registrations: [Registration] { machine.withLock { $0.registrations } }
}
