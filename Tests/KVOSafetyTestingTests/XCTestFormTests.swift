import Foundation
import TestSupport
import Testing

/// The lines of XCTest's output with results, without folders and times.
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
    // XCTest notifies its observers in no order, and its own printing is one of them.
    .sorted()
}

@Suite("XCTest")
struct XCTestFormTests {
  @Test("the assertion fails at its own line, with the report")
  func assertions() throws {
    let program = try ProgramRun(built: "AuditedXCTest", ["assertions"])
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

  @Test("a retained object fails the assertion at its own line, with what keeps it")
  func retention() throws {
    let program = try ProgramRun(built: "AuditedXCTest", ["retention"])
    #expect(
      results(program.output)
        == [
          "RetentionTests.swift:38: error: RetentionTests.testCycles : failed - 1 retain cycle",
          "Test Case 'RetentionTests.testCycles' failed",
          "RetentionTests.swift:50: error: RetentionTests.testDeallocates : failed - "
            + "Page is still alive",
          "Test Case 'RetentionTests.testDeallocates' failed",
          "RetentionTests.swift:60: error: RetentionTests.testGrowth : failed - "
            + "1 class grows with each of 4 repetitions",
          "Test Case 'RetentionTests.testGrowth' failed",
          "RetentionTests.swift:66: error: RetentionTests.testAsynchronousGrowth : failed - "
            + "1 class grows with each of 4 repetitions",
          "Test Case 'RetentionTests.testAsynchronousGrowth' failed",
          "RetentionTests.swift:75: error: RetentionTests.testAsynchronousDeallocates : failed - "
            + "Page is still alive",
          "Test Case 'RetentionTests.testAsynchronousDeallocates' failed",
          "Executed 5 tests, with 5 failures (0 unexpected)",
          "Executed 5 tests, with 5 failures (0 unexpected)",
          "Executed 5 tests, with 5 failures (0 unexpected)",
        ].sorted()
    )
    let cycle = "  Page.handler → closure capture of Page (RetentionTests.swift:"
    #expect(program.output.contains("\(cycle)37) → Page\n"))
    #expect(program.output.contains("\(cycle)52) → Page\n"))
    #expect(program.output.contains("\(cycle)77) → Page\n"))
    let growth = """
        Page: 1, 2, 3, 4 more alive
          kept by Router.pages[…] → Page (4 of 4)

      """
    #expect(program.output.split(separator: growth, omittingEmptySubsequences: false).count == 3)
    #expect(program.status == 1)
  }

  @Test("what could not be inspected is a warning at its line, and a failure on request")
  func inconclusive() throws {
    let program = try ProgramRun(built: "AuditedXCTest", ["inconclusive"])
    let why = "Guarded.state: the compiler does not describe noncopyable types"
    let lines = program.complaint.split(separator: "\n", omittingEmptySubsequences: false)
    let warning = try #require(lines.first { $0.contains(": warning: ") })
    #expect(warning.contains("RetentionTests.swift:44: warning: "))
    #expect(program.complaint.contains(why))
    let error = "RetentionTests.swift:45: error: RetentionTests.testInconclusive"
    #expect(results(program.output).contains { $0.hasPrefix(error) })
    #expect(program.output.contains(why))
    // The first call passes: one failure, and not for the first line.
    #expect(program.output.contains("Executed 1 test, with 1 failure (0 unexpected)"))
    #expect(program.status == 1)
  }

  @Test("the observer lets the main actor deallocate what a case released on another thread")
  func lateDeallocation() throws {
    let program = try ProgramRun(built: "AuditedXCTest", ["late-deallocation"])
    let passed = "Test Case 'LateDeallocationTests.testReleases' passed"
    #expect(results(program.output).contains(passed))
    #expect(!program.output.contains("Observation audit of"))
    #expect(program.status == 0)
  }

  @Test("a fault of a task that outlives its scope is reported when it happens")
  func leftTask() throws {
    let program = try ProgramRun(built: "AuditedXCTest", ["left-task"])
    #expect(results(program.output).contains("Test Case 'LeftTaskTests.testLeaves' passed"))
    #expect(program.complaint.contains("(KVO001 double-remove)"))
    #expect(program.status == 0)
  }

  @Test("the observer audits every test case after tearDown, and fails the run")
  func observer() throws {
    let program = try ProgramRun(built: "AuditedXCTest")
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
