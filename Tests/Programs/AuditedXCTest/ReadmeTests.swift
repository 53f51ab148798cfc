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

/// The assertions of the README about what is retained, on a screen in the state that the environment names.
final class ReadmeRetentionTests: XCTestCase {
  func testCycles() {
    let screen = RetainedScreen.open()
    assertNoRetainCycles(from: screen)
    RetainedScreen.close(screen)
  }

  func testDeallocates() { assertDeallocates { RetainedScreen.open() } }

  func testGrowth() {
    let owner = Owner()
    assertNoGrowth(of: RetainedScreen.type, from: owner) { _ = RetainedScreen.open() }
  }

  func testAsynchronousGrowth() async {
    let owner = Owner()
    await assertNoGrowth(of: RetainedScreen.type, from: owner) {
      await Task.yield()
      _ = RetainedScreen.open()
    }
  }

  private final class Owner {}
}

/// The same in a bundle whose test cases are audited.
final class ReadmeAuditedRetentionTests: XCTestCase {
  override class func setUp() { ObservationAuditObserver.auditEveryTestCase() }

  func testCycles() { assertNoRetainCycles(from: RetainedScreen.open()) }
}
