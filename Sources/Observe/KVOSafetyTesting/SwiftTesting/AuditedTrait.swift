public import Testing

/// Audits each test that it is applied to, or each test of a suite, as a separate scope.
///
/// If it is applied to a test and to its suite, there is one scope with the expectations of both. Tests that run in
/// parallel do not mix: the scope follows the task of the test.
public struct AuditedTrait: TestTrait, SuiteTrait, TestScoping {
  private let expectations: ScopeExpectations
  /// The location at which a failure is reported; nil: that of the test.
  private let sourceLocation: SourceLocation?

  init(_ expectations: ScopeExpectations, at sourceLocation: SourceLocation?) {
    self.expectations = expectations
    self.sourceLocation = sourceLocation
  }

  /// Whether the tests of a suite get the trait: each is a separate scope.
  public var isRecursive: Bool { true }

  /// Runs the test in a scope; if that fails, records an issue with its report and its log as attachments.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    if let scope = AuditedScope.current {
      scope.expect(expectations)
      return try await function()
    }
    let sourceLocation = sourceLocation ?? test.sourceLocation
    try await AuditedScope.run(
      // Tests of other suites may have the same function name.
      name: test.id.nameComponents.joined(separator: "."),
      expectations: expectations,
      report: { $0.record(at: sourceLocation) },
      function
    )
  }
}

extension Trait where Self == AuditedTrait {
  /// Audits the observations of a test, or of each test of a suite; something must be observed.
  ///
  /// A failure is reported at the line of the test. The form with parentheses reports it at the line
  /// of the trait.
  public static var audited: Self { AuditedTrait(ScopeExpectations(), at: nil) }

  /// Audits the observations of a test, or of each test of a suite, with expectations.
  ///
  /// - Parameters:
  ///   - expecting: expected violations: they do not fail the test, but their absence does.
  ///   - allowsNoObservations: whether a test in which nothing is observed passes.
  ///   - threshold: the minimum severity of a violation that fails the test.
  ///   - findsRetainCycles: whether references are followed at the end, from the observations that are live then; no
  ///     other thread may change the objects that they hold during that.
  ///   - sourceLocation: where a failure is reported.
  /// - Returns: the trait.
  public static func audited(
    expecting: ObservationRule...,
    allowsNoObservations: Bool = false,
    threshold: ScopeExpectations.Threshold = .warning,
    findsRetainCycles: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Self {
    AuditedTrait(
      ScopeExpectations(
        expected: Set(expecting),
        allowsNoObservations: allowsNoObservations,
        threshold: threshold,
        findsRetainCycles: findsRetainCycles
      ),
      at: sourceLocation
    )
  }
}
