import KVOAudit
import KVORules
import KVOText

/// What the headings of a page, a comment on a pull request and a difference say alike.
enum Headline {
  /// In place of counts of findings.
  static let nothing = "nothing found"

  /// The same if no rule was judged.
  static let nothingJudged = "nothing judged"

  /// The heading of a report.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - found: the counts of what was found, in words; empty: nothing was.
  ///   - isUnjudged: whether no rule was judged.
  /// - Returns: the counts, after the word that input is missing, and before the suppressions that need attention.
  static func verdict(_ report: AuditReport, found: [String], isUnjudged: Bool) -> String {
    let counts = found.isEmpty ? [isUnjudged ? nothingJudged : nothing] : found
    return gap(report.mayLackFindings)
      + (counts + report.suppressionProblems).joined(separator: ", ")
  }

  /// What precedes the counts; `mayLackFindings` if there may be more findings than were found.
  static func gap(_ mayLackFindings: Bool) -> String { mayLackFindings ? "incomplete input, " : "" }
}

extension AuditReport {
  /// How many suppressions are errors or warnings, by what is wrong: `1 expired suppression`.
  var suppressionProblems: [String] {
    SuppressionOutcome.State.allCases.compactMap { state in
      let count = suppressions.count { outcome in
        outcome.state == state && (outcome.severity.map { $0 >= .warning } ?? false)
      }
      return count == 0 ? nil : Wording.count(count, "\(state.rawValue) suppression")
    }
  }
}
