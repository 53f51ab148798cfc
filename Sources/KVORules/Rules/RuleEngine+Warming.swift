import KVOTrace

// Swift has no instruction that asks for memory ahead of its use. But loads that do not wait for each
// other are under way at the same time, and most of what an event needs is found by its identifiers
// alone. So for some dozens of events all buckets are read, then all that the buckets point to.
extension RuleEngine {
  /// Reads what judging `events` will read first.
  ///
  /// Changes nothing that is judged.
  mutating func warm(_ events: UnsafeBufferPointer<Event>) {
    // Small tables are in the caches anyway.
    guard ledger.slots.count > Self.warmingThreshold else { return }
    var sum: UInt64 = 0
    for at in 0..<events.count {
      switch events[at].body {
      case .register(let registration):
        sum &+= subjects.touch(registration.subject.id.rawValue)
        sum &+= ledger.touch(registration.id, registration.observer?.id)
      case .remove(let removal):
        sum &+= subjects.touch(removal.subject.id.rawValue)
        sum &+= ledger.touch(removal.registration, removal.observer?.id)
      case .willChange(let change): sum &+= subjects.touch(change.subject.id.rawValue)
      case .notify(let delivery): sum &+= ledger.touch(delivery.registration, nil)
      case .cancel(let id, _): sum &+= ledger.touch(id, nil)
      default: break
      }
    }
    for at in 0..<events.count {
      switch events[at].body {
      case .register(let registration):
        sum &+= ledger.touchSubject(subjects.find(registration.subject.id.rawValue))
        sum &+= ledger.touchNewest(of: registration.observer?.id)
      case .remove(let removal):
        sum &+= ledger.touchSubject(subjects.find(removal.subject.id.rawValue))
        sum &+= ledger.touchSlot(of: removal.registration)
      case .willChange(let change):
        sum &+= ledger.touchSubject(subjects.find(change.subject.id.rawValue))
      case .notify(let delivery): sum &+= ledger.touchSlot(of: delivery.registration)
      case .cancel(let id, _): sum &+= ledger.touchSlot(of: id)
      default: break
      }
    }
    for at in 0..<events.count {
      switch events[at].body {
      case .register(let registration):
        sum &+= ledger.touchNewest(on: subjects.find(registration.subject.id.rawValue))
      case .remove(let removal): sum &+= ledger.touchNeighbours(of: removal.registration)
      default: break
      }
    }
    // Kept, or the compiler would see that nobody needs it.
    warmth = sum
  }

  private static let warmingThreshold = 4_096
}

extension RegistrationLedger {
  @inline(__always)
  func touch(_ id: RegistrationID?, _ observer: ObjectID?) -> UInt64 {
    (id.map { ids.touch($0.rawValue) } ?? 0) &+ (observer.map { observers.touch($0.rawValue) } ?? 0)
  }

  @inline(__always)
  func touchSubject(_ subject: Int) -> UInt64 {
    subject < 0 ? 0 : subjects[subject].lastOrder
  }

  @inline(__always)
  func touchSlot(of id: RegistrationID?) -> UInt64 {
    guard let id else { return 0 }
    let slot = ids.find(id.rawValue)
    return slot < 0 ? 0 : touch(slot)
  }

  /// The slot that the next registration of `observer` is chained to.
  @inline(__always)
  func touchNewest(of observer: ObjectID?) -> UInt64 {
    guard let observer else { return 0 }
    let slot = observers.find(observer.rawValue)
    return slot < 0 ? 0 : UInt64(truncatingIfNeeded: slots[slot].newerOfObserver)
  }

  /// The slot that the next registration of `subject` is chained to, and compared with.
  @inline(__always)
  func touchNewest(on subject: Int) -> UInt64 {
    guard subject >= 0, subjects[subject].newest >= 0 else { return 0 }
    return touch(Int(subjects[subject].newest))
  }

  /// The slots that the registration is taken from between.
  @inline(__always)
  func touchNeighbours(of id: RegistrationID?) -> UInt64 {
    guard let id else { return 0 }
    let slot = ids.find(id.rawValue)
    if slot < 0 { return 0 }
    let older = Int(slots[slot].olderOfObserver)
    let newer = Int(slots[slot].newerOfObserver)
    var sum: UInt64 = 0
    if older >= 0 { sum &+= UInt64(truncatingIfNeeded: slots[older].newer) }
    if newer >= 0 { sum &+= UInt64(truncatingIfNeeded: slots[newer].newer) }
    return sum
  }

  /// A slot is longer than a cache line, and what stands in it is needed from its ends.
  @inline(__always)
  private func touch(_ slot: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: slots[slot].newer)
      &+ UInt64(slots[slot].registration.expectedToLive.rawValue)
      &+ UInt64(truncatingIfNeeded: slots[slot].later.event)
  }
}
