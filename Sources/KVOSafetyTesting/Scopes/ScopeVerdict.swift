internal import KVORules

/// Why a scope failed.
struct ScopeFailure: Hashable, Sendable {
  /// The reasons, with whole reports, for a person.
  var text: String
  /// The user's own line of the first violation, where it is known.
  var file: String?
  var line = 0
}

/// Whether a scope passed: pure, so that it can be tried without a test framework.
struct ScopeVerdict {
  /// Folded, as an audit folds them: what follows from another finding stands under it.
  var findings: [Finding]
  /// Whether anything was observed, or an attempt made.
  var hasObservations: Bool
  var expectations: ScopeExpectations
  /// The signatures of what assertions in the scope have failed for.
  var reported: Set<String> = []

  /// Why the scope failed; nil where it passed.
  var failure: ScopeFailure? {
    let reasons = [unexpected, missing, vacuous].compactMap(\.self)
    guard !reasons.isEmpty else { return nil }
    let place = failing.first?.stacks.first?.frames.first { $0.isFirstOwn && $0.line > 0 }
    return ScopeFailure(
      text: reasons.joined(separator: "\n\n"),
      file: place?.file,
      line: place?.line ?? 0
    )
  }

  private var failing: [Finding] {
    let codes = Set(expectations.expected.map(\.code))
    return findings.filter { !reported.contains($0.signature) }
      .flatMap { unexpected(in: $0, codes) }
      .filter { $0.severity >= expectations.threshold.severity }
  }

  /// A finding with what follows from it; where it is expected, what follows and is not.
  private func unexpected(in finding: Finding, _ expected: Set<RuleCode>) -> [Finding] {
    var copy = finding
    copy.consequences = finding.consequences.flatMap { unexpected(in: $0, expected) }
    return expected.contains(finding.code) ? copy.consequences : [copy]
  }

  private var unexpected: String? {
    let failing = failing
    return failing.isEmpty ? nil : Self.text(of: failing)
  }

  /// How a failure reports violations: how many there are, and each with its stacks.
  static func text(of findings: [Finding]) -> String {
    let count =
      findings.count == 1 ? "1 observation violation" : "\(findings.count) observation violations"
    return ([count] + findings.map { FindingText().render($0) }).joined(separator: "\n\n")
  }

  private var missing: String? {
    // Expectations name rules, whatever a violation follows from.
    let found = Set(findings.flatMap(\.withConsequences).map(\.code))
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
