import KVOSafetyTesting
import SuiteFaults
import Synchronization
import Testing

/// Suites that assert what is not retained, in Swift Testing: on a screen in the state that the environment
/// names, or on one that is released.
@Suite("Suites about what is retained")
struct RetainSuites {
  @Suite("An assertion on its own")
  struct Alone {
    @Test("of cycles, which are broken afterwards")
    func cycles() {
      let screen = RetainedScreen.open()
      expectNoRetainCycles(from: screen)
      RetainedScreen.close(screen)
    }
  }

  @Suite("Another assertion on its own")
  struct Survivor {
    @Test("of an object")
    func deallocates() { expectDeallocates { RetainedScreen.open() } }
  }

  @Suite("An assertion about growth")
  struct Growth {
    private final class Owner {}

    @Test("of a class")
    func growth() {
      let owner = Owner()
      expectNoGrowth(of: RetainedScreen.type, from: owner) { _ = RetainedScreen.open() }
    }
  }

  @Suite("An assertion in an audited suite", .audited)
  struct Audited {
    @Test("of cycles, which are left")
    func cycles() { expectNoRetainCycles(from: RetainedScreen.open()) }
  }

  @Suite("An assertion in an audited suite, with a cycle that is broken", .audited)
  struct AuditedClosing {
    @Test("of cycles, which are broken afterwards")
    func cycles() {
      let screen = RetainedScreen.open()
      expectNoRetainCycles(from: screen)
      RetainedScreen.close(screen)
    }
  }

  @Suite("An assertion that cannot inspect everything")
  struct Uninspected {
    private final class Owner: Sendable {
      let held = Mutex<Owner?>(nil)
    }

    @Test("of cycles, which are broken afterwards")
    func cycles() {
      let owner = Owner()
      let other = Owner()
      owner.held.withLock { $0 = other }
      expectNoRetainCycles(from: owner)
      other.held.withLock { $0 = owner }
      withKnownIssue {
        expectNoRetainCycles(from: owner)
        expectNoRetainCycles(from: owner, failsIfInconclusive: true)
      }
      other.held.withLock { $0 = nil }
    }
  }

  @Suite("An assertion in a test that expects a cycle")
  struct Expecting {
    @Test(
      "of cycles and of an object",
      .audited(expecting: .observationRetainCycle, .leakedRegistration)
    )
    func cycles() {
      expectNoRetainCycles(from: RetainedScreen.open(otherwise: .observing))
      expectDeallocates { RetainedScreen.open(otherwise: .observing) }
    }
  }
}
