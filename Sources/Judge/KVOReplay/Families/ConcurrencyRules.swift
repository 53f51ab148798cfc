import KVORules
import KVOTrace

/// Changes and removals that overlap what another thread, or another library, does to the same object, and actions
/// under a lock (KVO024 to KVO026 and KVO030).
///
/// Needs both halves of changes, additions, removals and their ends, callbacks, the beginnings of deallocations, locks
/// and changes of classes.
struct ConcurrencyRules: Sendable {
  /// How many threads are remembered that took part in one deallocation.
  private static let otherThreadLimit = 16

  private var locks = HeldLocks()
  private var removals = OpenRemovals()
  private var overlaps = OverlappingChanges()
  private var classes = ObjectClasses()

  /// Whether no lock is held, and no overlap of changes waits for one to end.
  var isQuiet: Bool { locks.isEmpty && overlaps.isEmpty }

  /// Whether a verdict waits for the end of what began first.
  var isWaiting: Bool { !overlaps.isEmpty || removals.isWaiting }

  var classCount: Int { classes.count }
  /// Whether the log records the ends of removals.
  var hasEndsOfRemovals: Bool { removals.hasEnds }

  mutating func lock(_ lock: LockID, _ evidence: Evidence, _ thread: Int) {
    locks.lock(lock, on: thread, at: evidence)
  }

  mutating func unlock(_ lock: LockID, _ thread: Int) { locks.unlock(lock, on: thread) }

  /// The class of an object was changed.
  mutating func change(
    _ object: ObjectRef,
    to name: StringID,
    isKVOSubclass: Bool,
    _ evidence: Evidence,
    _ log: inout ReplayState
  ) {
    log.classChangeCount += 1
    // One that is not named as such is that of the class which the object had.
    if isKVOSubclass, !log.classNames.isNotifying(name) { return }
    classes.change(
      object.id,
      ObjectClasses.Changed(
        to: name,
        isKVOSubclass: isKVOSubclass,
        changed: evidence.as(.changed),
        number: log.classChangeCount
      )
    )
  }

  /// The object was deallocated.
  mutating func forget(_ object: ObjectID) {
    if !classes.isEmpty { classes.forget(object) }
  }

  /// Events are missing: locks may have been released, removals have ended, and classes have changed.
  mutating func lose(_ log: inout ReplayState) {
    if !locks.isEmpty { log.losses.rules.insert(.callbackUnderLock) }
    locks = HeldLocks()
    if removals.hasEnds, !removals.isEmpty { log.losses.rules.insert(.concurrentRemoval) }
    log.verdicts += removals.forget()
    log.verdicts += overlaps.lose()
    if !classes.isEmpty { log.losses.rules.insert(.classChangedUnderObservation) }
    classes = ObjectClasses()
  }

  mutating func finish(_ log: inout ReplayState) {
    log.verdicts += overlaps.finish()
    log.verdicts += removals.finish()
  }

  // MARK: - KVO026

  /// An action on the registration at `slot`, during which the thread may hold a lock.
  @inline(__always)
  mutating func judge(
    _ act: Verdict.Act,
    _ slot: Int,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    if !locks.isEmpty { judgeLock(slot, act, evidence, thread, &log) }
  }

  /// A program removed the registration at `slot`.
  mutating func removed(
    _ slot: Int,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    judge(.removal, slot, evidence, thread, &log)
    if !classes.isEmpty { judgeClass(slot, evidence, &log) }
  }

  /// KVO026: the thread holds a lock.
  mutating func judgeLock(
    _ slot: Int,
    _ act: Verdict.Act,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    guard let held = locks.newest(of: thread) else { return }
    log.verdicts.append(
      .underLock(
        held,
        act,
        of: log.ledger.slots[slot].registration,
        at: evidence,
        registered: log.ledger.slots[slot].registered,
        confidence: log.droppedAt == nil ? .high : .low
      )
    )
  }

  // MARK: - KVO024

  /// A change begins: another thread may be in one of the same value.
  @inline(__always)
  mutating func begin(
    _ change: Change,
    _ evidence: Evidence,
    at moment: Moment,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    if log.threads.busy.isEmpty || (log.threads.busy.count == 1 && log.threads.busy[0] == thread) {
      return
    }
    compareWithOtherThreads(change, evidence, at: moment, thread, &log)
  }

  private mutating func compareWithOtherThreads(
    _ change: Change,
    _ evidence: Evidence,
    at moment: Moment,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    var related: Set<StringID>?
    for other in log.threads.busy where other != thread && !log.threads[other].brackets.isEmpty {
      if related == nil {
        let className = log.classNames.observed(change.subject.className)
        related = log.dependencies.related(to: change.key, in: className)
      }
      let open = log.threads[other].brackets.open(of: change.subject.id) {
        $0 == change.key || related?.contains($0) == true
      }
      guard let open else { continue }
      let proof = [evidence, open.began.as(.changed)]
      log.verdicts += overlaps.found(
        Verdict(
          .concurrentChange,
          subject: change.subject,
          keyPath: change.key,
          evidence: proof,
          detail: .otherKey(open.change.key),
          confidence: log.droppedAt == nil ? Confidence(comparing: proof) : .low
        ),
        at: moment
      )
      return
    }
  }

  /// A change ends.
  @inline(__always)
  mutating func end(
    _ began: Evidence,
    _ evidence: Evidence,
    at moment: Moment,
    _ log: inout ReplayState
  ) {
    if !overlaps.isEmpty { log.verdicts += overlaps.end(began, at: evidence, moment) }
  }

  // MARK: - KVO025

  /// A removal by name begins, which matched the registration at `slot`, or none (-1).
  mutating func begin(
    _ removal: Removal,
    _ slot: Int,
    _ evidence: Evidence,
    at moment: Moment,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    let registered = slot >= 0 ? log.ledger.slots[slot].registered.event : -1
    let context =
      slot >= 0 ? log.ledger.slots[slot].registration.context.asAdded : removal.context
    if !removals.isEmpty,
      let other = removals.overlapping(removal, context, slot, registered: registered, on: thread)
    {
      let verdict = Self.overlap(
        .removal,
        removal,
        slot >= 0 ? slot : other.slot,
        [evidence.as(.failed), other.began.as(.removed)],
        &log
      )
      log.verdicts += removals.found(verdict, during: other.began, at: moment)
    }
    if !log.deallocations.isEmpty, slot >= 0,
      let deallocation = log.deallocations[removal.subject.id], !deallocation.isOver,
      !deallocation.isOn(evidence.thread),
      log.saysThread(of: deallocation.began), evidence.thread != nil,
      !Self.isOfDeinit(removal.subject.id, since: deallocation.began, log.threads[thread], log)
    {
      let proof = [evidence.as(.failed), deallocation.began]
      let verdict = Self.overlap(.deallocation, removal, slot, proof, &log)
      log.verdicts.append(verdict)
    }
    removals.begin(removal, context, slot, registered: registered, on: thread, at: evidence)
  }

  /// Whether the object's own deinit removes, which may run on another thread than the one that released the object.
  ///
  /// It does if the thread is in a change or a callback of the object that began after the deallocation.
  private static func isOfDeinit(
    _ object: ObjectID,
    since deallocation: Evidence,
    _ thread: ThreadTable.Thread,
    _ log: ReplayState
  ) -> Bool {
    let change = thread.brackets.open(of: object, where: { _ in true })
    if let change, change.began.event > deallocation.event { return true }
    return thread.callbacks.contains { callback in
      callback.slot >= 0 && callback.began.event > deallocation.event
        && log.ledger.slots[callback.slot].registration.subject.id == object
    }
  }

  /// A removal ends.
  mutating func end(
    _ removal: Removal,
    at moment: Moment,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    let found = removals.end(removal, on: thread, at: moment)
    // Appending nothing to nothing would allocate.
    if !found.isEmpty { log.verdicts += found }
  }

  mutating func beginDeallocation(
    of object: ObjectID,
    _ evidence: Evidence,
    at moment: Moment,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) {
    let deallocation = Self.deallocation(
      beganAt: evidence.as(.deallocated),
      after: log.deallocations[object]
    )
    log.deallocations.set(object, deallocation)
    if removals.isEmpty || !log.saysThread(of: evidence) { return }
    for open in removals.removals(on: object, notOn: target.thread)
    where open.slot >= 0 && !deallocation.isOn(open.began.thread) {
      let verdict = Self.overlap(
        .deallocation,
        open.removal,
        open.slot,
        [open.began.as(.failed), evidence.as(.deallocated)],
        &log
      )
      log.verdicts += removals.found(verdict, during: open.began, at: moment)
    }
  }

  /// A deallocation that begins, or is found by another thread: the first one with a stack is the evidence.
  private static func deallocation(
    beganAt evidence: Evidence,
    after earlier: ReplayState.Deallocation?
  ) -> ReplayState.Deallocation {
    guard let earlier, !earlier.isOver else { return ReplayState.Deallocation(began: evidence) }
    var deallocation = earlier
    if earlier.began.stack == .none, evidence.stack != .none {
      deallocation.began = evidence
      deallocation.others.append(earlier.began)
    } else if !earlier.isOn(evidence.thread), earlier.others.count < otherThreadLimit {
      deallocation.others.append(evidence)
    }
    return deallocation
  }

  /// Whether ``goOn(with:_:)`` has to be called for every event.
  var hasUnmatchedRemovals: Bool { removals.hasUnmatched }

  /// A thread does something: a removal that matched nothing runs no code of the program, and so it is over, even if it
  /// raised an exception.
  mutating func goOn(with event: UnsafePointer<Event>, _ thread: Int, _ log: inout ReplayState) {
    if case .removeEnd = event.pointee.body { return }
    if !event.pointee.body.isBookkeeping { goOn(thread, &log) }
  }

  /// As ``goOn(with:_:)``, by an event that is neither the end of a removal nor about the log.
  mutating func goOn(_ thread: Int, _ log: inout ReplayState) {
    log.verdicts += removals.endUnmatched(on: thread)
  }

  private static func overlap(
    _ overlap: Verdict.Overlap,
    _ removal: Removal,
    _ slot: Int,
    _ proof: [Evidence],
    _ log: inout ReplayState
  ) -> Verdict {
    let registered = slot >= 0 ? [log.ledger.slots[slot].registered] : []
    return Verdict(
      .concurrentRemoval,
      subject: removal.subject,
      observer: removal.observer,
      keyPath: removal.keyPath,
      context: removal.context,
      registration: slot >= 0 ? log.ledger.slots[slot].registration.id : removal.registration,
      evidence: proof + registered,
      detail: .overlap(overlap),
      confidence: log.droppedAt == nil ? Confidence(comparing: proof) : .low
    )
  }

  // MARK: - KVO030

  /// The registration at `slot` was removed.
  private mutating func judgeClass(_ slot: Int, _ evidence: Evidence, _ log: inout ReplayState) {
    let registration = log.ledger.slots[slot].registration
    let registered = log.ledger.slots[slot].registered
    let difference = classes.difference(
      since: log.origins[slot].classChangeCount,
      of: registration,
      log.classNames
    )
    guard let difference else { return }
    log.verdicts.append(
      Verdict(
        .classChangedUnderObservation,
        of: registration,
        [evidence.as(.failed), difference.last.changed, registered],
        .classes(from: difference.from, to: difference.last.to)
      )
    )
  }
}
