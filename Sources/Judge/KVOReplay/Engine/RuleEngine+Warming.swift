private import CKVOIntrinsics
import KVORules
import KVOTrace

// With many live objects, judging waits for memory: an event finds its object and its registration by identifier, and
// each look-up misses the caches. But the addresses that an event needs are known well ahead of its turn, and a
// prefetch does not wait. Three passes, each of which reads the data prefetched by the previous one, run ahead of the
// judging, a group of an outline's steps apart.
//
// The functions are mutating, though two of them change nothing: the compiler copies the engine for a call of one that
// is not.
extension RuleEngine {
  /// How many steps of an outline are prefetched at a time: a power of two.
  static let warmedCount = 8

  /// Prefetches the data for the steps from `start` on, of which ``warmedCount`` are judged next, and their `events`.
  ///
  /// Call it with each multiple of ``warmedCount``. Does not affect verdicts.
  @inline(__always)
  mutating func warm(
    _ steps: UnsafeBufferPointer<EventOutline.Step>,
    of events: UnsafePointer<Event>,
    from start: Int
  ) {
    Self.warmEvents(events, of: steps, from: start + Self.warmedCount)
    // The data of few registrations is in the caches anyway.
    if log.ledger.liveCount > Self.warmingThreshold { warmGroups(of: steps, from: start) }
  }

  /// Another thread may have read the events, so that they are in the caches of another processor.
  private static func warmEvents(
    _ events: UnsafePointer<Event>,
    of steps: UnsafeBufferPointer<EventOutline.Step>,
    from start: Int
  ) {
    for at in group(of: steps, from: start) where steps[at].kind != .wholeChange {
      let event = UnsafeRawPointer(events + Int(steps[at].offset))
      kvos_prefetch(event)
      kvos_prefetch(event + 64)
    }
  }

  private static let warmingThreshold = 1_024

  private mutating func warmGroups(
    of steps: UnsafeBufferPointer<EventOutline.Step>,
    from start: Int
  ) {
    if start == 0 {
      warmBuckets(of: steps, from: 0)
      warmBuckets(of: steps, from: Self.warmedCount)
      warmTargets(of: steps, from: 0)
    }
    warmBuckets(of: steps, from: start + 2 * Self.warmedCount)
    warmTargets(of: steps, from: start + Self.warmedCount)
    warmNeighbors(of: steps, from: start)
  }

  private static func group(
    of steps: UnsafeBufferPointer<EventOutline.Step>,
    from start: Int
  ) -> Range<Int> {
    min(start, steps.count)..<min(start + Self.warmedCount, steps.count)
  }

  /// The first pass: the buckets of all identifiers, for the group that begins at `start`.
  private mutating func warmBuckets(
    of steps: UnsafeBufferPointer<EventOutline.Step>,
    from start: Int
  ) {
    for at in Self.group(of: steps, from: start) {
      log.subjects.prefetch(steps[at].subject)
      // The registration of a whole change is the newest of its object, or the change is not judged as a whole.
      guard steps[at].kind != .wholeChange else { continue }
      log.ledger.prefetchBuckets(steps[at].registration, steps[at].observer)
    }
  }

  /// The second pass: the targets of the buckets.
  private mutating func warmTargets(
    of steps: UnsafeBufferPointer<EventOutline.Step>,
    from start: Int
  ) {
    for at in Self.group(of: steps, from: start) {
      var found = Warmed()
      if steps[at].subject != WordTable.none {
        let subject = log.subjects.find(steps[at].subject)
        if steps[at].kind == .wholeChange {
          log.ledger.prefetchNewestLink(of: subject)
        } else {
          log.ledger.prefetchSubject(subject)
        }
        found.subject = Int32(truncatingIfNeeded: subject)
      }
      switch steps[at].kind {
      case .wholeChange, .change: break
      case .addition:
        if steps[at].observer != WordTable.none {
          log.ledger.prefetchNewest(of: steps[at].observer)
        }
      case .removal, .other:
        if steps[at].registration != WordTable.none {
          let slot = log.ledger.prefetchSlot(of: steps[at].registration)
          found.slot = Int32(truncatingIfNeeded: slot)
        }
      }
      warmed[at & (2 * Self.warmedCount - 1)] = found
    }
  }

  /// The third pass: the targets of those.
  ///
  /// What the second pass found may be outdated by now, but the indices are still inside the tables, which never shrink.
  private mutating func warmNeighbors(
    of steps: UnsafeBufferPointer<EventOutline.Step>,
    from start: Int
  ) {
    for at in Self.group(of: steps, from: start) {
      let found = warmed[at & (2 * Self.warmedCount - 1)]
      switch steps[at].kind {
      case .wholeChange: log.ledger.prefetchNotified(on: Int(found.subject))
      case .addition, .change: log.ledger.prefetchNewest(on: Int(found.subject))
      case .removal:
        log.ledger.prefetchHistory(of: Int(found.subject))
        log.prefetchOrigin(ofForgotten: Int(found.subject))
        log.ledger.prefetchNeighbors(of: Int(found.slot))
      case .other: break
      }
    }
  }

  /// What the second pass found for a step of an outline: indices in the ledger; -1: not found.
  struct Warmed: Sendable {
    var subject: Int32 = -1
    var slot: Int32 = -1
  }
}

extension WordTable {
  /// Prefetches the first bucket that ``find(_:)`` of `key` will read, unless `key` is ``none``.
  @inline(__always)
  func prefetch(_ key: UInt64) {
    if key != Self.none { withBucket(of: key) { kvos_prefetch($0) } }
  }
}

extension Array {
  /// Prefetches an element that may span two cache lines.
  @inline(__always)
  fileprivate func prefetch(_ index: Int) {
    withUnsafeBufferPointer { elements in
      let first = UnsafeRawPointer(elements.baseAddress.unsafelyUnwrapped + index)
      kvos_prefetch(first)
      kvos_prefetch(first + (MemoryLayout<Element>.size - 1))
    }
  }
}

extension ReplayState {
  /// The origin of the oldest registration that `subject` had: the next registration gets its slot.
  @inline(__always)
  fileprivate func prefetchOrigin(ofForgotten subject: Int) {
    if subject < 0 { return }
    let slot = Int(ledger.subjects[subject].oldestEnded)
    if slot < 0 { return }
    origins.prefetch(slot)
  }
}

extension RegistrationLedger {
  @inline(__always)
  func prefetchBuckets(_ id: UInt64, _ observer: UInt64) {
    ids.prefetch(id)
    observers.prefetch(observer)
  }

  /// What a whole change reads of an object: the second 16 bytes of its ``Subject``.
  @inline(__always)
  func prefetchNewestLink(of subject: Int) {
    if subject < 0 { return }
    subjects.withUnsafeBufferPointer { subjects in
      kvos_prefetch(UnsafeRawPointer(subjects.baseAddress.unsafelyUnwrapped + subject) + 16)
    }
  }

  @inline(__always)
  func prefetchSubject(_ subject: Int) {
    if subject >= 0 { subjects.prefetch(subject) }
  }

  /// Prefetches the slot of the registration `id`, and returns its index.
  @inline(__always)
  func prefetchSlot(of id: UInt64) -> Int {
    let slot = ids.find(id)
    prefetch(slot)
    return slot
  }

  /// The slot that the next registration of `observer` is chained to.
  @inline(__always)
  func prefetchNewest(of observer: UInt64) { prefetchLinks(observers.find(observer)) }

  /// What a whole change reads of the newest registration of `subject`.
  ///
  /// The marks of its slot, and the number, the key path and the executor of the registration: they are next to each
  /// other.
  @inline(__always)
  func prefetchNotified(on subject: Int) {
    if subject >= 0 { prefetch(Int(subjects[subject].newest), 24..<72) }
  }

  /// The newest registration of `subject`, which the next one is compared with, and which a change notifies.
  @inline(__always)
  func prefetchNewest(on subject: Int) {
    if subject >= 0 { prefetch(Int(subjects[subject].newest)) }
  }

  /// The slot that the next registration of `subject` to end is chained to, and the one that is forgotten for it.
  @inline(__always)
  func prefetchHistory(of subject: Int) {
    if subject < 0 { return }
    prefetchLinks(Int(subjects[subject].newestEnded))
    // Its slot is that of the next registration.
    prefetch(Int(subjects[subject].oldestEnded))
  }

  /// The slots that the registration at `slot` is taken from between.
  @inline(__always)
  func prefetchNeighbors(of slot: Int) {
    if slot < 0 { return }
    prefetchLinks(Int(slots[slot].olderOfObserver))
    prefetchLinks(Int(slots[slot].newerOfObserver))
  }

  /// Prefetches the data for ``release(_:)`` of two registrations: `next` soon, and `later` some time after.
  @inline(__always)
  func prefetchRelease(next: Int, later: Int) {
    if let id = slots[next].registration.id { ids.prefetch(id.rawValue) }
    prefetch(later, 0..<64)
  }

  /// The first part of a slot.
  @inline(__always)
  private func prefetchLinks(_ slot: Int) {
    if slot < 0 { return }
    slots.withUnsafeBufferPointer { kvos_prefetch($0.baseAddress.unsafelyUnwrapped + slot) }
  }

  /// Some bytes of a slot, which is longer than a cache line.
  @inline(__always)
  private func prefetch(_ slot: Int, _ bytes: Range<Int> = 0..<MemoryLayout<Slot>.size) {
    if slot < 0 { return }
    slots.withUnsafeBufferPointer { slots in
      let slot = UnsafeRawPointer(slots.baseAddress.unsafelyUnwrapped + slot)
      for offset in stride(from: bytes.lowerBound, to: bytes.upperBound, by: 64) {
        kvos_prefetch(slot + offset)
      }
      kvos_prefetch(slot + (bytes.upperBound - 1))
    }
  }
}
