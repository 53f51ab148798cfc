import KVOSafetyTesting
import Synchronization
import XCTest

/// Each assertion about retained objects, in a case where it holds and in one where it does not.
final class RetentionTests: XCTestCase {
  private final class Page {
    var handler: (() -> Void)?
    func close() {}
  }

  /// Holds itself through a field that the compiler does not describe.
  private final class Guarded {
    let state = Mutex(Held())
    init() { state.withLock { $0.page.handler = { _ = self } } }
  }

  private final class Router {
    private var pages: [Page] = []

    func open(keeps: Bool) {
      let page = Page()
      if keeps { pages.append(page) }
    }

    func openLater(keeps: Bool) async {
      let page = Page()
      await Task.yield()
      if keeps { pages.append(page) }
    }
  }

  func testCycles() {
    let page = Page()
    page.handler = { [weak page] in page?.close() }
    assertNoRetainCycles(from: page)
    page.handler = { page.close() }
    assertNoRetainCycles(from: page)
    page.handler = nil
  }

  func testInconclusive() {
    let guarded = Guarded()
    assertNoRetainCycles(from: guarded)
    assertNoRetainCycles(from: guarded, failsIfInconclusive: true)
  }

  func testDeallocates() {
    assertDeallocates { Page() }
    assertDeallocates {
      let page = Page()
      page.handler = { page.close() }
      return page
    }
  }

  func testGrowth() {
    let router = Router()
    assertNoGrowth(of: Page.self, from: router) { router.open(keeps: false) }
    assertNoGrowth(of: Page.self, from: router) { router.open(keeps: true) }
  }

  func testAsynchronousGrowth() async {
    let router = Router()
    await assertNoGrowth(of: Page.self, from: router) { await router.openLater(keeps: false) }
    await assertNoGrowth(of: Page.self, from: router) { await router.openLater(keeps: true) }
  }

  func testAsynchronousDeallocates() async throws {
    try await assertDeallocates {
      let page = Page()
      try await Task.sleep(for: .milliseconds(1))
      return page
    }
    await assertDeallocates(within: .milliseconds(10)) {
      let page = Page()
      page.handler = { page.close() }
      await Task.yield()
      return page
    }
  }

  // Sendable: one test has it.
  private struct Held: @unchecked Sendable {
    let page = Page()

    init() {
      // Owners that are nowhere to be seen, more than words that earlier calls left on a stack: reference
      // counts prove nothing of who holds the page.
      for _ in 0..<64 { _ = Unmanaged.passRetained(page) }
    }
  }
}
