package import KVORules

/// Renders a report as JUnit XML, which CI servers show as test results.
///
/// Every rule is a test case: it fails once for each finding that counts, is skipped where it could not
/// be judged, and passes otherwise. What does not count (below the severity, meant, suppressed) is in
/// the output of its case. An input that cannot be read is an error of a case of its own.
///
/// Source: the form that Jenkins's xUnit plugin reads, `junit-10.xsd`.
package struct JUnitReportRenderer {
  private let severity: Severity?

  /// Makes a renderer.
  ///
  /// - Parameter severity: the least that fails a case; nil: none does.
  package init(failingFrom severity: Severity?) { self.severity = severity }

  /// The report as UTF-8, with a newline at its end.
  ///
  /// Complexity: O(size of the report).
  package func render(_ report: AuditReport) -> [UInt8] {
    let cases = RuleCatalogue.entries.map { testCase($0, report) }
    let counts: KeyValuePairs = [
      "name": "kvo-audit",
      "tests": String(cases.count + report.failures.count),
      "failures": String(cases.map(\.failures.count).reduce(0, +)),
      "errors": String(report.failures.count),
    ]
    var text = XMLText()
    text.element("testsuites", counts) { text in
      text.element("testsuite", counts) { text in
        for testCase in cases { testCase.write(to: &text) }
        for failure in report.failures {
          text.element("testcase", ["classname": "kvo-audit.inputs", "name": failure.input]) {
            $0.element("error", ["type": "unreadable", "message": failure.message])
          }
        }
      }
    }
    return text.bytes
  }

  private func testCase(_ entry: RuleCatalogue.Entry, _ report: AuditReport) -> TestCase {
    let findings = report.findings.filter { $0.code == entry.code }
    let failures = findings.filter { $0.isFailure(from: severity) }
    return TestCase(
      entry: entry,
      failures: failures,
      others: findings.filter { !$0.isFailure(from: severity) },
      whyNotJudged: report.notJudged.filter { $0.code == entry.code }.map(\.why)
    )
  }
}

private struct TestCase {
  var entry: RuleCatalogue.Entry
  var failures: [Finding]
  var others: [Finding]
  var whyNotJudged: [String]

  func write(to text: inout XMLText) {
    let attributes: KeyValuePairs = [
      "classname": "kvo-audit.rules", "name": "\(entry.code.rawValue) \(entry.slug)",
    ]
    // A rule that found something and could not be judged everywhere has found something.
    let reason =
      failures.isEmpty && !whyNotJudged.isEmpty ? whyNotJudged.joined(separator: "; ") : nil
    if failures.isEmpty, others.isEmpty, reason == nil {
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
      if !others.isEmpty {
        text.element("system-out", text: others.map { FindingText().render($0) }.joined())
      }
    }
  }
}

extension Finding {
  fileprivate func isFailure(from severity: Severity?) -> Bool {
    guard let severity else { return false }
    return self.severity >= severity && mayFail
  }
}
