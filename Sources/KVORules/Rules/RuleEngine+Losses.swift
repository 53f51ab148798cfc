import KVOTrace

// Events that the log lacks: dropped by the recorder, in lines that cannot be read, or in parts that are gone.
//
// Anything may have happened in a loss. What was open before it may be closed, and is forgotten; a
// registration from before it counts again when a later event shows that it is live; and what a removal
// matched is known only where the log says it.
extension RuleEngine {
  /// What a loss leaves unknown.
  struct Losses: Sendable {
    /// The events with which the log first and last said that others are missing.
    fileprivate(set) var first: Int?
    fileprivate(set) var last = 0
    /// The additions before the last loss whose registrations were seen alive after it, by event.
    fileprivate(set) var confirmed: Set<Int> = []
    /// The rules of which something was withheld, or forgotten that they may have needed.
    fileprivate(set) var rules: Set<RuleCode> = []

    /// Whether what `evidence` says may be out of date.
    fileprivate func makeDoubtful(_ evidence: Evidence) -> Bool {
      evidence.event < last && !confirmed.contains(evidence.event)
    }
  }

  /// The event with which the log first said that others are missing.
  var droppedAt: Int? { losses.first }

  /// Why rules were not judged from a loss on that needed more than the absence of an event.
  var whyLost: [(code: RuleCode, why: String)] {
    guard let first = losses.first else { return [] }
    let why = "events were dropped at event \(first), and what they began or ended is not known"
    return losses.rules.map { ($0, why) }
  }

  /// Events are missing here.
  mutating func lose(at evidence: Evidence) {
    if losses.first == nil { losses.first = evidence.event }
    losses.last = evidence.event
    losses.confirmed = []
    forgetThreads()
    if !locks.isEmpty { losses.rules.insert(.callbackUnderLock) }
    locks = HeldLocks()
    if removals.hasEnds, !removals.isEmpty { losses.rules.insert(.concurrentRemoval) }
    removals.forget()
    if !probes.isEmpty { losses.rules.insert(.mutationWithoutNotification) }
    probes = ValueProbes()
    if !classes.isEmpty { losses.rules.insert(.classChangedUnderObservation) }
    classes = ObjectClasses()
    if !deepPaths.isEmpty {
      losses.rules.formUnion([.deepPathIntermediateDeath, .weakLinkSilentlyNil])
    }
    deepPaths = DeepPaths()
    cycles.forgetWalks()
    // What worsens a note, and what is owed, which is not judged after a loss.
    holds = RegistryHolds()
    selfObservations = [:]
    races = RegistrationRaces()
    promises = PriorPromises()
    updateOpenEnds()
  }

  /// No thread is known to be in a change or in a callback.
  private mutating func forgetThreads() {
    for thread in 0..<threads.count {
      if threads[thread].depth > 0 {
        for callback in threads[thread].callbacks where callback.slot >= 0 {
          ledger.endCallback(callback.slot)
        }
        threads[thread].callbacks = []
        threads[thread].forgottenCallbackCount = 0
        losses.rules.insert(.reentrantChange)
      }
      if threads[thread].isIdle { continue }
      if !threads[thread].brackets.isEmpty { losses.rules.insert(.concurrentChange) }
      threads[thread].brackets = ChangeBrackets()
      threads[thread].missed = MissedDeliveries()
      threads[thread].early = EarlyDeliveries()
      threads.updateBusy(thread)
    }
    waitingThreadCount = 0
  }

  /// Whether the log may lack what classes declare, and registrations that later events end.
  var mayLackBeginnings: Bool { losses.first != nil || process?.isComplete == false }

  /// Whether nothing that the log lacks can have broken a cycle of references.
  ///
  /// A cycle of a walk is broken by the end of its observation, where it is known which that is.
  func isWhole(_ cycle: RetainCycles.Cycle) -> Bool {
    if mayLackBeginnings, cycle.registration == nil { return false }
    return losses.first == nil || cycle.edges.allSatisfy { $0.held.event > losses.last }
  }

  /// Whether what is declared may have been declared anew in a loss.
  func mayBeOutdated(_ declared: [Evidence]) -> Bool {
    losses.first != nil && declared.contains { $0.event < losses.last }
  }

  /// An event is about the registration at `slot`, which is live: so it was after the last loss.
  @inline(__always)
  mutating func confirm(_ slot: Int) {
    if losses.first != nil { confirmAfterLoss(slot) }
  }

  private mutating func confirmAfterLoss(_ slot: Int) {
    guard slot >= 0, ledger.isLive(slot) else { return }
    let registered = ledger.slots[slot].registered
    if registered.event < losses.last { losses.confirmed.insert(registered.event) }
  }

  // MARK: - Verdicts

  /// Takes back what removals by name found after a loss, where the ledger alone says what they matched.
  mutating func withholdGuesses(from first: Int, _ slot: Int) {
    if slot >= 0 { ledger.markEndGuessed(slot) }
    guard verdicts.count > first else { return }
    let found = Array(verdicts[first...])
    verdicts.removeSubrange(first...)
    for verdict in found {
      switch verdict.code {
      case .doubleRemove, .removeUnregistered, .removeWrongContext:
        losses.rules.insert(verdict.code)
      default: verdicts.append(verdict)
      }
    }
  }

  /// KVO009 after a removal by name, which may have been of another registration.
  mutating func withholdLateDelivery() { losses.rules.insert(.deliveryAfterRemove) }

  /// Takes back the verdicts that hold only if nothing of what they rest on ended in a loss.
  ///
  /// - Parameter isSaid: whether the log itself says which registration ended, and how.
  mutating func withholdDoubtful(isSaid: Bool) {
    if isSaid { return }
    let found = verdicts
    verdicts = []
    for verdict in found {
      if losses.makeDoubtful(verdict) {
        losses.rules.insert(verdict.code)
      } else {
        verdicts.append(verdict)
      }
    }
  }
}

extension RuleEngine.Losses {
  fileprivate func makeDoubtful(_ verdict: Verdict) -> Bool {
    let before = verdict.evidence.dropFirst()
    switch verdict.code {
    case .ambiguousRemove:
      return before.count { !makeDoubtful($0) } < 2
    case .removeDuringInitial:
      // That the registration lives does not say that it is still being added.
      return before.contains { $0.event < last }
    case .duplicateRegistration, .contextCollision, .displacedRegistration,
      .observedDeinitWhileObserved, .observerDeinitWhileRegistered:
      return before.contains { $0.role == .registered && makeDoubtful($0) }
    case .concurrentRemoval:
      return before.contains { $0.role == .deallocated && makeDoubtful($0) }
    case .deliveryToDead:
      // An address may have another object, of which the reader does not know.
      return verdict.observer?.id.generation != nil
        && before.contains { $0.role == .deallocated && makeDoubtful($0) }
    default: return false
    }
  }
}
