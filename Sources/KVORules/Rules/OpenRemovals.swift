import KVOTrace

/// The removals by name that have not returned, and what overlaps them (KVO025).
///
/// A log without any `removeEnd` does not say how long a removal takes: what would be found is kept
/// until the first one comes.
///
/// Complexity: O(open removals) for every input; their number is bounded.
struct OpenRemovals: Sendable {
  struct Open: Sendable {
    var thread: Int
    var removal: Removal
    /// The registration that it matched, in the ledger; -1: none.
    var slot: Int
    var began: Evidence
  }

  private static let capacity = 64

  private var open: [Open] = []
  /// Whether the log has ends of removals at all.
  private(set) var hasEnds = false
  private var waiting: [Verdict] = []

  var isEmpty: Bool { open.isEmpty }

  /// The removal of the same registration that another thread is in.
  func overlapping(_ removal: Removal, _ slot: Int, on thread: Int) -> Open? {
    open.last { other in
      guard other.thread != thread, other.removal.subject.id == removal.subject.id
      else { return false }
      if slot >= 0, other.slot >= 0 { return slot == other.slot }
      if let id = removal.registration, id == other.removal.registration { return true }
      return NamePair(removal) == NamePair(other.removal)
        && (removal.context == .unspecified || other.removal.context == .unspecified
          || removal.context == other.removal.context)
        // One of the two matched nothing: that they were after the same thing is what is left.
        && (slot < 0 || other.slot < 0)
    }
  }

  /// The removals on `object` that other threads than `thread` are in.
  func removals(on object: ObjectID, notOn thread: Int) -> [Open] {
    open.filter { $0.removal.subject.id == object && $0.thread != thread }
  }

  /// A removal begins; beyond the capacity the oldest is forgotten.
  mutating func begin(_ removal: Removal, _ slot: Int, on thread: Int, at evidence: Evidence) {
    if open.count == Self.capacity { open.removeFirst() }
    open.append(Open(thread: thread, removal: removal, slot: slot, began: evidence))
  }

  /// Events are missing, which may have been the returns of all.
  mutating func forget() { open = [] }

  /// A removal returned.
  ///
  /// - Returns: what was waiting for the first of them.
  mutating func end(_ removal: Removal, on thread: Int) -> [Verdict] {
    let place = open.lastIndex {
      $0.thread == thread && $0.removal.subject.id == removal.subject.id
        && NamePair($0.removal) == NamePair(removal) && $0.removal.context == removal.context
    }
    if let place { open.remove(at: place) }
    if hasEnds { return [] }
    hasEnds = true
    defer { waiting = [] }
    return waiting
  }

  /// - Returns: whether the verdict holds; otherwise it waits for the first end.
  mutating func admit(_ verdict: Verdict) -> Bool {
    if hasEnds { return true }
    if waiting.count < Self.capacity { waiting.append(verdict) }
    return false
  }
}
