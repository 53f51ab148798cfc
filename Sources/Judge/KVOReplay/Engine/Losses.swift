import KVORules
import KVOTrace

// Events that the log lacks: dropped by the recorder, in lines that cannot be read, or in missing log files.
//
// Anything may have happened in a loss. Anything that was open before it may be closed, and is dropped; a registration
// from before it counts again once a later event shows that it is live; and the match of a removal is known only if the
// log states it.

/// State that a loss leaves unknown.
struct Losses: Sendable {
  /// The first and last events that reported missing events.
  var first: Int?
  var last = 0
  /// The additions before the last loss whose registrations were seen alive after it, by event.
  var confirmed: Set<Int> = []
  /// The rules for which a verdict was withheld, or needed state was dropped.
  var rules: Set<RuleCode> = []

  /// Whether `evidence` may be outdated.
  func makesDoubtful(_ evidence: Evidence) -> Bool {
    evidence.event < last && !confirmed.contains(evidence.event)
  }
}

extension ReplayState {
  /// The reason why the registrations from before the first event are not known.
  var whyBeginningLacks: String {
    let first =
      if let count = process?.earlierEventCount, count > 0 {
        "the first \(count) events of this log are not kept"
      } else {
        "recording began after the first observation"
      }
    return "\(first): only objects of live lines count"
  }

  /// The reason why rules that need more than the absence of an event were not judged after a loss.
  var whyLost: [(code: RuleCode, why: String)] {
    guard let first = losses.first else { return [] }
    let why = "events are missing at event \(first), and what they began or ended is not known"
    return losses.rules.map { ($0, why) }
  }

  /// Events are missing here.
  mutating func lose(at evidence: Evidence) {
    if losses.first == nil { losses.first = evidence.event }
    losses.last = evidence.event
    losses.confirmed = []
    forgetThreads()
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
  }

  /// Whether no missing event can have broken a cycle of references.
  ///
  /// A cycle of a walk is broken by the end of its observation, if that observation is known.
  func isWhole(_ cycle: OwnedCycle) -> Bool {
    if mayLackBeginnings, cycle.registration == nil { return false }
    return losses.first == nil || cycle.edges.allSatisfy { $0.held.event > losses.last }
  }

  /// Whether declarations may have been replaced in a loss.
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

  /// Withdraws the verdicts on removals by name after a loss, if only the ledger determines what they matched.
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

  /// KVO009 after a removal by name, which may have ended another registration.
  mutating func withholdLateDelivery() { losses.rules.insert(.deliveryAfterRemove) }

  /// Withdraws the verdicts that hold only if nothing that they rely on ended in a loss.
  ///
  /// - Parameter isSaid: whether the log itself says which registration ended, and how.
  mutating func withholdDoubtful(isSaid: Bool) {
    if isSaid { return }
    let found = verdicts
    verdicts = []
    for verdict in found {
      if losses.makesDoubtful(verdict) {
        losses.rules.insert(verdict.code)
      } else {
        verdicts.append(verdict)
      }
    }
  }
}

extension Losses {
  fileprivate func makesDoubtful(_ verdict: Verdict) -> Bool {
    let before = verdict.evidence.dropFirst()
    switch verdict.code {
    case .ambiguousRemove:
      return before.count { !makesDoubtful($0) } < 2
    case .removeDuringInitial:
      // A live registration need not still be in the middle of its addition.
      return before.contains { $0.event < last }
    case .duplicateRegistration, .contextCollision, .displacedRegistration,
      .observedDeinitWhileObserved, .observerDeinitWhileRegistered:
      return before.contains { $0.role == .registered && makesDoubtful($0) }
    case .concurrentRemoval:
      // That the deallocation began on the thread of the removal, too, may be lost unless the object came after it.
      return before.contains { $0.role == .deallocated } && before.contains { $0.event < last }
    case .deliveryToDead:
      // The address may have been reused by an object that the reader does not know.
      return verdict.observer?.id.generation != nil
        && before.contains { $0.role == .deallocated && makesDoubtful($0) }
    default: return false
    }
  }
}
