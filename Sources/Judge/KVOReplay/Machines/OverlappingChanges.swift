import KVORules
import KVOTrace

/// Overlaps of changes on two threads (KVO024) that wait for the stacks of both.
///
/// A recorder captures the stack of a change that another one overlaps when the first change ends, so a verdict waits
/// until both changes have a stack or have ended.
///
/// Complexity: O(waiting overlaps) for the end of a change; their number is bounded.
struct OverlappingChanges: Sendable {
  private struct Waiting: Sendable {
    var verdict: Verdict
    /// Which parts of its evidence are the beginnings of changes that have not ended.
    var missing: [Int]
  }

  private static let capacity = 256

  private var waiting: [Waiting] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Two changes overlap.
  ///
  /// - Returns: the verdicts that have waited enough.
  mutating func found(_ verdict: Verdict) -> [Verdict] {
    let missing = verdict.evidence.indices.filter { verdict.evidence[$0].stack == .none }
    guard !missing.isEmpty else { return [verdict] }
    waiting.append(Waiting(verdict: verdict, missing: missing))
    return waiting.count > Self.capacity ? [waiting.removeFirst().verdict] : []
  }

  /// A change ended that began with `began`.
  ///
  /// - Returns: the verdicts that waited for it alone.
  mutating func end(_ began: Evidence, at evidence: Evidence) -> [Verdict] {
    for index in waiting.indices {
      let ended = waiting[index].missing.first { part in
        waiting[index].verdict.evidence[part].event == began.event
      }
      guard let ended else { continue }
      waiting[index].missing.removeAll { $0 == ended }
      waiting[index].verdict.evidence[ended].stack = evidence.stack
    }
    let over = waiting.filter(\.missing.isEmpty).map(\.verdict)
    if !over.isEmpty { waiting.removeAll(where: \.missing.isEmpty) }
    return over
  }

  /// The log has ended.
  mutating func finish() -> [Verdict] {
    defer { waiting = [] }
    return waiting.map(\.verdict)
  }
}
