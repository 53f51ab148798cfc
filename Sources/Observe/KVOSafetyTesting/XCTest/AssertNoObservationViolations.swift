internal import XCTest

/// Fails the test if the observations that `body` makes and ends break a rule.
///
/// ```swift
/// try assertNoObservationViolations {
///   let screen = Screen(account: account)
///   screen.close()
/// }
/// ```
///
/// `body` is a scope: its registrations must have ended when it returns (KVO021), unless it was registered with
/// `expectedToLive`. Concurrent tests do not affect it. A `body` in which nothing is observed fails as well.
///
/// - Parameters:
///   - expecting: expected violations: they do not fail the test, but their absence does.
///   - allowsNoObservations: whether a body in which nothing is observed passes.
///   - threshold: the minimum severity of a violation that fails the test.
///   - findsRetainCycles: whether references are followed at the end, from the observations that are live then; no
///     other thread may change the objects that they hold during that.
///   - file: the file that the failure is reported in.
///   - line: the line that the failure is reported at.
///   - body: runs once, on the calling thread, before the call returns.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; the scope is judged then too.
@discardableResult
public func assertNoObservationViolations<Result>(
  expecting: ObservationRule...,
  allowsNoObservations: Bool = false,
  threshold: ScopeExpectations.Threshold = .warning,
  findsRetainCycles: Bool = true,
  file: StaticString = #filePath,
  line: UInt = #line,
  _ body: () throws -> Result
) rethrows -> Result {
  try AuditedScope.run(
    name: "\(file):\(line)",
    expectations: ScopeExpectations(
      expected: Set(expecting),
      allowsNoObservations: allowsNoObservations,
      threshold: threshold,
      findsRetainCycles: findsRetainCycles
    ),
    report: { XCTFail($0.text, file: file, line: line) },
    body
  )
}

/// Fails the test if the observations that the asynchronous `body` makes and ends break a rule.
///
/// Works as the form without `async`; `body` runs on the actor of the caller. The tasks that it starts belong to the
/// scope; detached tasks do not, unless they use objects of the scope.
///
/// - Parameters:
///   - expecting: expected violations: they do not fail the test, but their absence does.
///   - allowsNoObservations: whether a body in which nothing is observed passes.
///   - threshold: the minimum severity of a violation that fails the test.
///   - findsRetainCycles: whether references are followed at the end, from the observations that are live then; no
///     other thread may change the objects that they hold during that.
///   - isolation: the actor of the caller.
///   - file: the file that the failure is reported in.
///   - line: the line that the failure is reported at.
///   - body: runs once, before the call returns.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; the scope is judged then too.
@discardableResult
public func assertNoObservationViolations<Result>(
  expecting: ObservationRule...,
  allowsNoObservations: Bool = false,
  threshold: ScopeExpectations.Threshold = .warning,
  findsRetainCycles: Bool = true,
  isolation: isolated (any Actor)? = #isolation,
  file: StaticString = #filePath,
  line: UInt = #line,
  _ body: () async throws -> Result
) async rethrows -> Result {
  try await AuditedScope.run(
    name: "\(file):\(line)",
    expectations: ScopeExpectations(
      expected: Set(expecting),
      allowsNoObservations: allowsNoObservations,
      threshold: threshold,
      findsRetainCycles: findsRetainCycles
    ),
    isolation: isolation,
    report: { XCTFail($0.text, file: file, line: line) },
    body
  )
}
