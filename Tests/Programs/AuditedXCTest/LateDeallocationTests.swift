import Dispatch
import Foundation
import KVOSafety
import KVOSafetyTesting
import XCTest

/// A screen whose deinit runs on the main actor, whichever thread releases it.
@MainActor
private final class MainScreen {
  private let account: Account
  private let token: ObservationToken

  init() {
    let account = Account()
    self.account = account
    token = account.observe(\.balance) { _, _ in }
  }

  isolated deinit { token.invalidate() }
}

final class LateDeallocationTests: XCTestCase {
  override class func setUp() { ObservationAuditObserver.auditEveryTestCase() }

  /// The main actor has no time for the deallocation before the test case ends.
  func testReleases() {
    let screen = MainActor.assumeIsolated { Unmanaged.passRetained(MainScreen()) }
    let released = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      screen.release()
      released.signal()
    }
    released.wait()
  }
}
