public import Testing

/// Audits each test that it is put on, or each test of a suite, as a scope of its own.
///
/// On a test and on its suite it is one scope, and the expectations of both hold. Tests that run in
/// parallel do not mix: the scope follows the task of the test.
public struct AuditedTrait: TestTrait, SuiteTrait, TestScoping {
  private let expectations: ScopeExpectations
  /// Where a failure is reported; nil: at the test.
  private let sourceLocation: SourceLocation?

  init(_ expectations: ScopeExpectations, at sourceLocation: SourceLocation?) {
    self.expectations = expectations
    self.sourceLocation = sourceLocation
  }

  /// Whether the tests of a suite get the trait: each is a scope of its own.
  public var isRecursive: Bool { true }

  /// Runs the test in a scope and records an issue where it fails.
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
      name: test.name,
      expectations: expectations,
      report: { Issue.record("\($0)", sourceLocation: sourceLocation) },
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
  ///   - expecting: violations that are meant: they do not fail the test, their absence does.
  ///   - allowsNoObservations: whether it is meant that nothing is observed.
  ///   - threshold: how bad a violation must be to fail the test.
  ///   - findsRetainCycles: whether references are followed at the end, from the observations that are
  ///     live then; no other thread may change what they hold meanwhile.
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
