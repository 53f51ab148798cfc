import Foundation

/// Counts instructions with valgrind's callgrind: the same program with the same input has the same
/// count, regardless of other load on the machine.
///
/// The kernel's instructions are not included.
struct InstructionCount {
  let runner: Runner

  /// The instructions of one operation of `row`; nil if they are not available.
  ///
  /// The work before and after the operations is the same in both of two runs, and cancels out in
  /// their difference.
  func count(_ row: Row) throws -> Double? {
    guard let valgrind = Tool.path(of: "valgrind") else { return nil }
    switch row.counting {
    case .none: return nil
    case .wholeRun:
      let instructions = try total(row, operations: 1, valgrind)
      return instructions.map { $0 / Double(row.workload.operationsOfCommand) }
    case .perOperation(let operations):
      guard let once = try total(row, operations: operations, valgrind),
        let twice = try total(row, operations: 2 * operations, valgrind)
      else { return nil }
      return (twice - once) / Double(operations)
    }
  }

  private func total(_ row: Row, operations: Int, _ valgrind: String) throws -> Double? {
    try runner.inScratch { folder in
      let copy = try stripped(runner.programs.path(of: row.workload.program), folder)
      let arguments = Runner.arguments(of: row.workload, operations: operations, folder: folder)
      let result = try ChildProcess.run(
        valgrind,
        ["--tool=callgrind", "--callgrind-out-file=/dev/null", copy] + arguments,
        input: row.workload.input
      )
      guard result.status == 0 else { throw Runner.failure(row, result) }
      return Self.collected(result.output)
    }
  }

  /// A copy without debug information, because valgrind may not support DWARF 5.
  private func stripped(_ path: String, _ folder: URL) throws -> String {
    let copy = folder.appending(path: "stripped").path
    let result = try ChildProcess.run("/usr/bin/strip", ["-g", path, "-o", copy])
    guard result.status == 0 else { throw BenchmarkFailure("strip: \(result.output)") }
    return copy
  }

  /// Finds `==123== Collected : 4567` in what callgrind prints.
  static func collected(_ output: String) -> Double? {
    for line in output.split(separator: "\n") where line.contains("Collected :") {
      return line.split(separator: " ").last.flatMap { Double($0) }
    }
    return nil
  }
}
