import KVORules
import KVOTrace

extension SuppressionOutcome {
  /// The effect of each suppression in any of the reports.
  ///
  /// One that was used in one report is needed, regardless of the others.
  package static func merging(_ outcomes: [SuppressionOutcome]) -> [SuppressionOutcome] {
    Dictionary(grouping: outcomes, by: \.suppression)
      .map { suppression, outcomes in
        let states = Set(outcomes.map(\.state))
        let state =
          [State.expired, .ambiguous, .used, .stale].first(where: states.contains) ?? .unused
        return SuppressionOutcome(
          suppression,
          state: state,
          matchCount: outcomes.reduce(0) { $0.addingCount($1.matchCount) }
        )
      }
      .sorted {
        let (left, right) = ($0.suppression, $1.suppression)
        if left.file != right.file || left.line != right.line {
          return (left.file, left.line) < (right.file, right.line)
        }
        return (left.rule.text, left.until, left.reason)
          < (right.rule.text, right.until, right.reason)
      }
  }
}
