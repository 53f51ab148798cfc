import Testing

@testable import KVOSafetyTesting

// An audit takes scopes of one name for runs of one scope, and judges their growth.

@Suite("The name of an audited scope")
struct ScopeNameTests {
  @Test("has the line of the assertion: two of one file are not runs of one scope")
  func assertions() async {
    let first = await expectNoObservationViolations(allowsNoObservations: true) {
      AuditedScope.current?.name
    }
    let second = await expectNoObservationViolations(allowsNoObservations: true) {
      AuditedScope.current?.name
    }
    #expect(first != second)
    #expect(first?.hasPrefix("KVOSafetyTestingTests/ScopeNameTests.swift:") == true)
  }

  @Test("has the suite of the test", .audited(allowsNoObservations: true))
  func test() { #expect(AuditedScope.current?.name == "ScopeNameTests.test()") }

  @Suite("in another suite")
  struct Inner {
    @Test("has the suites of the test", .audited(allowsNoObservations: true))
    func test() { #expect(AuditedScope.current?.name == "ScopeNameTests.Inner.test()") }
  }
}
