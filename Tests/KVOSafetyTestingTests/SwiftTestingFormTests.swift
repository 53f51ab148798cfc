import KVOSafety
import KVOSafetyTesting
import Testing

@Suite("The trait on a suite", .audited)
struct AuditedSuiteTests {
  @Test("each test is a scope of its own")
  func first() { behave() }

  @Test("a test may expect a violation", .audited(expecting: .doubleRemove))
  func second() { removeTwice() }

  @Test("a test may observe nothing, if it says so", .audited(allowsNoObservations: true))
  func third() {}

  @Test("each case of a test with arguments is a scope", arguments: 1...3)
  func fourth(count: Int) { for _ in 0..<count { behave() } }
}

@Suite("The trait on a test")
struct AuditedTestTests {
  @Test("records an issue for a violation")
  func violation() async {
    await withKnownIssue {
      await expectNoObservationViolations { removeTwice() }
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("(KVO001 double-remove)") }
    }
  }

  @Test("records an issue if an expected fault does not happen")
  func missing() async {
    await withKnownIssue {
      await expectNoObservationViolations(expecting: .removeWrongContext) { behave() }
    } matching: { issue in
      issue.comments.contains {
        $0.rawValue == "expected KVO003 remove-wrong-context, which did not happen"
      }
    }
  }

  @Test("runs on the actor of the caller", .audited())
  @MainActor
  func isolation() async {
    let account = Account()
    var heard = 0
    let token = account.observe(\.balance) { _, _ in
      MainActor.assertIsolated()
      heard += 1
    }
    account.balance = 1
    token.invalidate()
    await expectNoObservationViolations {
      MainActor.assertIsolated()
      behave()
    }
    #expect(heard == 1)
  }
}
