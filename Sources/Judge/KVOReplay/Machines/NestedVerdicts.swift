import KVORules
import KVOTrace

/// Verdicts that hold only if a callback had not returned (KVO010 and KVO027).
///
/// A log without any `notifyEnd` does not show where a callback returned: callbacks that follow each other look like
/// callbacks inside each other. So a verdict waits until the log shows that its writer records ends, or that the
/// addition which makes the initial notification had not returned. A crash shows the same: a callback that calls itself
/// without end never returns.
///
/// Complexity: O(verdicts that wait) for every input; their number is bounded.
struct NestedVerdicts: Sendable {
  private static let capacity = 256

  private var waiting: [Verdict] = []
  /// The rules of which a verdict waited in vain.
  private(set) var undecided: Set<RuleCode> = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Takes the verdicts that need the ends of callbacks out of `verdicts`.
  mutating func take(from verdicts: inout [Verdict]) {
    for verdict in verdicts where Self.needsEnds(verdict) {
      if waiting.count < Self.capacity {
        waiting.append(verdict)
      } else {
        undecided.insert(verdict.code)
      }
    }
    verdicts.removeAll(where: Self.needsEnds)
  }

  /// An event of the log was judged.
  ///
  /// - Returns: the verdicts that it proves.
  mutating func conclude(of event: UnsafePointer<Event>) -> [Verdict] {
    switch event.pointee.body {
    case .notifyEnd, .crash:
      defer { waiting = [] }
      return waiting
    case .registerEnd(let id):
      // What happened between the two halves of an addition happened in the initial notification.
      let isProven = { (verdict: Verdict) in
        verdict.code == .removeDuringInitial && verdict.registration == id
      }
      defer { waiting.removeAll(where: isProven) }
      return waiting.filter(isProven)
    case .dropped, .sample:
      giveUp()
      return []
    default: return []
    }
  }

  /// The log ends.
  ///
  /// - Parameter hasEnds: whether the process may have ended inside a callback, and its writer records ends.
  /// - Returns: the verdicts that hold.
  mutating func finish(hasEnds: Bool) -> [Verdict] {
    if !hasEnds { giveUp() }
    defer { waiting = [] }
    return waiting
  }

  private mutating func giveUp() {
    undecided.formUnion(waiting.map(\.code))
    waiting = []
  }

  private static func needsEnds(_ verdict: Verdict) -> Bool {
    verdict.code == .reentrantChange || verdict.code == .removeDuringInitial
  }
}
