import KVORules
import KVOTrace

// Most events of most logs come in fours: an object changes that has one registration, and its observer is notified.
// If nothing else is in progress, no rule can find a fault in them, and almost all that they put into the tables of the
// families they take out again.
extension RuleEngine {
  /// How many events a whole change has.
  static let wholeChangeCount = 4

  /// Judges the ``wholeChangeCount`` events at `events` at once if they are a change and its callback, with nothing
  /// between them, and nothing else in progress that they could concern.
  ///
  /// The effect is that of judging one after the other, which is what the caller does if this returns false:
  /// - The log is complete so far and states what matters: see ``judgesWholeChanges`` and ``Delivered``.
  /// - No thread is in a change, waits for a delivery, or, for this thread, is in a callback. So the change is not
  ///   nested (KVO012), overlapped (KVO024) or delivered early, and the callback is not nested (KVO027).
  /// - The one registration of the object is notified, and so nothing is missed (KVO032).
  /// - The registration is live (KVO009), expects no executor (KVO023), and its observer is not being deallocated
  ///   (KVO008); the observer knew the notification (KVO017) and raised nothing (KVO039).
  ///
  /// - Returns: whether they were judged. There are no new verdicts.
  mutating func consumeWholeChange(_ events: UnsafePointer<Event>, firstNumber: Int) -> Bool {
    guard let change = Delivered(events), judgesWholeChanges else { return false }
    let subject = log.subjects.find(change.subject.rawValue)
    guard subject >= 0, log.ledger.subjects[subject].count == 1 else { return false }
    // An order is next if it leaves no gap, as for one event.
    if let order = change.order, order > 1, order - 1 > log.ledger.subjects[subject].lastOrder {
      return false
    }
    let slot = Int(log.ledger.subjects[subject].newest)
    guard mustNotify(slot, of: change, before: firstNumber) else { return false }
    let thread = log.threads.index(of: change.thread)
    guard log.threads.isIdle(thread), log.threads.areBusyIdle else { return false }
    eventCount += Self.wholeChangeCount
    log.seen.formUnion([.change, .callback, .callbackEnd])
    if let order = change.order { log.ledger.note(order, of: subject) }
    log.ledger.noteNotified(slot)
    log.threads.noteWholeChange(thread)
    return true
  }

  /// Whether a change and its callback cannot concern what other events began.
  @inline(__always)
  private var judgesWholeChanges: Bool {
    log.losses.first == nil && !log.notifiesOthers && !log.hasOpenEnds && !scopes.infers
      && log.raisingThreadCount == 0 && nested.isEmpty && changes.misses.isEmpty
      && values.isEmpty && obligations.isEmpty && concurrency.isQuiet
  }

  /// Whether the change must notify the registration at `slot`, with no more to judge than that it does.
  @inline(__always)
  private mutating func mustNotify(_ slot: Int, of change: Delivered, before event: Int) -> Bool {
    guard log.ledger.slots[slot].registration.id == change.registration,
      log.ledger.slots[slot].registration.keyPath == change.key,
      log.ledger.slots[slot].registered.event < event,
      log.ledger.slots[slot].isNumbered, !log.ledger.slots[slot].isDeliveringInitial,
      !log.ledger.slots[slot].isEndShared,
      log.ledger.slots[slot].registration.executor == .none
    else { return false }
    return !log.isObserverDeallocated(slot)
  }

  /// What four events have in common that are a change and its only callback.
  ///
  /// Only the callback has an order: with one, the change would have to be compared with the orders of its object.
  private struct Delivered {
    var subject: ObjectID
    var key: StringID
    var registration: RegistrationID
    var thread: ThreadID
    var order: UInt64?

    @inline(__always)
    init?(_ events: UnsafePointer<Event>) {
      guard case .willChange(let begun) = events.pointee.body,
        case .didChange(let ended) = (events + 1).pointee.body,
        case .notify(let claimed) = (events + 2).pointee.body,
        case .notifyEnd(let returned) = (events + 3).pointee.body,
        case .after = claimed.phase, case .after = returned.phase
      else { return nil }
      guard let id = begun.id, ended.id == id, claimed.change == id, returned.change == id,
        ended.subject.id == begun.subject.id, ended.key == begun.key,
        returned.registration == claimed.registration, returned.isHandled == true,
        returned.exception == .none
      else { return nil }
      guard let thread = events.pointee.thread, (events + 1).pointee.thread == thread,
        (events + 2).pointee.thread == thread, (events + 3).pointee.thread == thread,
        events.pointee.order == nil, (events + 1).pointee.order == nil,
        (events + 3).pointee.order == nil
      else { return nil }
      subject = begun.subject.id
      key = begun.key
      registration = claimed.registration
      self.thread = thread
      order = (events + 2).pointee.order
    }
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
