import Foundation
import KVORetention
import KVOSafety
import KVOSafetyTesting
import Synchronization
import Testing

// One at a time: the tests of growth count instances of one class.
@Suite("Assertions about retain cycles", .serialized)
struct RetainCycleFormTests {
  private final class Screen {
    var handler: (() -> Void)?
    var closedCount = 0

    @inline(never)
    func close() { closedCount += 1 }
  }

  private final class Guarded {
    let state: Mutex<Held>
    init(_ object: AnyObject) { state = Mutex(Held(object: object)) }
  }

  @Test("a screen that holds itself is drawn with the closure's line, one that does not is silent")
  func cycles() {
    let screen = Screen()
    screen.handler = { [weak screen] in screen?.close() }
    expectNoRetainCycles(from: screen)
    let line = #line + 1
    screen.handler = { screen.close() }
    withKnownIssue {
      expectNoRetainCycles(from: screen)
    } matching: {
      "\($0)".contains(
        "Screen.handler → closure capture of Screen (RetainCycleFormTests.swift:\(line)) → Screen"
      )
    }
    screen.handler = nil
  }

  @Test(
    "what could not be inspected fails a test that requests it, and is a warning in any other"
  )
  func inconclusive() {
    let screen = Screen()
    let guarded = Guarded(screen)
    // Nothing leads back to it.
    expectNoRetainCycles(from: guarded, failsIfInconclusive: true)
    screen.handler = { withExtendedLifetime(guarded) {} }
    defer { screen.handler = nil }
    withKnownIssue {
      expectNoRetainCycles(from: guarded)
    } matching: {
      $0.severity == .warning
        && "\($0)".contains("Guarded.state: the compiler does not describe noncopyable types")
    }
    withKnownIssue {
      expectNoRetainCycles(from: guarded, failsIfInconclusive: true)
    } matching: {
      "\($0)".contains("Guarded.state: the compiler does not describe noncopyable types")
    }
  }

  private final class Loader: @unchecked Sendable {
    // Sendable: the task only reads it.
    var task: Task<Void, Never>?
    var loadedCount = 0

    @inline(never)
    func load() { loadedCount += 1 }
  }

  @Test("what a waiting task holds until it ends is a warning with the line, and no failure")
  func waitingTask() async {
    let loader = Loader()
    let (values, continuation) = AsyncStream.makeStream(of: Void.self)
    loader.task = Task { for await _ in values { loader.load() } }
    repeat {
      try? await Task.sleep(nanoseconds: 20_000_000)
    } while RetainSearch().findCycles(from: loader).taskCycles.isEmpty
    withKnownIssue {
      expectNoRetainCycles(from: loader)
    } matching: {
      let text = "\($0)"
      return $0.severity == .warning
        && text.contains("1 retain cycle that lasts until its task ends; not everything")
        && text.contains("until the task ends: Loader.task → Task waiting at RetainCycleFormTests")
        && text.contains("→ closure capture of Loader (")
    }
    continuation.finish()
    await loader.task?.value
    expectNoRetainCycles(from: loader, failsIfInconclusive: true)
  }

  @Test("an object that a task keeps alive is reported with the line at which the task waits")
  func heldByTask() async {
    var loader: Loader? = Loader()
    let (values, continuation) = AsyncStream.makeStream(of: Void.self)
    let line = #line + 1
    let task = Task { [loader] in for await _ in values { loader?.load() } }
    while let held = loader,
      !RetainSearch().findTasks(holding: held).holders.contains(where: \.isProven)
    {
      try? await Task.sleep(nanoseconds: 20_000_000)
    }
    withKnownIssue {
      expectDeallocates {
        defer { loader = nil }
        return loader ?? Loader()
      }
    } matching: {
      let text = "\($0)"
      return text.contains("Loader is still alive\nheld by waiting tasks\n  ")
        && text.contains("Task waiting at RetainCycleFormTests.swift:\(line)")
    }
    continuation.finish()
    await task.value
  }

  @Test("an object that outlives its creator is drawn with what keeps it")
  func deallocates() {
    expectDeallocates { Screen() }
    withKnownIssue {
      expectDeallocates {
        let screen = Screen()
        screen.handler = { screen.close() }
        return screen
      }
    } matching: {
      let text = "\($0)"
      return text.contains("Screen is still alive") && text.contains("Screen.handler → closure")
    }
  }

  /// Observes an account by a token that it keeps.
  private final class Watcher {
    private let account = Account()
    private var token: ObservationToken?
    private var changedCount = 0

    func watch(weakly: Bool) async {
      token =
        weakly
        ? account.observe(\.balance) { [weak self] _, _ in self?.changedCount += 1 }
        : account.observe(\.balance) { _, _ in self.changedCount += 1 }
      await Task.yield()
    }

    func end() { token?.invalidate() }
  }

  @Test("the same of an object of asynchronous work, with the code of a cycle by an observation")
  @MainActor
  func deallocatesLater() async throws {
    try await expectDeallocates {
      let watcher = Watcher()
      await watcher.watch(weakly: true)
      try await Task.sleep(for: .milliseconds(1))
      return watcher
    }
    weak var left: Watcher?
    await withKnownIssue {
      await expectDeallocates(within: .milliseconds(10)) {
        let watcher = Watcher()
        await watcher.watch(weakly: false)
        left = watcher
        return watcher
      }
    } matching: {
      let text = "\($0)"
      return text.contains("Watcher is still alive") && text.contains("KVO019")
    }
    left?.end()
    #expect(left == nil)
  }

  @Test("an object that the queue which resumed the work still holds for a moment is silent")
  func heldForAMoment() async {
    await expectDeallocates {
      await withCheckedContinuation { continuation in
        Thread {
          let page = Page()
          continuation.resume(returning: page)
          Thread.sleep(forTimeInterval: 0.05)
          withExtendedLifetime(page) {}
        }
        .start()
      }
    }
  }

  @Test("errors of asynchronous work are thrown on")
  func throwsLater() async {
    await #expect(throws: CancellationError.self) {
      try await expectDeallocates {
        await Task.yield()
        throw CancellationError()
      }
    }
  }

  @Test("a body without await in an asynchronous test needs none")
  func synchronousBody() async { expectDeallocates { Page() } }

  private final class Page: Sendable {}

  private final class Router {
    var pages: [Page] = []
    var next: Page?

    func open(keeps: Bool) {
      next = Page()
      if keeps, let next { pages.append(next) }
      next = nil
    }

    func openLater(keeps: Bool) async {
      next = Page()
      await Task.yield()
      if keeps, let next { pages.append(next) }
      next = nil
    }
  }

  @Test("work that leaves more each time is reported with what keeps it, other work is silent")
  func growth() {
    let router = Router()
    expectNoGrowth(of: Page.self, from: router) { router.open(keeps: false) }
    withKnownIssue {
      expectNoGrowth(of: Page.self, from: router) { router.open(keeps: true) }
    } matching: {
      "\($0)".contains("Router.pages[…] → Page")
    }
  }

  private final class Vault: Sendable {
    let pages = Mutex<[Held]>([])
  }

  @Test("what may keep the objects without being inspected is listed")
  func uninspectedGrowth() {
    let vault = Vault()
    withKnownIssue {
      expectNoGrowth(of: Page.self, from: vault) {
        vault.pages.withLock { $0.append(Held(object: Page())) }
      }
    } matching: {
      let text = "\($0)"
      return text.contains("kept from elsewhere")
        && text.contains(
          "not inspected: Vault.pages: the compiler does not describe noncopyable types"
        )
    }
  }

  @Test("the same of work that waits")
  func growthOfAsynchronousWork() async {
    let router = Router()
    await expectNoGrowth(of: Page.self, from: router) { await router.openLater(keeps: false) }
    await withKnownIssue {
      await expectNoGrowth(of: Page.self, from: router) { await router.openLater(keeps: true) }
    } matching: {
      "\($0)".contains("Router.pages[…] → Page")
    }
  }
}

private struct Held: @unchecked Sendable {
  // Sendable: one test at a time has it.
  var object: AnyObject
}
