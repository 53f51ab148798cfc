import KVOSafetyTesting
import Synchronization
import Testing

@Suite("Assertions about retain cycles")
struct RetainCycleFormTests {
  private final class Screen {
    var handler: (() -> Void)?
    func close() {}
  }

  private final class Guarded {
    let state: Mutex<AnyObject?>
    init(_ object: sending AnyObject) { state = Mutex(object) }
  }

  @Test("a screen that holds itself is drawn with the closure's line, one that does not is silent")
  func cycles() {
    let screen = Screen()
    screen.handler = { [weak screen] in screen?.close() }
    expectNoRetainCycles(from: screen)
    screen.handler = { screen.close() }
    withKnownIssue {
      expectNoRetainCycles(from: screen)
    } matching: {
      "\($0)".contains(
        "Screen.handler → closure capture of Screen (RetainCycleFormTests.swift:22) → Screen"
      )
    }
    screen.handler = nil
  }

  @Test("what could not be looked into fails a test that asks for it, and no other")
  func inconclusive() {
    let guarded = Guarded(Screen())
    expectNoRetainCycles(from: guarded)
    withKnownIssue {
      expectNoRetainCycles(from: guarded, failsIfInconclusive: true)
    } matching: {
      "\($0)".contains("Guarded.state: the compiler does not describe noncopyable types")
    }
  }

  @Test("an object that outlives its maker is drawn with what keeps it")
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
}
