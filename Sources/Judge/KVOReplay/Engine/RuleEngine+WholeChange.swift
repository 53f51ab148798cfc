import KVORules
import KVOTrace

// Most events of most logs come in fours: an object changes that has one registration, and its observer is notified.
// If nothing else is in progress, no rule can find a fault in them, and almost all that they put into the tables of the
// families they take out again.
extension RuleEngine {
  /// Judges the events of a whole change at once, if nothing else is in progress that they could concern.
  ///
  /// The effect is that of judging one after the other, which is what the caller does if this returns false:
  /// - The log is complete so far and states what matters: see ``judgesWholeChanges`` and ``EventOutline``.
  /// - No thread is in a change, waits for a delivery, or, for this thread, is in a callback. So the change is not
  ///   nested (KVO012), overlapped (KVO024) or delivered early, and the callback is not nested (KVO027).
  /// - The one registration of the object is notified, and so nothing is missed (KVO032).
  /// - The registration is live (KVO009), expects no executor (KVO023), and its observer is not being deallocated
  ///   (KVO008); the observer knew the notification (KVO017) and raised nothing (KVO039).
  ///
  /// - Returns: whether they were judged. There are no new verdicts.
  mutating func consumeWholeChange(_ change: EventOutline.Step) -> Bool {
    guard judgesWholeChanges else { return false }
    let subject = log.subjects.find(change.subject)
    guard subject >= 0, log.ledger.subjects[subject].count == 1 else { return false }
    // An order is next if it leaves no gap, as for one event.
    if change.hasOrder, change.order > 1,
      change.order - 1 > log.ledger.subjects[subject].lastOrder
    {
      return false
    }
    let slot = Int(log.ledger.subjects[subject].newest)
    guard mustNotify(slot, of: change) else { return false }
    let thread = log.threads.index(of: change.thread)
    guard log.threads.isIdle(thread), log.threads.areBusyIdle else { return false }
    log.isCrashing = false
    if concurrency.hasUnmatchedRemovals { concurrency.goOn(thread, &log) }
    eventCount += EventOutline.wholeChangeCount
    log.seen.formUnion([.change, .callback, .callbackEnd])
    if change.hasOrder { log.ledger.note(change.order, of: subject) }
    log.ledger.noteNotified(slot)
    log.threads.noteWholeChange(thread)
    return true
  }

  /// Whether a change and its callback cannot concern what other events began.
  @inline(__always)
  private var judgesWholeChanges: Bool {
    log.losses.first == nil && !log.notifiesOthers && !log.hasOpenEnds && !scopes.infers
      && log.raisingThreadCount == 0 && nested.isEmpty && !changes.misses.isFollowable
      && values.isEmpty && obligations.isEmpty && !obligations.broken.hasUnnumbered
      && concurrency.isQuiet
  }

  /// Whether the change must notify the registration at `slot`, with no more to judge than that it does.
  @inline(__always)
  private func mustNotify(_ slot: Int, of change: EventOutline.Step) -> Bool {
    guard log.ledger.slots[slot].registration.id?.rawValue == change.registration,
      log.ledger.slots[slot].registration.keyPath == change.key,
      log.ledger.slots[slot].isNumbered, !log.ledger.slots[slot].isDeliveringInitial,
      !log.ledger.slots[slot].isEndShared,
      log.ledger.slots[slot].registration.executor == .none
    else { return false }
    return !log.isObserverDeallocated(slot)
  }
}

extension ThreadTable {
  /// Whether the thread at `index` is in no change and no callback, and waits for none.
  @inline(__always)
  fileprivate func isIdle(_ index: Int) -> Bool {
    self[index].brackets.isEmpty && self[index].missed.isEmpty && self[index].callbacks.isEmpty
      && self[index].forgottenCallbackCount == 0 && self[index].early.isEmpty
  }

  /// Whether no thread is in a change, or waits for a delivery: those that may be are listed, and removed from
  /// the list later.
  @inline(__always)
  fileprivate var areBusyIdle: Bool {
    for index in busy where !self[index].brackets.isEmpty || !self[index].missed.isEmpty {
      return false
    }
    return true
  }
}
