import KVOTrace

// KVO008, KVO009, KVO017, KVO023, KVO026 and KVO027: what is wrong with a callback itself.
extension RuleEngine {
  /// A callback of the registration at `slot` is claimed.
  @inline(__always)
  mutating func judgeCallback(
    _ slot: Int,
    _ isLive: Bool,
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ thread: Int
  ) {
    let isDead = !deaths.isEmpty && judgeDeliveryToDead(slot, evidence)
    if !isLive, !isDead { judgeLateDelivery(slot, evidence) }
    if seen.contains(.expectedExecutor) { judgeExecutor(slot, delivery, evidence, thread) }
    if !locks.isEmpty { judgeLock(slot, .callback, evidence, thread) }
    if threads[thread].callbacks.count >= ReentrantDelivery.limit {
      judgeReentrance(slot, evidence, thread)
    }
  }

  /// KVO009: the registration had ended when the callback was claimed.
  private mutating func judgeLateDelivery(_ slot: Int, _ evidence: Evidence) {
    if tellsOthers { return }
    if ledger.slots[slot].isEndGuessed { return withholdLateDelivery() }
    let registration = ledger.slots[slot].registration
    let proof = [evidence, ledger.slots[slot].later.as(.removed), ledger.slots[slot].registered]
    verdicts.append(Verdict(.deliveryAfterRemove, of: registration, proof))
  }

  /// KVO023: the callback runs elsewhere than its registration expected.
  ///
  /// Where the log does not say the executor of the callback, its thread stands in, if the expected
  /// executor is a thread that the log names.
  private mutating func judgeExecutor(
    _ slot: Int,
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ thread: Int
  ) {
    let expected = ledger.slots[slot].registration.executor
    guard expected != .none else { return }
    let found: Verdict.Executor
    if delivery.executor != .none {
      seen.insert(.executor)
      if delivery.executor == expected { return }
      found = .named(delivery.executor)
    } else {
      let name = threads[thread].name
      guard name != .none, threadNames.contains(expected) else { return }
      seen.insert(.executor)
      if name == expected { return }
      found = .thread(name)
    }
    verdicts.append(
      Verdict(
        .offExecutorDelivery,
        of: ledger.slots[slot].registration,
        [evidence, ledger.slots[slot].registered],
        .executors(expected: expected, found: found),
        confidence: .high
      )
    )
  }

  /// KVO026: the thread holds a lock.
  mutating func judgeLock(
    _ slot: Int,
    _ act: Verdict.Act,
    _ evidence: Evidence,
    _ thread: Int
  ) {
    guard let held = locks.newest(of: thread) else { return }
    verdicts.append(
      .underLock(
        held,
        act,
        of: ledger.slots[slot].registration,
        at: evidence,
        registered: ledger.slots[slot].registered,
        confidence: droppedAt == nil ? .high : .low
      )
    )
  }

  /// KVO027: callbacks of one registration are inside each other.
  private mutating func judgeReentrance(_ slot: Int, _ evidence: Evidence, _ thread: Int) {
    let around = threads[thread].callbacks.filter { $0.slot == slot }
    guard ReentrantDelivery.isTooDeep(around.count + 1) else { return }
    verdicts.append(
      ReentrantDelivery.verdict(
        of: ledger.slots[slot].registration,
        at: evidence,
        first: around.first?.began,
        registered: ledger.slots[slot].registered
      )
    )
  }

  /// KVO017: the observer said that the notification was not its own.
  mutating func judgeUnhandled(
    _ delivery: Delivery,
    _ begun: ThreadTable.Callback?,
    _ evidence: Evidence,
    _ slot: Int
  ) {
    let slot = begun?.slot ?? slot
    guard slot >= 0 else {
      // Nothing is known of the registration, but that nobody took the notification is certain.
      verdicts.append(
        Verdict(
          .unhandledNotification,
          subject: nil,
          registration: delivery.registration,
          evidence: [evidence] + (begun.map { [$0.began] } ?? [])
        )
      )
      return
    }
    verdicts.append(
      .unhandled(
        ledger.slots[slot].registration,
        at: evidence,
        notified: begun?.began,
        registered: ledger.slots[slot].registered
      )
    )
  }

  /// KVO008: the deallocation of the observer had begun when the callback was claimed.
  ///
  /// - Returns: whether it had.
  private mutating func judgeDeliveryToDead(
    _ slot: Int,
    _ evidence: Evidence
  ) -> Bool {
    guard let observer = ledger.slots[slot].registration.observer,
      let death = deaths[observer.id]?.began
    else { return false }
    let registration = ledger.slots[slot].registration
    // The claim and the death have an order of their own each, which do not compare. But a clean-up
    // behind the observer is an event of the observed object, and so is the claim.
    var confidence: Confidence = death.thread == evidence.thread ? .high : .low
    if confidence == .low, !ledger.isLive(slot),
      ledger.slots[slot].cause == .observer, let cleanedUp = ledger.slots[slot].later.order,
      let claimed = evidence.order
    {
      if claimed < cleanedUp { return false }
      confidence = .high
    }
    verdicts.append(
      Verdict(
        .deliveryToDead,
        subject: registration.subject,
        observer: observer,
        keyPath: registration.keyPath,
        context: registration.context,
        registration: registration.id,
        evidence: [evidence, death, ledger.slots[slot].registered],
        confidence: confidence
      )
    )
    return true
  }
}
