import Foundation
import Testing

/// The lines of XCTest's output that tell of results, without folders and times.
private func results(_ output: String) -> [String] {
  output.split(separator: "\n").map(String.init)
    .filter { $0.contains("error:") || $0.hasPrefix("Test Case") || $0.contains("Executed") }
    .filter { !$0.contains("started at") }
    .map { line in
      line.replacing(#/^.*/(\w+\.swift:\d+)/#) { "\($0.output.1)" }
        .replacing(#/\s*\(\d+\.\d+ seconds\)/#, with: "")
        .replacing(#/ in \d+\.\d+ \(\d+\.\d+\) seconds/#, with: "")
        .trimmingCharacters(in: .whitespaces)
    }
    // XCTest tells its observers in no order, and its own printing is one of them.
    .sorted()
}

@Suite("XCTest")
struct XCTestFormTests {
  @Test("the assertion fails at its own line, with the report")
  func assertions() throws {
    let program = try BuiltProgram("AuditedXCTest", ["assertions"])
    #expect(
      results(program.output)
        == [
          "Test Case 'AssertionTests.testPasses' passed",
          "main.swift:44: error: AssertionTests.testFails : failed - 1 observation violation",
          "Test Case 'AssertionTests.testFails' failed",
          "Test Case 'AssertionTests.testExpects' passed",
          "Test Case 'AssertionTests.testAsynchronous' passed",
          "Executed 4 tests, with 1 failure (0 unexpected)",
          "Executed 4 tests, with 1 failure (0 unexpected)",
          "Executed 4 tests, with 1 failure (0 unexpected)",
        ].sorted()
    )
    #expect(program.output.contains("(KVO001 double-remove)"))
    #expect(
      program.output.contains("> #0 removeTwice()                              main.swift:32")
    )
    #expect(program.status == 1)
  }

  @Test("the observer audits every test case after tearDown, and fails the run")
  func observer() throws {
    let program = try BuiltProgram("AuditedXCTest")
    let audit = "Observation audit of"
    #expect(
      results(program.output)
        == [
          "Test Case 'ObservedTests.testCleansUpInTearDown' passed",
          "main.swift:32: error: ObservationAudit.\(audit) ObservedTests.testRemovesTwice : "
            + "1 observation violation",
          "Test Case 'ObservationAudit.\(audit) ObservedTests.testRemovesTwice' failed",
          "Test Case 'ObservedTests.testRemovesTwice' passed",
          "Test Case 'ObservedTests.testObservesNothing' passed",
          // The suite in which the audit was set up began before it and cannot count it.
          "Executed 3 tests, with 0 failures (0 unexpected)",
          "main.swift:32: error: ObservationAudit.\(audit) LaterTests.testRemovesTwice : "
            + "1 observation violation",
          "Test Case 'ObservationAudit.\(audit) LaterTests.testRemovesTwice' failed",
          "Test Case 'LaterTests.testRemovesTwice' passed",
          "Executed 2 tests, with 1 failure (0 unexpected)",
          "Executed 5 tests, with 1 failure (0 unexpected)",
          "Executed 5 tests, with 1 failure (0 unexpected)",
        ].sorted()
    )
    #expect(program.status == 1)
  }
}
