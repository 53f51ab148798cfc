import Foundation
import Testing

@testable import BenchmarkHarness

@Suite("Running rows")
struct RunnerTests {
  private let scratch = URL(filePath: NSTemporaryDirectory())
    .appending(path: "runner-\(UUID().uuidString)")

  private func measure(_ rows: [Row], rounds: Int = 3) throws -> [String: RowOutcome] {
    var programs = ProgramLocator(root: scratch, binaries: scratch)
    let table = Table("Table", unit: "run", rows: rows)
    let suite = Suite(title: "Suite", name: "suite", rounds: rounds, tables: [table])
    try programs.build(for: suite) { _ in }
    defer { try? FileManager.default.removeItem(at: scratch) }
    return try Runner(programs: programs, scratch: scratch) { _ in }.measure(suite)
  }

  @Test("Every row is run once a round")
  func rounds() throws {
    let measurements = try measure([
      Row("a", "a", .bound, .command(.tool("true"))),
      Row("b", "b", .ours, .command(.tool("sh"), arguments: ["-c", "exit 0"], operations: 4)),
    ])
    #expect(measurements["a"]?.samples.count == 3)
    #expect(measurements["b"]?.samples.map(\.operations) == [4, 4, 4])
  }

  @Test("A row that is limited to some rounds runs in the first ones")
  func roundLimit() throws {
    // Distinguishes the rounds: each run adds a line.
    let count = scratch.deletingLastPathComponent().appending(path: "count-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: count) }
    let script = #"echo >> "$3"; n=$(wc -l < "$3"); echo operations=1 thread-ns=$n process-ns=$n"#
    func row(_ id: String, limit: Int?) -> Row {
      Row(
        id,
        id,
        .ours,
        .driver(
          .tool("sh"),
          leading: ["-c", script, "sh"],
          trailing: [count.path],
          operations: .fixed(1)
        ),
        roundLimit: limit
      )
    }
    let measurements = try measure([row("a", limit: nil), row("b", limit: 2)])
    #expect(measurements["a"]?.samples.map(\.threadNanoseconds) == [1, 3, 5])
    #expect(measurements["b"]?.samples.map(\.threadNanoseconds) == [2, 4])
  }

  @Test("A driver gets its case, operations and scratch folder, and what it prints counts")
  func driver() throws {
    // $1 is the number of operations, $2 the folder, $3 the following argument.
    let script = #"test -d "$2" && echo operations=$1 thread-ns=${1}0 process-ns=${1}0$3"#
    let measurements = try measure(
      [
        Row(
          "a",
          "a",
          .ours,
          .driver(
            .tool("sh"),
            leading: ["-c", script, "sh"],
            trailing: ["0"],
            operations: .fixed(7)
          )
        )
      ],
      rounds: 1
    )
    let sample = Sample(operations: 7, threadNanoseconds: 70, processNanoseconds: 700)
    #expect(measurements["a"]?.samples == [sample])
  }

  @Test("A row whose needs the machine does not meet is not run, nor built")
  func missing() throws {
    let needs = Requirement.header("no-such-library/header.h", package: "no-such-library-dev")
    let row = Row("a", "a", .peer, .command(.c("no/such/file")), requirements: [needs])
    guard case .notRun(let packages)? = try measure([row])["a"] else {
      Issue.record("it was run")
      return
    }
    #expect(packages == ["no-such-library-dev"])
  }

  @Test("A program that fails ends the run with what it printed")
  func failure() {
    let row = Row(
      "a",
      "reading",
      .ours,
      .command(.tool("sh"), arguments: ["-c", "echo no such log >&2; exit 3"])
    )
    let error = #expect(throws: BenchmarkFailure.self) { try measure([row]) }
    #expect(error?.description == "\"reading\" ended with status 3:\nno such log\n")
  }

  @Test("A program that a signal ends has the shell's status for it")
  func signal() throws {
    let shell = try #require(Tool.path(of: "sh"))
    #expect(try ChildProcess.run(shell, ["-c", "kill -9 $$"]).status == 137)
  }
}
