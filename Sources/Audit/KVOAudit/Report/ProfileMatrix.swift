package import KVOFindings
package import KVORules

/// The effect of each fault of some logs on each runtime.
///
/// Each runtime keeps registrations in its own way, so that a fault on one may not be a fault on another.
package struct ProfileMatrix: Sendable {
  /// The severity and effect of a fault on one runtime.
  package struct Cell: Hashable, Sendable {
    package var severity: Severity
    package var consequence: Consequence
    package var count: Int
    /// Whether it follows from another fault there, and is not counted beside that.
    package var isConsequence: Bool
    /// Whether a test expects it, or it is suppressed: it does not count.
    package var isExpected = false
    package var isSuppressed = false
    /// Whether it makes a build fail if it is severe enough.
    package var mayFail: Bool

    package var counts: Bool { !isExpected && !isSuppressed }
  }

  /// A fault, by signature.
  package struct Row: Sendable {
    package var code: RuleCode
    package var signature: String
    /// As the first runtime that has the fault reports it.
    package var message: String
    /// A runtime that does not have the fault is missing.
    package var cells: [Profile: Cell]

    /// Its highest severity on any runtime.
    package var severity: Severity { cells.values.map(\.severity).max() ?? .note }
  }

  /// By severity (worst first), then code, then as the reports have them.
  package let rows: [Row]
  /// The rules that were not judged, or not everywhere, as each runtime.
  package let notJudged: [Profile: Set<RuleCode>]
  /// The crashes in whose process nothing was found as any runtime.
  package let crashes: [RecordedCrash]
  /// The inputs that report such a crash, as ``AuditReport/failingCrashes``.
  package let crashedInputs: [Int]
  /// The effect of each suppression on any runtime.
  package let suppressions: [SuppressionOutcome]
  package let inputs: [AuditReport.Input]
  package let failures: [InputFailure]
  /// The missing parts of the inputs, as ``AuditReport/incompleteness``.
  package let incompleteness: [String]

  /// Combines the reports on the same inputs, one for each runtime, as ``AuditReport/hasFindings(atLeast:)`` counts.
  ///
  /// Complexity: O(findings log findings).
  package init(_ reports: [(profile: Profile, report: AuditReport)]) {
    var rows: [Row] = []
    var indices: [String: Int] = [:]
    for (profile, report) in reports {
      let findings = report.findings.flatMap { root in
        root.withConsequences.enumerated().map { (finding: $1, isConsequence: $0 > 0) }
      }
      for (finding, isConsequence) in findings {
        let cell = Cell(
          severity: finding.severity,
          consequence: finding.consequence,
          count: finding.count,
          isConsequence: isConsequence,
          isExpected: finding.isExpected,
          isSuppressed: finding.isSuppressed,
          mayFail: finding.mayFail
        )
        if let index = indices[finding.signature] {
          rows[index].cells[profile] = cell
          continue
        }
        indices[finding.signature] = rows.count
        rows.append(
          Row(
            code: finding.code,
            signature: finding.signature,
            message: finding.message,
            cells: [profile: cell]
          )
        )
      }
    }
    self.rows = rows.enumerated()
      .sorted {
        let (left, right) = ($0.element, $1.element)
        if left.severity != right.severity { return left.severity > right.severity }
        return (left.code, $0.offset) < (right.code, $1.offset)
      }
      .map(\.element)
    notJudged = reports.reduce(into: [:]) { $0[$1.profile] = Set($1.report.notJudged.map(\.code)) }
    suppressions = SuppressionOutcome.merging(reports.flatMap(\.report.suppressions))
    inputs = reports.first?.report.inputs ?? []
    let first = reports.first?.report
    var crashed = Set(first?.failingCrashes ?? [])
    for (_, report) in reports.dropFirst() { crashed.formIntersection(report.failingCrashes) }
    crashedInputs = crashed.sorted()
    let unexplained = first?.unexplainedCrashesByInput ?? [:]
    crashes = crashedInputs.flatMap { unexplained[$0] ?? [] }
    failures = reports.first?.report.failures ?? []
    incompleteness = reports.first?.report.incompleteness ?? []
  }

  /// Whether a fault that counts is at or above `severity` on any runtime, or a suppression that needs attention is, or a
  /// process crashed and nothing was found in it.
  package func hasFindings(atLeast severity: Severity) -> Bool {
    !crashedInputs.isEmpty
      || rows.contains { row in row.cells.values.contains { $0.mayFail && $0.severity >= severity }
      }
      || suppressions.contains { $0.severity.map { $0 >= severity } ?? false }
  }
}

extension Audit {
  /// Audits `inputs` once for each runtime.
  ///
  /// - Parameters:
  ///   - inputs: the logs; each is read as often as there are runtimes, so standard input is not allowed.
  ///   - progress: as of ``report(on:progress:)``.
  ///   - adjust: marks known findings in each report.
  /// - Returns: the effect of each fault on each runtime.
  /// - Complexity: that of ``report(on:progress:)``, for each runtime.
  package func matrix(
    on inputs: [AuditInput],
    progress: Progress? = nil,
    adjust: (inout AuditReport) -> Void = { _ in }
  ) -> ProfileMatrix {
    ProfileMatrix(
      Profile.allCases.map { profile in
        var report = judging(as: profile).report(on: inputs, progress: progress)
        adjust(&report)
        return (profile, report)
      }
    )
  }
}
