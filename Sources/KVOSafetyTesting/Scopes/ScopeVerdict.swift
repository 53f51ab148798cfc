internal import KVORules

/// Whether a scope passed: pure, so that it can be tried without a test framework.
struct ScopeVerdict {
  var findings: [Finding]
  /// Whether anything was observed, or an attempt made.
  var hasObservations: Bool
  var expectations: ScopeExpectations

  /// Why the scope failed, as text for a person; nil where it passed.
  var failure: String? {
    let reasons = [unexpected, missing, vacuous].compactMap(\.self)
    return reasons.isEmpty ? nil : reasons.joined(separator: "\n\n")
  }

  private var unexpected: String? {
    let codes = Set(expectations.expected.map(\.code))
    let failing = findings.filter {
      !codes.contains($0.code) && $0.severity >= expectations.threshold.severity
    }
    guard !failing.isEmpty else { return nil }
    let count =
      failing.count == 1 ? "1 observation violation" : "\(failing.count) observation violations"
    return ([count] + failing.map { FindingText().render($0) }).joined(separator: "\n\n")
  }

  private var missing: String? {
    let found = Set(findings.map(\.code))
    let missing = expectations.expected.map(\.code).filter { !found.contains($0) }.sorted()
    guard !missing.isEmpty else { return nil }
    let names = missing.map { "\($0.rawValue) \($0.slug)" }.joined(separator: ", ")
    return "expected \(names), which did not happen"
  }

  private var vacuous: String? {
    guard !hasObservations, !expectations.allowsNoObservations else { return nil }
    return """
      nothing was observed in this scope, so it proves nothing; if that is meant, say \
      allowsNoObservations: true
      """
  }
}
