import KVOSafetyTesting
import SuiteFaults
import XCTest

/// The assertions of the README: with the fault that the environment names, or with the correct twins.
final class ReadmeAssertionTests: XCTestCase {
  func testBlock() throws {
    assertNoObservationViolations { SuiteFault.commitCurrent() }
  }

  func testAsynchronousBlock() async throws {
    await assertNoObservationViolations {
      await Task.yield()
      SuiteFault.commitCurrent()
    }
  }
}

/// The same without assertions: every test case of the bundle is audited.
final class ReadmeBundleTests: XCTestCase {
  override class func setUp() { ObservationAuditObserver.auditEveryTestCase() }

  func testCase() { SuiteFault.commitCurrent() }
}
