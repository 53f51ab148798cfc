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
    if start == 0 {
      warmBuckets(of: events, from: 0, in: 1)
      warmBuckets(of: events, from: Self.warmedCount, in: 2)
      warmSlots(in: 1)
    }
    warmed.advance()
    warmBuckets(of: events, from: start + 2 * Self.warmedCount, in: 2)
    warmSlots(in: 1)
    warmNeighbors(in: 0)
  }

  /// The first step: the buckets of all identifiers, for the events of the group that begins at `start`.
  private mutating func warmBuckets(
    of events: UnsafeBufferPointer<Event>,
    from start: Int,
    in group: Int
  ) {
    warmed.clear(group)
    guard let first = events.baseAddress else { return }
    for at in min(start, events.count)..<min(start + Self.warmedCount, events.count) {
      guard let needs = Needs(first + at, isFirst: at == 0) else { continue }
      log.subjects.prefetch(needs.subject)
      log.ledger.prefetchBuckets(needs.registration, needs.observer)
      warmed.append(needs, to: group)
    }
  }

  /// The second step: the targets of the buckets.
  private mutating func warmSlots(in group: Int) {
    for at in warmed.range(of: group) {
      let needs = warmed[at]
      if needs.subject != WordTable.none {
        let subject = log.subjects.find(needs.subject)
        log.ledger.prefetchSubject(subject)
        warmed[at].foundSubject = Int32(truncatingIfNeeded: subject)
      }
      if needs.registration != WordTable.none, needs.kind != .addition {
        let slot = log.ledger.prefetchSlot(of: needs.registration)
        warmed[at].foundSlot = Int32(truncatingIfNeeded: slot)
      }
      if needs.observer != WordTable.none, needs.kind == .addition {
        log.ledger.prefetchNewest(of: needs.observer)
      }
    }
  }

  /// The third step: the targets of those.
  ///
  /// What the second step found may be outdated by now, but the indices are still inside the tables, which never shrink.
  private mutating func warmNeighbors(in group: Int) {
    for at in warmed.range(of: group) {
      let needs = warmed[at]
      switch needs.kind {
      case .addition, .change: log.ledger.prefetchNewest(on: Int(needs.foundSubject))
      case .removal:
        log.ledger.prefetchHistory(of: Int(needs.foundSubject))
        log.ledger.prefetchNeighbors(of: Int(needs.foundSlot))
      case .other: break
      }
    }
  }

  /// What an event looks up, and what was found: in plain words, because only the first step looks at events.
  struct Needs: Sendable {
    enum Kind: Sendable {
      case addition
      case removal
      case change
      case other
    }

    // The identifiers; ``WordTable/none``: none.
    var subject = WordTable.none
    var registration = WordTable.none
    var observer = WordTable.none
    /// The indices in the ledger; -1: not found.
    var foundSubject: Int32 = -1
    var foundSlot: Int32 = -1
    var kind = Kind.other

    fileprivate init() {}

    /// The needs of the event at `event`; nil: none that the events before it do not have.
    ///
    /// Looks at it through its pointer: the compiler copies an element that it takes from a buffer.
    @inline(__always)
    fileprivate init?(_ event: UnsafePointer<Event>, isFirst: Bool) {
      switch event.pointee.body {
      case .register(let registration):
        kind = .addition
        subject = registration.subject.id.rawValue
        self.registration = registration.id?.rawValue ?? WordTable.none
        observer = registration.observer?.id.rawValue ?? WordTable.none
      case .remove(let removal):
        kind = .removal
        subject = removal.subject.id.rawValue
        registration = removal.registration?.rawValue ?? WordTable.none
        observer = removal.observer?.id.rawValue ?? WordTable.none
      case .willChange(let change):
        kind = .change
        subject = change.subject.id.rawValue
      case .notify(let delivery):
        // Right after its change it is that of the newest registration of the object, or near it.
        if !isFirst, case .didChange = (event - 1).pointee.body { return nil }
        registration = delivery.registration.rawValue
      case .cancel(let id, _): registration = id.rawValue
      default: return nil
      }
    }
  }

  /// The needs of three groups of events, one for each step.
  struct Warmed: Sendable {
    private var all = Array(repeating: Needs(), count: 3 * RuleEngine.warmedCount)
    private var counts = SIMD4<Int>(repeating: 0)
    /// The index of the first of the three; the others follow it, after the last index from 0 again.
    private var first = 0

    subscript(at: Int) -> Needs {
      get { all[at] }
      set { all[at] = newValue }
    }

    /// The second and the third group become the first and the second.
    mutating func advance() { first = index(1) }

    func range(of group: Int) -> Range<Int> {
      let start = index(group) * RuleEngine.warmedCount
      return start..<(start + counts[index(group)])
    }

    mutating func clear(_ group: Int) { counts[index(group)] = 0 }

    mutating func append(_ needs: Needs, to group: Int) {
      let group = index(group)
      all[group * RuleEngine.warmedCount + counts[group]] = needs
      counts[group] += 1
    }

    private func index(_ group: Int) -> Int {
      let index = first + group
      return index >= 3 ? index - 3 : index
    }
  }
}

extension WordTable {
  /// Prefetches the first bucket that ``find(_:)`` of `key` will read, unless `key` is ``none``.
  @inline(__always)
  func prefetch(_ key: UInt64) {
    if key != Self.none { withBucket(of: key) { kvos_prefetch($0) } }
  }
}

extension RegistrationLedger {
  @inline(__always)
  func prefetchBuckets(_ id: UInt64, _ observer: UInt64) {
    ids.prefetch(id)
    observers.prefetch(observer)
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

  /// The newest registration of `subject`, which the next one is compared with, and which a change notifies.
  @inline(__always)
  func prefetchNewest(on subject: Int) {
    if subject >= 0 { prefetch(Int(subjects[subject].newest)) }
  }

  /// The slot that the next registration of `subject` to end is chained to.
  @inline(__always)
  func prefetchHistory(of subject: Int) {
    if subject >= 0 { prefetchLinks(Int(subjects[subject].newestEnded)) }
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
