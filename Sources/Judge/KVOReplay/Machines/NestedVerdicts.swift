import KVORules
import KVOTrace

/// Verdicts that hold only if a callback had not returned (KVO010 and KVO027).
///
/// A log without any `notifyEnd` does not show where a callback returned: callbacks that follow each other look like
/// callbacks inside each other. So a verdict waits until the log shows that its writer records ends, or that the
/// addition which makes the initial notification had not returned. A crash shows the same if the writer records the ends
/// of additions, as the recorders do: a callback that calls itself without end never returns. In a log with no ends at
/// all it may be any crash, long after the callbacks.
///
/// Complexity: O(verdicts that wait) for every input; their number is bounded.
struct NestedVerdicts: Sendable {
  private static let capacity = 256

  private struct Waiting {
    var verdict: Verdict
    /// Whether its registration or one of its objects ended: a crash is not that of its callbacks.
    var isOver = false
  }

  private var waiting: [Waiting] = []
  /// The rules of which a verdict waited in vain.
  private(set) var undecided: Set<RuleCode> = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Takes the verdicts that need the ends of callbacks out of `verdicts`.
  mutating func take(from verdicts: inout [Verdict]) {
    for verdict in verdicts where Self.needsEnds(verdict) {
      if waiting.count < Self.capacity {
        waiting.append(Waiting(verdict: verdict))
      } else {
        undecided.insert(verdict.code)
      }
    }
    verdicts.removeAll(where: Self.needsEnds)
  }

  /// An event of the log was judged.
  ///
  /// - Parameters:
  ///   - event: the event.
  ///   - recordsAdditions: whether the log has ends of additions.
  /// - Returns: the verdicts that it proves.
  mutating func conclude(
    of event: UnsafePointer<Event>,
    recordsAdditions: Bool
  ) -> [Verdict] {
    switch event.pointee.body {
    case .notifyEnd: return settle { _ in true }
    case .crash(let crash):
      let thread = event.pointee.thread
      return settle { each in
        guard recordsAdditions else { return false }
        if each.verdict.code == .removeDuringInitial { return true }
        // A full stack is a bad access, of the thread whose callbacks fill it.
        let own = each.verdict.evidence.first?.thread
        return crash.exception == .none && !each.isOver
          && (thread == nil || own == nil || thread == own)
      }
    case .registerEnd(let id):
      // What happened between the two halves of an addition happened in the initial notification.
      let isProven = { (each: Waiting) in
        each.verdict.code == .removeDuringInitial && each.verdict.registration == id
      }
      defer { waiting.removeAll(where: isProven) }
      return waiting.filter(isProven).map(\.verdict)
    case .remove(let removal):
      markOver { verdict in
        verdict.subject?.id == removal.subject.id && verdict.keyPath == removal.keyPath
          && verdict.observer?.id == removal.observer?.id
      }
    case .cancel(let id, _): markOver { $0.registration == id }
    case .deinitEnd(let object):
      markOver { $0.subject?.id == object.id || $0.observer?.id == object.id }
    case .dropped, .sample: giveUp()
    default: break
    }
    return []
  }

  private mutating func markOver(where isOver: (Verdict) -> Bool) {
    for at in waiting.indices where isOver(waiting[at].verdict) { waiting[at].isOver = true }
  }

  /// The log ends.
  ///
  /// - Parameter isInAddition: whether the process may have ended inside an addition whose end its writer would record.
  ///   That does not show that it records the ends of callbacks as well: those of a process that is still running look
  ///   like callbacks inside each other.
  /// - Returns: the verdicts that hold.
  mutating func finish(isInAddition: Bool) -> [Verdict] {
    settle { isInAddition && $0.verdict.code == .removeDuringInitial }
  }

  /// Ends the waiting.
  ///
  /// - Returns: the verdicts that are proven.
  private mutating func settle(_ isProven: (Waiting) -> Bool) -> [Verdict] {
    let proven = waiting.filter(isProven)
    waiting.removeAll(where: isProven)
    giveUp()
    return proven.map(\.verdict)
  }

  private mutating func giveUp() {
    undecided.formUnion(waiting.map(\.verdict.code))
    waiting = []
  }

  private static func needsEnds(_ verdict: Verdict) -> Bool {
    verdict.code == .reentrantChange || verdict.code == .removeDuringInitial
  }
}
