package import KVOAudit
import KVOFindings
package import KVORules
import KVOText

/// Renders a report as JUnit XML, which CI servers show as test results.
///
/// Every rule is a test case: it fails once for each finding that counts, is skipped if it could not be judged, and
/// passes otherwise. Findings that do not count (below the severity, expected, suppressed) are in the output of their
/// case. An input that cannot be read or is incomplete is an error of a separate case, and so is a crash for which
/// nothing was found. A suppression is a case, too, which fails if its problem counts.
///
/// Source: the form that Jenkins's xUnit plugin reads, `junit-10.xsd`.
package struct JUnitReportRenderer {
  private let severity: Severity?

  /// Makes a renderer.
  ///
  /// - Parameter severity: the lowest that fails a case; nil: none does.
  package init(failingFrom severity: Severity?) { self.severity = severity }

  /// The report as UTF-8, with a newline at its end.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - limit: the limit of the text; nil: no limit. A rule whose failures are omitted still fails, with their number.
  /// - Returns: the text.
  /// - Complexity: O(size of the report), times O(log n) when n findings do not fit.
  package func render(_ report: AuditReport, within limit: ReportLimit? = nil) -> [UInt8] {
    report.rendered(within: limit, text)
  }

  private func text(_ report: AuditReport) -> [UInt8] {
    let cases = RuleCatalogue.entries.map { testCase($0, report) }
    let suppressions = report.suppressions
    let failureCount =
      cases.count(where: \.isFailed) + suppressions.count { isFailure($0, report) }
    var errors =
      report.failures.map { (name: $0.input, type: "unreadable", message: $0.message) }
      + report.missingParts.map {
        (name: $0.name, type: "incomplete", message: $0.message)
      }
    for input in severity == nil ? [] : report.failingCrashes
    where report.inputs.indices.contains(input) {
      let path = report.inputs[input].path
      let message = "\(path): a process crashed, and nothing says why"
      errors.append((name: path, type: "crash", message: message))
    }
    let counts: KeyValuePairs = [
      "name": "kvo-audit",
      "tests": String(cases.count + suppressions.count + errors.count),
      "failures": String(failureCount),
      "errors": String(errors.count),
    ]
    var text = XMLText()
    text.element("testsuites", counts) { text in
      text.element("testsuite", counts) { text in
        for testCase in cases { testCase.write(to: &text) }
        for outcome in suppressions {
          write(outcome, isFailure: isFailure(outcome, report), to: &text)
        }
        for error in errors {
          text.element("testcase", ["classname": "kvo-audit.inputs", "name": error.name]) {
            $0.element("error", ["type": error.type, "message": error.message])
          }
        }
        if let omission = report.omission { text.element("system-err", text: omission) }
      }
    }
    return text.bytes
  }

  private func write(
    _ outcome: SuppressionOutcome,
    isFailure: Bool,
    to text: inout XMLText
  ) {
    let attributes: KeyValuePairs = [
      "classname": "kvo-audit.suppressions", "name": outcome.suppression.location,
    ]
    guard let line = outcome.line else { return text.element("testcase", attributes) }
    text.element("testcase", attributes) { text in
      if isFailure {
        text.element("failure", ["type": outcome.state.rawValue, "message": line])
      } else {
        text.element("system-out", text: line)
      }
    }
  }

  private func isFailure(_ finding: Finding, _ report: AuditReport) -> Bool {
    severity.map { report.fails(finding, from: $0) } ?? false
  }

  private func isFailure(_ outcome: SuppressionOutcome, _ report: AuditReport) -> Bool {
    severity.map { report.fails(outcome, from: $0) } ?? false
  }

  private func testCase(_ entry: RuleCatalogue.Entry, _ report: AuditReport) -> TestCase {
    let findings = report.findings.filter { $0.code == entry.code }
    let failures = findings.filter { isFailure($0, report) }
    var reasons = report.notJudged.filter { $0.code == entry.code }.map(\.why)
    if reasons.isEmpty, let reason = report.whyNothingWasJudged { reasons = [reason] }
    return TestCase(
      entry: entry,
      failures: failures,
      others: findings.filter { !isFailure($0, report) },
      omittedFailureCount: report.omitted.count { $0.code == entry.code && isFailure($0, report) },
      whyNotJudged: reasons
    )
  }
}

private struct TestCase {
  var entry: RuleCatalogue.Entry
  var failures: [Finding]
  var others: [Finding]
  /// How many failures are omitted.
  var omittedFailureCount: Int
  var whyNotJudged: [String]

  /// Whether it has `failure` elements; it counts once, however many there are.
  var isFailed: Bool { !failures.isEmpty || omittedFailureCount > 0 }

  func write(to text: inout XMLText) {
    let attributes: KeyValuePairs = [
      "classname": "kvo-audit.rules", "name": "\(entry.code.rawValue) \(entry.slug)",
    ]
    // A rule that found something and could not be judged everywhere has found something.
    let reason =
      !isFailed && !whyNotJudged.isEmpty ? whyNotJudged.joined(separator: "; ") : nil
    if !isFailed, others.isEmpty, reason == nil {
      text.element("testcase", attributes)
      return
    }
    text.element("testcase", attributes) { text in
      if let reason { text.element("skipped", ["message": "not judged: \(reason)"]) }
      for finding in failures {
        text.element(
          "failure",
          ["type": entry.code.rawValue, "message": finding.message],
          text: FindingText().render(finding)
        )
      }
      if omittedFailureCount > 0 {
        let count = Wording.count(omittedFailureCount, "more finding")
        text.element(
          "failure",
          ["type": entry.code.rawValue, "message": "\(count) of this rule left out"]
        )
      }
      if !others.isEmpty {
        text.element("system-out", text: others.map { FindingText().render($0) }.joined())
      }
    }
  }
}
