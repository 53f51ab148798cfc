import KVORules
import KVOTrace

/// Overlaps of changes on two threads (KVO024) that wait for the stacks of both, and for the end of the first.
///
/// A recorder captures the stack of a change that another one overlaps when the first change ends, so a verdict waits
/// until both changes have a stack or have ended. The end of the first decides its confidence.
///
/// Complexity: O(waiting overlaps) for the end of a change; their number is bounded.
struct OverlappingChanges: Sendable {
  private struct Waiting: Sendable {
    var verdict: Verdict
    /// When the second change began.
    var moment: Moment
    /// Which parts of its evidence are the beginnings of changes that have not ended, and that it waits for.
    var missing: [Int]
  }

  private static let capacity = 256
  /// The part of the evidence that is the beginning of the first change.
  private static let first = 1

  private var waiting: [Waiting] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Two changes overlap, of which the second begins at `moment`.
  ///
  /// - Returns: the verdicts that have waited enough; beyond the capacity the oldest has.
  mutating func found(_ verdict: Verdict, at moment: Moment) -> [Verdict] {
    let missing = verdict.evidence.indices.filter { part in
      part == Self.first && verdict.confidence == .high || verdict.evidence[part].stack == .none
    }
    guard !missing.isEmpty else { return [verdict] }
    waiting.append(Waiting(verdict: verdict, moment: moment, missing: missing))
    return waiting.count > Self.capacity ? [Self.unended(waiting.removeFirst())] : []
  }

  /// The verdict of an overlap of which it is not known when the first change ended.
  private static func unended(_ waiting: Waiting) -> Verdict {
    var verdict = waiting.verdict
    if waiting.missing.contains(first) { verdict.confidence = .low }
    return verdict
  }

  /// A change ended that began with `began`.
  ///
  /// - Returns: the verdicts that waited for it alone.
  mutating func end(_ began: Evidence, at evidence: Evidence, _ moment: Moment) -> [Verdict] {
    for index in waiting.indices {
      let ended = waiting[index].missing.first { part in
        waiting[index].verdict.evidence[part].event == began.event
      }
      guard let ended else { continue }
      waiting[index].missing.removeAll { $0 == ended }
      if waiting[index].verdict.evidence[ended].stack == .none {
        waiting[index].verdict.evidence[ended].stack = evidence.stack
      }
      if ended == Self.first, !moment.isStatedLater(than: waiting[index].moment) {
        waiting[index].verdict.confidence = .low
      }
    }
    let over = waiting.filter(\.missing.isEmpty).map(\.verdict)
    if !over.isEmpty { waiting.removeAll(where: \.missing.isEmpty) }
    return over
  }

  /// Events are missing, which may have included the ends of all.
  ///
  /// - Returns: the verdicts that waited.
  mutating func lose() -> [Verdict] {
    defer { waiting = [] }
    return waiting.map(Self.unended)
  }

  /// The log has ended: changes that have not ended were still being made.
  mutating func finish() -> [Verdict] {
    defer { waiting = [] }
    return waiting.map(\.verdict)
  }
}
