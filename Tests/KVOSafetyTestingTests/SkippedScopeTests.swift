import KVOSafety
import Testing
import XCTest

@testable import KVOSafetyTesting

/// Why a scope around `body` fails, or nil; an error of `body` ends it.
private func failure(
  expecting: Set<ObservationRule> = [],
  _ body: () throws -> Void
) -> String? {
  var failure: String?
  do {
    try AuditedScope.run(
      name: "a scope",
      expectations: ScopeExpectations(expected: expecting),
      report: { failure = $0.text },
      body
    )
  } catch {}
  return failure
}

@Suite("An audited scope whose test is skipped")
struct SkippedScopeTests {
  @Test("does not fail for what was not done")
  func absence() {
    let empty = failure { throw XCTSkip("there is no display") }
    #expect(empty == nil)
    let begun = failure(expecting: [.doubleRemove]) {
      behave()
      throw XCTSkip("there is no display")
    }
    #expect(begun == nil)
  }

  @Test("fails for a violation before that")
  func violation() {
    let text = failure {
      removeTwice()
      throw XCTSkip("there is no display")
    }
    #expect(text?.contains("(KVO001 double-remove)") == true)
  }

  @Test("does not fail for what was not done if the test is cancelled")
  func cancellation() async {
    let task = Task { () -> String? in
      var failure: String?
      do {
        try await AuditedScope.run(
          name: "a scope",
          expectations: ScopeExpectations(),
          report: { failure = $0.text }
        ) {
          while !Task.isCancelled { await Task.yield() }
          throw CancellationError()
        }
      } catch {}
      return failure
    }
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test("is not one that fails with an error: that one says what was not done")
  func otherError() {
    struct Failed: Error {}
    let text = failure(expecting: [.doubleRemove]) { throw Failed() }
    #expect(text?.hasPrefix("expected KVO001 double-remove, which did not happen") == true)
  }
}
