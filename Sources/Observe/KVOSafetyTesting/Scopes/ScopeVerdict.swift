internal import KVOFindings
internal import KVORules
internal import KVOSafety

/// The reason why a scope failed.
struct ScopeFailure: Hashable, Sendable {
  /// The reasons, with whole reports, for a person.
  var text: String
  /// The user's own line of the first violation, if it is known.
  var file: String?
  var line = 0
  /// The events that were judged, as a log in JSON Lines.
  var log: [UInt8] = []
}

/// Decides whether a scope passed: pure, so that it can be tested without a test framework.
struct ScopeVerdict {
  /// Folded as in an audit: a finding that follows from another is listed under it.
  var findings: [Finding]
  /// Whether anything was observed, or attempted.
  var hasObservations: Bool
  /// How many registrations were made meanwhile that are in no scope: by threads that belong to no task.
  var unscopedRegistrationCount = 0
  var expectations: ScopeExpectations
  /// The signatures of the findings for which assertions in the scope have failed.
  var reported: Set<String> = []
  /// The loops that wait in tasks that the scope left.
  var parked: [KVO.ParkedConsumers] = []
  /// Whether its test was skipped: what it did not do proves nothing then.
  var isCutShort = false

  /// The reason for the scope's failure; nil if it passed.
  var failure: ScopeFailure? {
    let absent = isCutShort ? [] : [missing, vacuous]
    let reasons = ([unexpected, left] + absent).compactMap(\.self)
    guard !reasons.isEmpty else { return nil }
    let place = failing.first?.stacks.first.flatMap(Self.place)
    return ScopeFailure(
      text: reasons.joined(separator: "\n\n"),
      file: place?.file,
      line: place?.line ?? 0
    )
  }

  /// The line of the first own frame, or that from the compiler if the optimizer has merged that frame with others.
  static func place(of stack: Finding.Stack) -> (file: String, line: Int)? {
    if let frame = stack.frames.first(where: { $0.isFirstOwn && $0.line > 0 }),
      let file = frame.file
    {
      return (file, frame.line)
    }
    guard let site = stack.site, let colon = site.lastIndex(of: ":"),
      let line = Int(site[site.index(after: colon)...])
    else { return nil }
    return (String(site[..<colon]), line)
  }

  private var failing: [Finding] {
    let codes = Set(expectations.expected.map(\.code))
    return findings.filter { !reported.contains($0.signature) }
      .compactMap { unexpected(in: $0, codes) }
      .filter { $0.severity >= expectations.threshold.severity }
  }

  /// A finding with its unexpected consequences; nil if it is expected.
  ///
  /// The consequences of an expected finding are expected with it, as in an audit: they are the same fault.
  private func unexpected(in finding: Finding, _ expected: Set<RuleCode>) -> Finding? {
    if expected.contains(finding.code) { return nil }
    var copy = finding
    copy.consequences = finding.consequences.compactMap { unexpected(in: $0, expected) }
    return copy
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

  private var left: String? {
    // If more are expected with each run of the scope, those that a run leaves are expected.
    guard !parked.isEmpty, !expectations.expected.contains(.consumerGrowth) else { return nil }
    let count = parked.reduce(0) { $0 + $1.count }
    let heading = count == 1 ? "1 task was left waiting" : "\(count) tasks were left waiting"
    return ([heading] + parked.map { "  \($0)" }).joined(separator: "\n")
  }

  /// Rules that an audit judges over several runs of a scope: one run cannot show that their violation did not happen.
  private static let ofSeveralRuns: Set<RuleCode> = [.registrationGrowth, .consumerGrowth]

  private var missing: String? {
    // Expectations name rules, regardless of the cause of a violation.
    let found = Set(findings.flatMap(\.withConsequences).map(\.code))
    let missing = expectations.expected.map(\.code)
      .filter { !found.contains($0) && !Self.ofSeveralRuns.contains($0) }.sorted()
    guard !missing.isEmpty else { return nil }
    let names = missing.map { "\($0.rawValue) \($0.slug)" }.joined(separator: ", ")
    return "expected \(names), which did not happen"
  }

  private var vacuous: String? {
    guard !hasObservations, !expectations.allowsNoObservations else { return nil }
    let count = unscopedRegistrationCount
    let observations = count == 1 ? "1 observation was" : "\(count) observations were"
    let elsewhere =
      " (\(observations) made outside of every scope meanwhile; a scope follows its task and that "
      + "task's children, not other threads)"
    return """
      nothing was observed in this scope\(count == 0 ? "" : elsewhere), so it proves nothing; if that is meant, say \
      allowsNoObservations: true
      """
  }
}
