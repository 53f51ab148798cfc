import KVOSafetyTesting
import SuiteFaults
import Testing

/// The suites of the README in Swift Testing: with the fault that the environment names, or with the
/// correct twins.
@Suite("Suites of the README")
struct ReadmeSuites {
  @Suite("An audited suite", .audited)
  struct AuditedSuite {
    @Test("has a scope for each test")
    func test() { SuiteFault.commitCurrent() }
  }

  @Suite("A known bug")
  struct KnownBug {
    @Test("is expected", .audited(expecting: .doubleRemove))
    func knownBug() {
      SuiteFault.commitCurrent()
      SuiteFault.doubleRemoval.commit()
    }
  }

  @Suite("An assertion")
  struct Assertion {
    @Test("is a scope of its own")
    func block() async { await expectNoObservationViolations { SuiteFault.commitCurrent() } }
  }
}
