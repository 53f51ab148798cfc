import KVORules
import KVOTrace

/// Faults of a callback itself (KVO008, KVO009, KVO017, KVO023, KVO027 and KVO039).
///
/// Needs both ends of callbacks, and the names of threads.
struct CallbackRules: Sendable {
  private static let callbackLimit = 4_096

  private(set) var exceptions = RaisedExceptions()
  /// The names of threads.
  private var threadNames: Set<StringID> = []

  mutating func name(_ thread: Int, _ name: StringID, _ log: inout ReplayState) {
    threadNames.insert(name)
    log.threads[thread].name = name
  }

  /// The object was deallocated.
  mutating func forget(_ object: ObjectID) { exceptions.forget(object) }

  /// A callback begins; slot -1: of an unknown registration.
  mutating func begin(
    _ slot: Int,
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    if log.threads[thread].callbacks.count == Self.callbackLimit {
      forgetCallbacks(of: thread, &log)
    }
    log.threads[thread].callbacks.append(
      ThreadTable.Callback(
        delivery: delivery,
        began: evidence.as(.notified),
        slot: slot,
        lastAct: log.threads[thread].lastAct
      )
    )
  }

  /// Drops the outer half of the callbacks that a thread is in: perhaps none of them ever ends.
  private mutating func forgetCallbacks(of thread: Int, _ log: inout ReplayState) {
    let half = Self.callbackLimit / 2
    for callback in log.threads[thread].callbacks.prefix(half) where callback.slot >= 0 {
      log.ledger.endCallback(callback.slot)
    }
    log.threads[thread].callbacks.removeFirst(half)
    // A log without any `notifyEnd` does not show how deep a thread is.
    if log.seen.contains(.callbackEnd) { log.threads[thread].forgottenCallbackCount += half }
  }

  mutating func end(
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) {
    log.seen.insert(.callbackEnd)
    let thread = target.thread
    let (begun, isInitial) = callback(endedBy: delivery, log.threads[thread].callbacks)
    if delivery.isHandled == nil, log.unsaid.handled == nil,
      target.slot < 0 || log.ledger.slots[target.slot].registration.isClassic
    {
      log.unsaid.handled = evidence.event
    }
    if let isHandled = delivery.isHandled, !isHandled {
      judgeUnhandled(
        delivery,
        begun.map { log.threads[thread].callbacks[$0] },
        evidence,
        target.slot,
        &log
      )
    }
    // Foundations raise one for a notification that no observer handles.
    if delivery.exception != .none, delivery.isHandled != false {
      judgeException(
        delivery,
        begun.map { log.threads[thread].callbacks[$0] },
        evidence,
        target.slot,
        &log
      )
    }
    if begun == nil, log.threads[thread].callbacks.isEmpty,
      log.threads[thread].forgottenCallbackCount > 0
    {
      log.threads[thread].forgottenCallbackCount -= 1
    }
    if let begun {
      let isRefused = delivery.isHandled == false && log.recordedProfile != .swift
      let raises = isRefused || delivery.exception != .none
      // Later callbacks without an end ended with it.
      leaveCallbacks(of: thread, after: begun + (raises ? 1 : 0), &log)
      if raises {
        let callback = log.threads[thread].callbacks[begun]
        abandonChange(of: callback, delivery, evidence, thread, &log)
        log.threads[thread].isRaising = true
        log.raisingThreadCount += 1
        if isRefused {
          noteException(.none, log.threads[thread].callbacks[begun].slot, evidence, log)
        }
      }
    }
    if isInitial, target.slot >= 0, log.ledger.isLive(target.slot) {
      log.ledger.endInitial(target.slot)
    }
  }

  /// The index of the callback that `delivery` ends, if it is known, and whether it is that of an initial notification.
  ///
  /// An end without a phase, which has the default, ends the innermost callback, if that is of its registration.
  @inline(__always)
  private func callback(
    endedBy delivery: Delivery,
    _ callbacks: [ThreadTable.Callback]
  ) -> (index: Int?, isInitial: Bool) {
    let index = callbacks.lastIndex { delivery.isEnd(of: $0.delivery) }
    if index == nil, case .after = delivery.phase, let innermost = callbacks.last {
      var ended = delivery
      ended.phase = innermost.delivery.phase
      if ended.isEnd(of: innermost.delivery) { return (callbacks.count - 1, ended.isInitial) }
    }
    return (index, delivery.isInitial)
  }

  /// The callbacks of a thread beyond the first `count` are over.
  mutating func leaveCallbacks(
    of thread: Int,
    after count: Int,
    _ log: inout ReplayState
  ) {
    while log.threads[thread].callbacks.count > count {
      let callback = log.threads[thread].callbacks.removeLast()
      log.threads[thread].lastAct = callback.lastAct
      if callback.slot >= 0 { log.ledger.endCallback(callback.slot) }
    }
  }

  /// A thread is about to do something: if its last callback raised an exception, something caught that.
  ///
  /// If the process ends there instead, nothing did, and the deliveries and changes around the callback were not
  /// abandoned by mistake.
  mutating func resume(
    with event: UnsafePointer<Event>,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    guard log.threads[thread].isRaising, !event.pointee.body.isBookkeeping else { return }
    log.threads[thread].isRaising = false
    log.raisingThreadCount -= 1
    leaveCallbacks(of: thread, after: max(0, log.threads[thread].callbacks.count - 1), &log)
  }

  // MARK: - Judging

  /// A callback of the registration at `slot` is claimed: judges that.
  @inline(__always)
  mutating func claim(
    _ slot: Int,
    _ isLive: Bool,
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    let isDeallocated =
      !log.deallocations.isEmpty && judgeDeliveryToDeallocated(slot, evidence, &log)
    if !isLive, !isDeallocated { judgeLateDelivery(slot, evidence, &log) }
    if log.seen.contains(.expectedExecutor) {
      judgeExecutor(slot, delivery, evidence, thread, &log)
    }
  }

  /// KVO027, if a callback that begins now exceeds the nesting limit on its thread.
  @inline(__always)
  mutating func nest(
    _ slot: Int,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    if log.threads[thread].callbacks.count >= ReentrantDelivery.limit {
      judgeReentrance(slot, evidence, thread, &log)
    }
  }

  /// KVO009: the registration had ended when the callback was claimed.
  private mutating func judgeLateDelivery(
    _ slot: Int,
    _ evidence: Evidence,
    _ log: inout ReplayState
  ) {
    if log.notifiesOthers { return }
    if log.ledger.slots[slot].isEndGuessed { return log.withholdLateDelivery() }
    if log.ledger.slots[slot].isEndShared { return }
    let registration = log.ledger.slots[slot].registration
    let proof = [
      evidence, log.ledger.slots[slot].later.as(.removed), log.ledger.slots[slot].registered,
    ]
    log.verdicts.append(Verdict(.deliveryAfterRemove, of: registration, proof))
  }

  /// KVO023: the callback runs on another executor than its registration expected.
  ///
  /// When the log does not say the executor of the callback, its thread is judged instead, if the expected
  /// executor is a thread that the log names.
  private mutating func judgeExecutor(
    _ slot: Int,
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    let expected = log.ledger.slots[slot].registration.executor
    guard expected != .none else { return }
    let found: Verdict.Executor
    if delivery.executor != .none {
      log.seen.insert(.executor)
      if delivery.executor == expected { return }
      found = .named(delivery.executor)
    } else {
      let name = log.threads[thread].name
      guard name != .none, threadNames.contains(expected) else { return }
      log.seen.insert(.executor)
      if name == expected { return }
      found = .thread(name)
    }
    log.verdicts.append(
      Verdict(
        .offExecutorDelivery,
        of: log.ledger.slots[slot].registration,
        [evidence, log.ledger.slots[slot].registered],
        .executors(expected: expected, found: found),
        confidence: .high
      )
    )
  }

  /// KVO027: callbacks of one registration are inside each other.
  private mutating func judgeReentrance(
    _ slot: Int,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    // A log without ends of callbacks seems to be in thousands of them: only those of a registration that may have passed
    // the limit are counted, and no further than to one more.
    guard log.ledger.slots[slot].callbackCount > ReentrantDelivery.limit else { return }
    var depth = 1
    var first: Evidence?
    for callback in log.threads[thread].callbacks where callback.slot == slot {
      if first == nil { first = callback.began }
      depth += 1
      if depth > ReentrantDelivery.limit + 1 { return }
    }
    guard ReentrantDelivery.isTooDeep(depth) else { return }
    log.verdicts.append(
      ReentrantDelivery.verdict(
        of: log.ledger.slots[slot].registration,
        at: evidence,
        first: first,
        registered: log.ledger.slots[slot].registered
      )
    )
  }

  /// KVO017: the observer did not recognize the notification.
  mutating func judgeUnhandled(
    _ delivery: Delivery,
    _ begun: ThreadTable.Callback?,
    _ evidence: Evidence,
    _ slot: Int,
    _ log: inout ReplayState
  ) {
    let slot = begun?.slot ?? slot
    guard slot >= 0 else {
      // Nothing is known of the registration, but it is certain that no observer took the notification.
      log.verdicts.append(
        Verdict(
          .unhandledNotification,
          subject: nil,
          registration: delivery.registration,
          evidence: [evidence] + (begun.map { [$0.began] } ?? [])
        )
      )
      return
    }
    log.verdicts.append(
      .unhandled(
        log.ledger.slots[slot].registration,
        at: evidence,
        notified: begun?.began,
        registered: log.ledger.slots[slot].registered
      )
    )
  }

  /// KVO008: the deallocation of the observer had begun when the callback was claimed.
  ///
  /// - Returns: whether it had.
  private mutating func judgeDeliveryToDeallocated(
    _ slot: Int,
    _ evidence: Evidence,
    _ log: inout ReplayState
  ) -> Bool {
    guard let observer = log.ledger.slots[slot].registration.observer,
      let deallocation = log.deallocations[observer.id]?.began
    else { return false }
    let registration = log.ledger.slots[slot].registration
    // The claim and the deallocation each have their own order, which do not compare. But a clean-up
    // after the observer is an event of the observed object, and so is the claim.
    var confidence: Confidence = deallocation.thread == evidence.thread ? .high : .low
    if confidence == .low, !log.ledger.isLive(slot),
      log.ledger.slots[slot].cause == .observer, let cleanedUp = log.ledger.slots[slot].later.order,
      let claimed = evidence.order
    {
      if claimed < cleanedUp { return false }
      confidence = .high
    }
    log.verdicts.append(
      Verdict(
        .deliveryToDead,
        subject: registration.subject,
        observer: observer,
        keyPath: registration.keyPath,
        context: registration.context,
        registration: registration.id,
        evidence: [evidence, deallocation, log.ledger.slots[slot].registered],
        confidence: confidence
      )
    )
    return true
  }

  /// KVO039: an exception propagated out of the callback.
  mutating func judgeException(
    _ delivery: Delivery,
    _ begun: ThreadTable.Callback?,
    _ evidence: Evidence,
    _ slot: Int,
    _ log: inout ReplayState
  ) {
    let slot = begun?.slot ?? slot
    guard slot >= 0 else { return }
    let registration = log.ledger.slots[slot].registration
    log.verdicts.append(
      Verdict(
        .callbackRaised,
        of: registration,
        [evidence.as(.failed)] + (begun.map { [$0.began] } ?? []) + [
          log.ledger.slots[slot].registered
        ],
        .exception(delivery.exception, observer: registration.observer),
        confidence: .high
      )
    )
    noteException(delivery.exception, slot, evidence, log)
  }

  private mutating func noteException(
    _ name: StringID,
    _ slot: Int,
    _ evidence: Evidence,
    _ log: ReplayState
  ) {
    guard slot >= 0 else { return }
    let registration = log.ledger.slots[slot].registration
    let raised = RaisedExceptions.Raised(
      name: name,
      observer: registration.observer,
      evidence: evidence.as(.raised)
    )
    exceptions.note(raised, of: registration)
  }
}

extension Delivery {
  fileprivate var isInitial: Bool {
    // Comparing the phases directly would compare their names.
    if case .initial = phase { true } else { false }
  }

  /// Whether this end belongs to the beginning `begun`.
  fileprivate func isEnd(of begun: Delivery) -> Bool {
    guard registration == begun.registration,
      change == nil || begun.change == nil || change == begun.change
    else { return false }
    // Comparing the phases directly would compare their names.
    switch (phase, begun.phase) {
    case (.initial, .initial), (.prior, .prior), (.after, .after): return true
    default: return false
    }
  }
}
