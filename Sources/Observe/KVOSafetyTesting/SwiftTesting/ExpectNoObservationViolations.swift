public import Testing

/// Records an issue if the observations that `body` makes and ends break a rule.
///
/// The form for Swift Testing of `assertNoObservationViolations`, for a part of a test. The report and the log of a
/// failure are attached to the test.
///
/// - Parameters:
///   - expecting: expected violations: they record no issue, but their absence does.
///   - allowsNoObservations: whether a body in which nothing is observed passes.
///   - threshold: the minimum severity of a violation that is an issue.
///   - findsRetainCycles: whether references are followed at the end, from the observations that are live then; no
///     other thread may change the objects that they hold during that.
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
    name: "\(sourceLocation.fileID):\(sourceLocation.line)",
    expectations: ScopeExpectations(
      expected: Set(expecting),
      allowsNoObservations: allowsNoObservations,
      threshold: threshold,
      findsRetainCycles: findsRetainCycles
    ),
    isolation: isolation,
    report: { $0.record(at: sourceLocation) },
    body
  )
}
