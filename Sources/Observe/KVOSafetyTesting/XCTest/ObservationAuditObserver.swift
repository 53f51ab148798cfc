public import Foundation
internal import KVORecorder
public import XCTest

/// Audits every XCTest case of a bundle as a separate scope.
///
/// One line sets it up, in `class func setUp()` of any test case class:
///
/// ```swift
/// override class func setUp() { ObservationAuditObserver.auditEveryTestCase() }
/// ```
///
/// XCTest notifies its observers of the end of a test when it accepts no more failures for it. So a
/// test that passes its assertions and breaks a rule is followed by a test case named after it,
/// `Observation audit of …`, which fails with the report; the run fails with it.
public final class ObservationAuditObserver: NSObject, XCTestObservation, @unchecked Sendable {
  // Sendable: XCTest runs test cases one after the other and calls its observers on the main thread.

  private let expectations: ScopeExpectations
  private var scope: AuditedScope?
  /// The suites that are running and began after the set-up, outermost first.
  private var suites: [XCTestSuite] = []
  /// Audits that failed and that no suite counts, because it began before the set-up.
  private var uncountedFailureCount = 0

  private static let installed = GuardedState<ObservationAuditObserver?>(nil)

  /// Audits every test case from the next one on; a second call does nothing.
  ///
  /// - Parameters:
  ///   - allowsNoObservations: whether a test case in which nothing is observed passes. By default it does, unlike in a
  ///     single assertion: not every test of a bundle observes something.
  ///   - threshold: the minimum severity of a violation that fails a test case.
  ///   - findsRetainCycles: whether references are followed at the end, from the observations that are live then; no
  ///     other thread may change the objects that they hold during that.
  public static func auditEveryTestCase(
    allowsNoObservations: Bool = true,
    threshold: ScopeExpectations.Threshold = .warning,
    findsRetainCycles: Bool = true
  ) {
    let observer = ObservationAuditObserver(
      ScopeExpectations(
        allowsNoObservations: allowsNoObservations,
        threshold: threshold,
        findsRetainCycles: findsRetainCycles
      )
    )
    let isFirst = installed.withLock { installed in
      guard installed == nil else { return false }
      installed = observer
      return true
    }
    if isFirst { XCTestObservationCenter.shared.addTestObserver(observer) }
  }

  private init(_ expectations: ScopeExpectations) { self.expectations = expectations }

  /// Stores the suite, whose run counts the failures of its test cases.
  public func testSuiteWillStart(_ testSuite: XCTestSuite) { suites.append(testSuite) }

  /// Removes the suite.
  public func testSuiteDidFinish(_ testSuite: XCTestSuite) { _ = suites.popLast() }

  /// Opens a scope for everything that happens in the process until the test case ends.
  public func testCaseWillStart(_ testCase: XCTestCase) {
    guard !(testCase is ObservationAudit) else { return }
    let scope = AuditedScope(name: testCase.name, expectations: expectations)
    self.scope = scope
    RecordingScope.ofProcess = scope.id
    scope.begin()
  }

  /// Judges the scope, and runs a test case that fails if it failed.
  public func testCaseDidFinish(_ testCase: XCTestCase) {
    guard !(testCase is ObservationAudit), let scope else { return }
    self.scope = nil
    Self.finishDeallocations(of: scope)
    let failure = scope.end(isCutShort: testCase.testRun?.hasBeenSkipped == true)
    RecordingScope.ofProcess = nil
    guard let failure else { return }
    let audit = ObservationAudit(name: "Observation audit of \(testCase.name)") { audit in
      audit.recordFailure(
        withDescription: failure.text,
        inFile: failure.file ?? "<unknown>",
        atLine: failure.line,
        expected: true
      )
    }
    audit.run()
    if let suite = suites.last?.testRun as? XCTestSuiteRun, let run = audit.testRun {
      suite.addTestRun(run)
    } else {
      uncountedFailureCount += 1
    }
  }

  /// Waits until the actors of the observations that were left have run what was enqueued on them, at most five seconds
  /// each, as an asynchronous scope does.
  ///
  /// The main actor runs it in the run loop of this thread.
  private static func finishDeallocations(of scope: AuditedScope) {
    for visit in scope.visits() {
      let deadline = ContinuousClock.now + .seconds(5)
      while !visit.isOver, ContinuousClock.now < deadline {
        _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.002))
      }
    }
  }

  /// Fails the run if no suite has failed it.
  public func testBundleDidFinish(_ testBundle: Bundle) {
    guard uncountedFailureCount > 0 else { return }
    StandardError.write("KVOSafety: \(uncountedFailureCount) test cases failed their audit\n")
    exit(1)
  }
}

/// The test case that represents the audit of another.
final class ObservationAudit: XCTestCase {}
