private import CKVOIntrinsics
import KVORules
import KVOTrace

// With many live objects, judging waits for memory: an event finds its object and its registration by identifier, and
// each look-up misses the caches. But the addresses that an event needs are known well ahead of its turn, and a
// prefetch does not wait. Three prefetch steps, each of which reads the data prefetched by the previous one, run ahead
// of the judging, a group of events apart.
extension RuleEngine {
  /// How many events are prefetched at a time.
  static let warmedCount = 16

  /// Prefetches the data for the events from `start` on, of which ``warmedCount`` are judged next.
  ///
  /// Call it with each multiple of ``warmedCount``. Does not affect verdicts.
  @inline(__always)
  mutating func warm(_ events: UnsafeBufferPointer<Event>, from start: Int) {
    // The data of few registrations is in the caches anyway.
    if log.ledger.liveCount > Self.warmingThreshold { warmSteps(events, from: start) }
  }

  private static let warmingThreshold = 1_024

  private mutating func warmSteps(_ events: UnsafeBufferPointer<Event>, from start: Int) {
    func group(_ number: Int) -> Range<Int> {
      let start = min(start + number * Self.warmedCount, events.count)
      return start..<min(start + Self.warmedCount, events.count)
    }
    guard let first = events.baseAddress else { return }
    if start == 0 {
      warmBuckets(of: first, group(0))
      warmBuckets(of: first, group(1))
      warmSlots(of: first, group(0))
    }
    warmBuckets(of: first, group(2))
    warmSlots(of: first, group(1))
    warmNeighbours(of: first, group(0))
  }

  // Events are looked at through their pointer: the compiler copies an element that it takes from a buffer.

  /// The first step: the buckets of all identifiers.
  private mutating func warmBuckets(of events: UnsafePointer<Event>, _ range: Range<Int>) {
    for at in range {
      switch (events + at).pointee.body {
      case .register(let registration):
        log.subjects.prefetch(registration.subject.id.rawValue)
        log.ledger.prefetchBuckets(registration.id, registration.observer?.id)
      case .remove(let removal):
        log.subjects.prefetch(removal.subject.id.rawValue)
        log.ledger.prefetchBuckets(removal.registration, removal.observer?.id)
      case .willChange(let change): log.subjects.prefetch(change.subject.id.rawValue)
      case .notify(let delivery): log.ledger.prefetchBuckets(delivery.registration, nil)
      case .cancel(let id, _): log.ledger.prefetchBuckets(id, nil)
      default: break
      }
    }
  }

  /// The second step: the targets of the buckets.
  private mutating func warmSlots(of events: UnsafePointer<Event>, _ range: Range<Int>) {
    for at in range {
      switch (events + at).pointee.body {
      case .register(let registration):
        log.ledger.prefetchSubject(log.subjects.find(registration.subject.id.rawValue))
        if let observer = registration.observer { log.ledger.prefetchNewest(of: observer.id) }
      case .remove(let removal):
        log.ledger.prefetchSubject(log.subjects.find(removal.subject.id.rawValue))
        if let id = removal.registration { log.ledger.prefetchSlot(of: id) }
      case .willChange(let change):
        log.ledger.prefetchSubject(log.subjects.find(change.subject.id.rawValue))
      case .notify(let delivery): log.ledger.prefetchSlot(of: delivery.registration)
      case .cancel(let id, _): log.ledger.prefetchSlot(of: id)
      default: break
      }
    }
  }

  /// The third step: the targets of those.
  private mutating func warmNeighbours(of events: UnsafePointer<Event>, _ range: Range<Int>) {
    for at in range {
      switch (events + at).pointee.body {
      case .register(let registration):
        log.ledger.prefetchNewest(on: log.subjects.find(registration.subject.id.rawValue))
      case .remove(let removal):
        log.ledger.prefetchHistory(of: log.subjects.find(removal.subject.id.rawValue))
        if let id = removal.registration { log.ledger.prefetchNeighbours(of: id) }
      default: break
      }
    }
  }
}

extension WordTable {
  /// Prefetches the first bucket that ``find(_:)`` of `key` will read.
  @inline(__always)
  func prefetch(_ key: UInt64) {
    withBucket(of: key) { kvos_prefetch($0) }
  }
}

extension RegistrationLedger {
  @inline(__always)
  func prefetchBuckets(_ id: RegistrationID?, _ observer: ObjectID?) {
    if let id { ids.prefetch(id.rawValue) }
    if let observer { observers.prefetch(observer.rawValue) }
  }

  @inline(__always)
  func prefetchSubject(_ subject: Int) {
    if subject < 0 { return }
    subjects.withUnsafeBufferPointer { subjects in
      // It may span two cache lines.
      let first = UnsafeRawPointer(subjects.baseAddress.unsafelyUnwrapped + subject)
      kvos_prefetch(first)
      kvos_prefetch(first + (MemoryLayout<Subject>.size - 1))
    }
  }

  @inline(__always)
  func prefetchSlot(of id: RegistrationID) { prefetch(ids.find(id.rawValue)) }

  /// The slot that the next registration of `observer` is chained to.
  @inline(__always)
  func prefetchNewest(of observer: ObjectID) { prefetchLinks(observers.find(observer.rawValue)) }

  /// The slot that the next registration of `subject` is chained to, and compared with.
  @inline(__always)
  func prefetchNewest(on subject: Int) {
    if subject >= 0 { prefetch(Int(subjects[subject].newest)) }
  }

  /// The slot that the next registration of `subject` to end is chained to.
  @inline(__always)
  func prefetchHistory(of subject: Int) {
    if subject >= 0 { prefetchLinks(Int(subjects[subject].newestEnded)) }
  }

  /// The slots that the registration is taken from between.
  @inline(__always)
  func prefetchNeighbours(of id: RegistrationID) {
    let slot = ids.find(id.rawValue)
    if slot < 0 { return }
    prefetchLinks(Int(slots[slot].olderOfObserver))
    prefetchLinks(Int(slots[slot].newerOfObserver))
  }

  /// Prefetches the data for ``release(_:)`` of two registrations: `next` soon, and `later` some time after.
  @inline(__always)
  func prefetchRelease(next: Int, later: Int) {
    if let id = slots[next].registration.id { ids.prefetch(id.rawValue) }
    prefetchLinks(later)
  }

  /// The first part of a slot.
  @inline(__always)
  private func prefetchLinks(_ slot: Int) {
    if slot < 0 { return }
    slots.withUnsafeBufferPointer { kvos_prefetch($0.baseAddress.unsafelyUnwrapped + slot) }
  }

  /// The whole slot, which is longer than a cache line.
  @inline(__always)
  private func prefetch(_ slot: Int) {
    if slot < 0 { return }
    slots.withUnsafeBufferPointer { slots in
      let first = UnsafeRawPointer(slots.baseAddress.unsafelyUnwrapped + slot)
      for offset in stride(from: 0, to: MemoryLayout<Slot>.size, by: 64) {
        kvos_prefetch(first + offset)
      }
      kvos_prefetch(first + (MemoryLayout<Slot>.size - 1))
    }
  }
}
