import KVORules
import KVOTrace

/// The removals by name that have not returned, and operations that overlap them (KVO025).
///
/// A log without any `removeEnd` does not show how long a removal takes: without one there is no verdict. A verdict waits
/// for the end of the removal that began first, which decides its confidence.
///
/// Complexity: O(open removals) for every input; their number is bounded.
struct OpenRemovals: Sendable {
  struct Open: Sendable {
    var thread: Int
    var removal: Removal
    /// The context of the registration that it matched, or else the one that it states.
    var context: Context
    /// The registration that it matched, in the ledger; -1: none.
    var slot: Int
    /// The event of that registration: the slot may have been reused since.
    var registered: Int
    var began: Evidence
  }

  private struct Waiting: Sendable {
    var verdict: Verdict
    /// When what overlaps the removal began.
    var moment: Moment
    /// The event of the removal whose end it waits for; nil: that is over.
    var removal: Int?
  }

  private static let capacity = 64

  private var open: [Open] = []
  /// Whether the log has ends of removals at all.
  private(set) var hasEnds = false
  private var waiting: [Waiting] = []
  /// Whether one that matched nothing may be open.
  private(set) var hasUnmatched = false

  var isEmpty: Bool { open.isEmpty }
  var isWaiting: Bool { !waiting.isEmpty }

  /// The removal of the same registration that another thread is performing.
  ///
  /// `registered` is the event of the registration at `slot`, and `context` its context, or that of the removal.
  func overlapping(
    _ removal: Removal,
    _ context: Context,
    _ slot: Int,
    registered: Int,
    on thread: Int
  ) -> Open? {
    open.last { other in
      guard other.thread != thread, other.removal.subject.id == removal.subject.id
      else { return false }
      if slot >= 0, other.slot >= 0 { return slot == other.slot && registered == other.registered }
      if let id = removal.registration, id == other.removal.registration { return true }
      return NamePair(removal) == NamePair(other.removal)
        && Self.mayBeSame(context, other.context)
        // One of the two matched nothing: they can still have had the same target. If neither matched, there was none.
        && (slot < 0) != (other.slot < 0)
    }
  }

  /// The removals on `object` that threads other than `thread` are performing.
  func removals(on object: ObjectID, notOn thread: Int) -> [Open] {
    open.filter { $0.removal.subject.id == object && $0.thread != thread }
  }

  /// The removals of `thread` that matched nothing are over.
  ///
  /// - Returns: the verdicts that have waited enough.
  mutating func endUnmatched(on thread: Int) -> [Verdict] {
    for ended in open where ended.thread == thread && ended.slot < 0 { conclude(ended, at: nil) }
    open.removeAll { $0.thread == thread && $0.slot < 0 }
    hasUnmatched = open.contains { $0.slot < 0 }
    return takeConcluded()
  }

  /// A removal begins; beyond the capacity the oldest is dropped.
  mutating func begin(
    _ removal: Removal,
    _ context: Context,
    _ slot: Int,
    registered: Int,
    on thread: Int,
    at evidence: Evidence
  ) {
    if open.count == Self.capacity { open.removeFirst() }
    if slot < 0 { hasUnmatched = true }
    open.append(
      Open(
        thread: thread,
        removal: removal,
        context: context,
        slot: slot,
        registered: registered,
        began: evidence
      )
    )
  }

  /// Events are missing, which may have included the returns of all.
  ///
  /// - Returns: the verdicts that have waited enough.
  mutating func forget() -> [Verdict] {
    for ended in open { conclude(ended, at: nil) }
    open = []
    return takeConcluded()
  }

  /// A removal returned.
  ///
  /// - Returns: the verdicts that have waited enough.
  mutating func end(_ removal: Removal, on thread: Int, at moment: Moment) -> [Verdict] {
    let index =
      open.lastIndex {
        $0.thread == thread && $0.removal.subject.id == removal.subject.id
          && NamePair($0.removal) == NamePair(removal) && $0.removal.context == removal.context
      } ?? open.lastIndex { $0.thread == thread && Self.mayReturn($0.removal, in: removal) }
    if let index { conclude(open.remove(at: index), at: moment) }
    hasEnds = true
    return takeConcluded()
  }

  /// The log has ended: removals that have not returned were still running.
  mutating func finish() -> [Verdict] {
    defer { waiting = [] }
    return hasEnds ? waiting.map(\.verdict) : []
  }

  /// `removal` is over; nil: the log does not state when.
  private mutating func conclude(_ removal: Open, at moment: Moment?) {
    for index in waiting.indices where waiting[index].removal == removal.began.event {
      waiting[index].removal = nil
      if moment?.isStatedLater(than: waiting[index].moment) != true {
        waiting[index].verdict.confidence = .low
      }
    }
  }

  private mutating func takeConcluded() -> [Verdict] {
    if !hasEnds || waiting.isEmpty { return [] }
    let over = waiting.filter { $0.removal == nil }.map(\.verdict)
    if !over.isEmpty { waiting.removeAll { $0.removal == nil } }
    return over
  }

  /// Whether `end` may be the return of `removal`, although it does not repeat all of its keys, or has more of them.
  private static func mayReturn(_ removal: Removal, in end: Removal) -> Bool {
    guard removal.subject.id == end.subject.id, removal.keyPath == end.keyPath else { return false }
    if let one = removal.registration, let other = end.registration { return one == other }
    let isSameObserver =
      removal.observer == nil || end.observer == nil || removal.observer?.id == end.observer?.id
    return isSameObserver && mayBeSame(removal.context, end.context)
  }

  private static func mayBeSame(_ one: Context, _ other: Context) -> Bool {
    one == .unspecified || other == .unspecified || one == other
  }

  /// What began at `moment` overlaps the removal that began at `removal`, which has not returned.
  ///
  /// - Returns: the verdicts that have waited enough; beyond the capacity the oldest has.
  mutating func found(_ verdict: Verdict, during removal: Evidence, at moment: Moment) -> [Verdict]
  {
    waiting.append(Waiting(verdict: verdict, moment: moment, removal: removal.event))
    if waiting.count <= Self.capacity { return [] }
    var oldest = waiting.removeFirst().verdict
    oldest.confidence = .low
    return hasEnds ? [oldest] : []
  }
}
