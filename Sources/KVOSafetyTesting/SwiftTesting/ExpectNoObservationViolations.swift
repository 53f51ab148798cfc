public import Testing

/// Records an issue where the observations that `body` makes and ends break a rule.
///
/// The form for Swift Testing of `assertNoObservationViolations`, for a part of a test.
///
/// - Parameters:
///   - expecting: violations that are meant: they record no issue, their absence does.
///   - allowsNoObservations: whether it is meant that nothing is observed.
///   - threshold: how bad a violation must be to be an issue.
///   - findsRetainCycles: whether references are followed at the end, from the observations that are
///     live then; no other thread may change what they hold meanwhile.
///   - isolation: the actor of the caller.
///   - sourceLocation: where the issue is recorded.
///   - body: runs once, on the actor of the caller, before the call returns.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; the scope is judged then too.
@discardableResult
public func expectNoObservationViolations<Result>(
  expecting: ObservationRule...,
  allowsNoObservations: Bool = false,
  threshold: ScopeExpectations.Threshold = .warning,
  findsRetainCycles: Bool = true,
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Result
) async rethrows -> Result {
  try await AuditedScope.run(
    name: sourceLocation.fileID,
    expectations: ScopeExpectations(
      expected: Set(expecting),
      allowsNoObservations: allowsNoObservations,
      threshold: threshold,
      findsRetainCycles: findsRetainCycles
    ),
    isolation: isolation,
    report: { Issue.record("\($0)", sourceLocation: sourceLocation) },
    body
  )
}
