package import Foundation

/// Runs the rows of a suite in turn.
///
/// One round runs every row once, so that other load on the machine affects all of them; a ratio is
/// computed from the runs of one round.
package struct Runner {
  /// Finds the programs.
  package var programs: ProgramLocator
  /// A folder for what the programs write, emptied after every run.
  package var scratch: URL
  /// Receives a line about each step.
  package var progress: (String) -> Void

  /// The intended CPU time of a driver's run: long compared with the clock's resolution, short
  /// compared with a round.
  private static let wantedNanoseconds = 60e6

  package init(
    programs: ProgramLocator,
    scratch: URL,
    progress: @escaping (String) -> Void
  ) {
    self.programs = programs
    self.scratch = scratch
    self.progress = progress
  }

  /// Measures `suite`.
  ///
  /// - Throws: ``BenchmarkFailure`` if a program fails although its requirements are met: a missing
  ///   figure must not look like one that was not requested.
  package func measure(_ suite: Suite) throws -> [String: RowOutcome] {
    var measurements: [String: RowOutcome] = [:]
    var operations: [String: Int] = [:]
    let rows = suite.rows
    for row in rows {
      let missing = Requirement.missingPackages(of: row.requirements)
      guard missing.isEmpty else {
        measurements[row.id] = .notRun(missing: missing)
        continue
      }
      progress("\(suite.name): trying \(row.title)")
      operations[row.id] = try calibrate(row)
      measurements[row.id] = .samples([], instructions: nil)
    }
    for round in 1...suite.rounds {
      progress("\(suite.name): round \(round) of \(suite.rounds)")
      for row in rows {
        guard let count = operations[row.id], round <= row.roundLimit ?? round else { continue }
        measurements[row.id]?.add(try run(row, operations: count))
      }
    }
    for row in rows where operations[row.id] != nil && row.counting != .none {
      progress("\(suite.name): counting instructions of \(row.title)")
      measurements[row.id]?.instructions = try InstructionCount(runner: self).count(row)
    }
    return measurements
  }

  /// The number of operations that takes about the intended time.
  private func calibrate(_ row: Row) throws -> Int {
    switch row.workload {
    case .command: return 1
    case .driver(_, _, _, .fixed(let count)): return count
    case .driver(_, _, _, .calibrated(let limit)): return try calibrate(row, limit: limit)
    }
  }

  private func calibrate(_ row: Row, limit: Int) throws -> Int {
    var operations = min(1_000, limit)
    while true {
      let sample = try run(row, operations: operations)
      let taken = max(sample.processNanoseconds, 1)
      if taken >= Self.wantedNanoseconds / 4 || operations >= limit {
        let wanted = Double(operations) * Self.wantedNanoseconds / taken
        return min(limit, max(1, Int(wanted)))
      }
      operations = min(limit, operations * 8)
    }
  }

  private func run(_ row: Row, operations: Int) throws -> Sample {
    try inScratch { folder in
      let path = try programs.path(of: row.workload.program)
      let arguments = Self.arguments(of: row.workload, operations: operations, folder: folder)
      switch row.workload {
      case .driver:
        let result = try ChildProcess.run(path, arguments)
        guard result.status == 0, let sample = Sample(driverOutput: result.output) else {
          throw Self.failure(row, result)
        }
        return sample
      case .command(_, _, let input, let count):
        let result = try ChildProcess.run(path, arguments, input: input, keepsOutput: false)
        guard result.status == 0 else { throw Self.failure(row, result) }
        return Sample(
          operations: count,
          threadNanoseconds: result.cpuNanoseconds,
          processNanoseconds: result.cpuNanoseconds
        )
      }
    }
  }

  static func arguments(of workload: Workload, operations: Int, folder: URL) -> [String] {
    switch workload {
    case .driver(_, let leading, let trailing, _):
      leading + [String(operations), folder.path] + trailing
    case .command(_, let arguments, _, _): arguments
    }
  }

  static func failure(_ row: Row, _ result: ChildProcess.Result) -> BenchmarkFailure {
    BenchmarkFailure("\"\(row.title)\" ended with status \(result.status):\n\(result.output)")
  }

  /// Calls `body` with a folder that is empty before the call and removed after it.
  func inScratch<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = scratch.appending(path: "run")
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
