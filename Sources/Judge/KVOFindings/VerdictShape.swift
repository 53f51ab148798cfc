package import KVORules
private import KVOTrace

/// A verdict without what differs from one occurrence of a fault to the next: the events, and which objects of their
/// classes they were about.
///
/// Verdicts of equal shape become findings with the same signature, lines, severity and confidence, as long as
/// one ``FindingBuilder`` makes them: nothing else of an occurrence counts once there is one like it.
package struct VerdictShape: Hashable {
  private let verdict: Verdict

  /// Makes the shape of `verdict`.
  package init(_ verdict: Verdict) { self.verdict = verdict }

  package static func == (left: VerdictShape, right: VerdictShape) -> Bool {
    let (left, right) = (left.verdict, right.verdict)
    // The objects by class and kind, and by whether they are the same one: advice of an object that observes
    // itself differs.
    return left.code == right.code && left.keyPath == right.keyPath
      && left.subject?.className == right.subject?.className
      && left.subject?.kind == right.subject?.kind
      && left.observer?.className == right.observer?.className
      && left.observer?.kind == right.observer?.kind
      && (left.subject?.id == left.observer?.id) == (right.subject?.id == right.observer?.id)
      && left.context == right.context && left.form == right.form
      && left.severity == right.severity && left.confidence == right.confidence
      && left.isHistoryLost == right.isHistoryLost && left.isExpected == right.isExpected
      && left.evidence.elementsEqual(right.evidence) {
        $0.role == $1.role && $0.stack == $1.stack && $0.site == $1.site
      } && left.detail == right.detail
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(verdict.code)
    hasher.combine(verdict.keyPath)
    hasher.combine(verdict.subject?.className)
    hasher.combine(verdict.observer?.className)
    for evidence in verdict.evidence {
      hasher.combine(evidence.stack)
      hasher.combine(evidence.site)
    }
  }
}
