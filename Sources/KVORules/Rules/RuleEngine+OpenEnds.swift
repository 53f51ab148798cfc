import KVOTrace

// KVO011 and KVO013: what is owed to a registration, and whether it comes.
extension RuleEngine {
  mutating func updateOpenEnds() {
    hasOpenEnds = !races.isEmpty || !promises.isEmpty || deepPaths.hasPending
  }

  /// The registration at `slot` was added: perhaps in the middle of a change of its key.
  mutating func findRace(_ slot: Int) {
    if threads.busy.isEmpty || droppedAt != nil || tellsOthers { return }
    // No notification can name it.
    if !ledger.slots[slot].isNumbered { return }
    let subject = ledger.slots[slot].registration.subject.id
    let keyPath = ledger.slots[slot].registration.keyPath
    for thread in threads.busy {
      let open = threads[thread].brackets.open(of: subject) { $0 == keyPath }
      guard let open else { continue }
      races.begin(slot, during: open.change, on: thread, began: open.began)
      hasOpenEnds = true
    }
  }

  /// A change began before registrations that are live already: the log heard of it late, because nobody observed
  /// its object then.
  mutating func findRaces(of change: Change, on subject: Int, by thread: Int, began: Evidence) {
    guard let order = began.order, subject >= 0, order < ledger.subjects[subject].lastOrder,
      droppedAt == nil, !tellsOthers
    else { return }
    var later: [Int] = []
    ledger.forEach(of: change.key, on: subject) { slot in
      if let registered = ledger.slots[slot].registered.order, registered > order {
        later.append(slot)
      }
    }
    for slot in later { races.begin(slot, during: change, on: thread, began: began) }
    if !later.isEmpty { hasOpenEnds = true }
  }

  /// The observer is told that a change is coming.
  mutating func promise(
    _ slot: Int,
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ thread: Int
  ) {
    seen.insert(.prior)
    if tellsOthers { return }
    let open = threads[thread].brackets.open(delivery.change)
    promises.add(
      PriorPromises.Promise(
        slot: slot,
        thread: thread,
        id: delivery.change,
        change: open?.change,
        began: open?.began.as(.changed),
        told: evidence.as(.notified),
        depth: threads[thread].depth
      )
    )
    hasOpenEnds = true
  }

  mutating func makeChange(_ change: Change, _ evidence: Evidence, _ thread: Int) {
    let depth = threads[thread].depth
    races.made(change, on: thread, depth: depth, at: evidence)
    promises.made(change, on: thread, at: evidence)
  }

  mutating func keepPromises(_ slot: Int, _ delivery: Delivery, _ thread: Int) {
    if deepPaths.hasPending { deepPaths.excuseWeak(slot) }
    races.deliver(slot, delivery, on: thread)
    if case .after = delivery.phase { promises.keep(slot, delivery.change) }
    updateOpenEnds()
  }

  /// A thread is about to do something.
  mutating func concludeOpenEnds(of event: UnsafePointer<Event>, _ thread: Int) {
    if deepPaths.hasPending, !DeepPaths.isPartOfDeath(event) {
      judgeLosses(deepPaths.conclude(on: thread))
    }
    let depth = threads[thread].depth
    switch MissedDeliveries.conclusion(of: event) {
    case .none, .wentOn: break
    case .overInCallback where depth == 0: break
    case .over, .overInCallback:
      races.conclude(on: thread, depth: depth)
      judge(promises.conclude(on: thread, depth: depth))
    }
    updateOpenEnds()
  }

  /// The registration at `slot` ended.
  mutating func endOpenEnds(of slot: Int) {
    promises.excuse(slot)
    deepPaths.excuse(slot)
    judge(races.end(slot))
    updateOpenEnds()
  }

  /// Changes of `thread` were given up.
  mutating func breakPromises(of thread: Int) {
    if promises.isEmpty { return }
    judge(promises.giveUp(on: thread, threads[thread].brackets))
    updateOpenEnds()
  }

  mutating func finishOpenEnds() {
    judgeLosses(deepPaths.conclude(on: nil))
    if hasEnded {
      judge(races.finish())
      for thread in threads.sorted(0..<threads.count) {
        judge(promises.conclude(on: thread, depth: 0))
      }
    } else {
      if !races.isEmpty { cutRules.insert(.registrationRace) }
      if !promises.isEmpty { cutRules.insert(.priorWithoutAfter) }
    }
  }

  private mutating func judge(_ lost: [RegistrationRaces.Race]) {
    guard droppedAt == nil else { return }
    for race in lost {
      guard let made = race.made else { continue }
      verdicts.append(
        Verdict(
          .registrationRace,
          of: ledger.slots[race.slot].registration,
          [made.as(.failed), race.began, ledger.slots[race.slot].registered]
        )
      )
    }
  }

  private mutating func judge(_ broken: [PriorPromises.Promise]) {
    guard droppedAt == nil else { return }
    for promise in broken where ledger.isLive(promise.slot) {
      // The half that lacks the other has the line to look at: deliveries carry no stack.
      let failed = promise.made ?? promise.began ?? promise.told
      let rest =
        promise.made == nil ? [promise.told] : [promise.began, promise.told].compactMap(\.self)
      verdicts.append(
        Verdict(
          .priorWithoutAfter,
          of: ledger.slots[promise.slot].registration,
          [failed.as(.failed)] + rest + [ledger.slots[promise.slot].registered]
        )
      )
    }
  }
}
