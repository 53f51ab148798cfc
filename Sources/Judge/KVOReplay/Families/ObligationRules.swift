import KVORules
import KVOTrace

/// Notifications owed to a registration, and whether they arrive (KVO011 and KVO013).
///
/// Needs additions and ends of registrations, both halves of changes, callbacks, and the next events of threads.
struct ObligationRules: Sendable {
  private var races = RegistrationRaces()
  /// The end of the first change of which it is not known whether it was yet to reach a registration that ended.
  private(set) var undecidedRace: Int?
  private(set) var promises = PriorPromises()
  /// KVO013, of changes that were made.
  private(set) var broken = RefutableMisses(of: .priorWithoutAfter)

  /// Whether nothing is owed; verdicts that wait do not count.
  var isEmpty: Bool { races.isEmpty && promises.isEmpty }

  /// Events are missing: nothing is owed.
  mutating func lose(_ log: inout ReplayState) {
    var waiting = broken
    if !waiting.isEmpty { log.addMisses(waiting.lose()) }
    self = ObligationRules()
    broken = waiting
  }

  /// The registration at `slot` was added: possibly during a change of its key.
  mutating func registered(_ slot: Int, _ log: inout ReplayState) {
    if log.threads.busy.isEmpty || log.droppedAt != nil || log.notifiesOthers { return }
    // No notification can name it.
    if !log.ledger.slots[slot].isNumbered { return }
    let subject = log.ledger.slots[slot].registration.subject.id
    let keyPath = log.ledger.slots[slot].registration.keyPath
    // By index: an iterator would keep the array, with an atomic increment for each registration.
    for at in log.threads.busy.indices {
      let thread = log.threads.busy[at]
      let open = log.threads[thread].brackets.open(of: subject) { $0 == keyPath }
      guard let open else { continue }
      // Its writer writes `didChange` after the deliveries: the new observer finds the value that they announced.
      if log.threads[thread].early.contains(open.change) { continue }
      races.begin(slot, during: open.change, on: thread, began: open.began)
      log.hasOpenEnds = true
    }
  }

  /// A change began before registrations that are live already: it was logged late, because nothing observed its object
  /// then.
  @inline(__always)
  mutating func began(
    _ change: Change,
    on subject: Int,
    by thread: Int,
    _ began: Evidence,
    _ log: inout ReplayState
  ) {
    guard let order = began.order, subject >= 0, order < log.ledger.subjects[subject].lastOrder,
      log.droppedAt == nil, !log.notifiesOthers
    else { return }
    beganEarlier(change, on: subject, by: thread, began, order, &log)
  }

  private mutating func beganEarlier(
    _ change: Change,
    on subject: Int,
    by thread: Int,
    _ began: Evidence,
    _ order: UInt64,
    _ log: inout ReplayState
  ) {
    var later: [Int] = []
    log.ledger.forEach(of: change.key, on: subject) { slot in
      if let registered = log.ledger.slots[slot].registered.order, registered > order {
        later.append(slot)
      }
    }
    for slot in later { races.begin(slot, during: change, on: thread, began: began) }
    if !later.isEmpty { log.hasOpenEnds = true }
  }

  /// The observer is notified that a change is coming.
  mutating func promise(
    _ slot: Int,
    _ delivery: Delivery,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    log.seen.insert(.prior)
    if log.notifiesOthers { return }
    let open = openChange(delivery.change, thread, log)
    promises.add(
      PriorPromises.Promise(
        slot: slot,
        thread: thread,
        id: delivery.change,
        change: open?.change,
        changeThread: open?.thread ?? thread,
        began: open?.began.as(.changed),
        notified: evidence.as(.notified),
        depth: log.threads[thread].depth
      )
    )
    log.hasOpenEnds = true
  }

  /// The change with the number `id`, or the innermost one if it has none; a program may notify on another thread.
  private func openChange(
    _ id: ChangeID?,
    _ thread: Int,
    _ log: ReplayState
  ) -> (change: Change, began: Evidence, thread: Int)? {
    if let own = log.threads[thread].brackets.open(id) { return (own.change, own.began, thread) }
    guard let id else { return nil }
    for other in log.threads.busy {
      if let open = log.threads[other].brackets.open(id), open.change.id == id {
        return (open.change, open.began, other)
      }
    }
    return nil
  }

  mutating func made(
    _ change: Change,
    _ evidence: Evidence,
    _ thread: Int,
    _ log: inout ReplayState
  ) {
    let depth = log.threads[thread].depth
    races.made(change, on: thread, depth: depth, at: evidence)
    promises.made(change, on: thread, depth: depth, at: evidence)
  }

  /// A callback of the registration at `slot` begins.
  ///
  /// - Returns: whether it keeps a promise.
  mutating func deliver(_ slot: Int, _ delivery: Delivery, _ thread: Int) -> Bool {
    races.deliver(slot, delivery, on: thread)
    guard case .after = delivery.phase else { return false }
    return promises.keep(slot, delivery.change)
  }

  /// A thread is about to do something.
  mutating func conclude(of event: UnsafePointer<Event>, _ thread: Int, _ log: inout ReplayState) {
    let depth = log.threads[thread].depth
    switch MissedDeliveries.conclusion(of: event) {
    case .none, .wentOn: break
    case .overInCallback where depth == 0: break
    case .over, .overInCallback:
      races.conclude(on: thread, depth: depth)
      // Without a thread it may be another one that goes on: the promises are judged at the end of the log.
      if event.pointee.thread == nil { return }
      let found = promises.conclude(on: thread, depth: depth)
      if !found.isEmpty { judgeRefutable(found, &log) }
    }
  }

  /// The observer of the registration at `slot` is being deallocated: it is owed no notification of a change whose
  /// deliveries may not be over.
  mutating func excuse(_ slot: Int) {
    promises.excuse(slot)
    races.excuse(slot)
  }

  /// The registration at `slot` ended.
  mutating func end(of slot: Int, _ log: inout ReplayState) {
    if promises.isOwedWithoutThread(slot) { log.unsaid.threadRules.insert(.priorWithoutAfter) }
    promises.excuse(slot)
    let ended = races.end(slot)
    if undecidedRace == nil { undecidedRace = ended.undecided.first?.made?.event }
    Self.judge(ended.lost, &log)
  }

  /// Changes of `thread` were abandoned.
  mutating func giveUp(of thread: Int, _ log: inout ReplayState) {
    if promises.isEmpty { return }
    Self.judge(promises.giveUp(on: thread, log.threads[thread].brackets), &log)
  }

  // MARK: - Verdicts that wait

  /// A callback of the registration at `slot`, after a change, keeps no promise and is for no change that is in
  /// progress: it may refute a verdict.
  mutating func refute(_ slot: Int, _ change: ChangeID?, _ log: ReplayState) {
    _ = broken.refute(log.ledger.slots[slot].registration.id, change)
  }

  /// Takes back the verdicts that a later callback can refute, except for those that have waited for too long.
  mutating func holdBroken(_ log: inout ReplayState) {
    let surplus = broken.take(from: &log.verdicts)
    log.addMisses(surplus)
  }

  /// The registration at `slot` ended: a promise that was not kept before is broken, if it has a number.
  mutating func endBroken(of slot: Int, _ log: inout ReplayState) {
    let registration = log.ledger.slots[slot].registration.id
    broken.follow(registration)
    log.addMisses(broken.end(registration))
  }

  /// The log ends: nothing refutes a verdict any more.
  mutating func releaseBroken(_ log: inout ReplayState) {
    if broken.isEmpty { return }
    log.addMisses(of: .priorWithoutAfter, broken.finish(isOrderly: log.hasEnded))
  }

  // MARK: - The end of the log

  mutating func finish(_ log: inout ReplayState) {
    if log.hasEnded {
      for thread in log.threads.sorted(0..<log.threads.count) {
        let (depth, lastAct) = (log.depthAtEnd(of: thread), log.lastAct(of: thread))
        races.conclude(on: thread, depth: depth, before: lastAct)
      }
      Self.judge(races.takeLost(), &log)
      for thread in log.threads.sorted(0..<log.threads.count) {
        let (depth, lastAct) = (log.depthAtEnd(of: thread), log.lastAct(of: thread))
        Self.judge(promises.conclude(on: thread, depth: depth, before: lastAct), &log)
      }
    }
    if races.hasMade || !log.hasEnded && !races.isEmpty { log.cutRules.insert(.registrationRace) }
    if promises.hasMade || !log.hasEnded && !promises.isEmpty {
      log.cutRules.insert(.priorWithoutAfter)
    }
  }

  private static func judge(_ lost: [RegistrationRaces.Race], _ log: inout ReplayState) {
    guard log.droppedAt == nil else { return }
    for race in lost {
      guard let made = race.made else { continue }
      log.verdicts.append(
        Verdict(
          .registrationRace,
          of: log.ledger.slots[race.slot].registration,
          [made.as(.failed), race.began, log.ledger.slots[race.slot].registered]
        )
      )
    }
  }

  /// Judges promises that look broken, which a later callback may still keep.
  private mutating func judgeRefutable(
    _ found: [PriorPromises.Promise],
    _ log: inout ReplayState
  ) {
    let first = log.verdicts.count
    Self.judge(found, &log)
    if log.verdicts.count == first { return }
    for promise in found {
      guard let made = promise.made else { continue }
      broken.announce(promise.id ?? promise.change?.id, madeAt: made.event)
    }
  }

  private static func judge(_ broken: [PriorPromises.Promise], _ log: inout ReplayState) {
    guard log.droppedAt == nil else { return }
    for promise in broken where log.ledger.isLive(promise.slot) {
      // The unmatched half has the relevant line: deliveries carry no stack.
      let failed = promise.made ?? promise.began ?? promise.notified
      let rest =
        promise.made == nil
        ? [promise.notified] : [promise.began, promise.notified].compactMap(\.self)
      log.verdicts.append(
        Verdict(
          .priorWithoutAfter,
          of: log.ledger.slots[promise.slot].registration,
          [failed.as(.failed)] + rest + [log.ledger.slots[promise.slot].registered]
        )
      )
    }
  }
}
