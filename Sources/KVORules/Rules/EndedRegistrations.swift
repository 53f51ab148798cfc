import KVOTrace

/// The newest registrations of one object that are over, and where each ended.
///
/// A ring of bounded size: what falls out of it is forgotten, and ``isIncomplete`` says so.
struct EndedRegistrations: Sendable {
  struct Entry: Sendable {
    var registration: Registration
    var registered: Evidence
    var ended: Evidence
    /// Nil where it was removed by name.
    var cause: CancelCause?
  }

  private let capacity: Int
  private var ring: [Entry] = []
  /// Where the oldest entry is, once the ring is full.
  private var start = 0
  /// Whether an entry was evicted.
  private(set) var isIncomplete = false

  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// Remembers `entry` as the newest.
  ///
  /// Complexity: O(1) amortised.
  mutating func append(_ entry: Entry) {
    if ring.count < capacity {
      ring.append(entry)
      return
    }
    isIncomplete = true
    guard capacity > 0 else { return }
    ring[start] = entry
    start = (start + 1) % capacity
  }

  /// The newest entry of which `matches` is true.
  ///
  /// Complexity: O(capacity), which is a constant.
  func newest(where matches: (Entry) -> Bool) -> Entry? {
    for step in ring.indices.reversed() {
      let entry = ring[(start + step) % ring.count]
      if matches(entry) { return entry }
    }
    return nil
  }
}
