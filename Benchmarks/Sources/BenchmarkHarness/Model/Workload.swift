/// What a row runs once per round.
package enum Workload: Hashable, Sendable {
  /// A program that measures its own time and prints it, as `Driver/driver.h` describes.
  ///
  /// It is called as `program leading… operations scratch trailing…`.
  case driver(
    Program,
    leading: [String] = [],
    trailing: [String] = [],
    operations: OperationCount = .calibrated()
  )

  /// A program that is measured from start to end, and performs `operations` of the row's
  /// operations.
  ///
  /// `input` is the file that it reads as standard input; nil: an empty one.
  case command(Program, arguments: [String] = [], input: String? = nil, operations: Int = 1)

  /// The file that a command reads as standard input, or nil.
  package var input: String? {
    guard case .command(_, _, let input, _) = self else { return nil }
    return input
  }

  /// The number of operations of one run of a command; for a driver, one.
  package var operationsOfCommand: Int {
    guard case .command(_, _, _, let operations) = self else { return 1 }
    return operations
  }

  /// The program to run.
  package var program: Program {
    switch self {
    case .driver(let program, _, _, _), .command(let program, _, _, _): program
    }
  }
}

/// The number of operations of one run of a driver.
package enum OperationCount: Hashable, Sendable {
  /// Found by trial, so that a run takes about as long for every row; no more than `limit`.
  case calibrated(limit: Int = 1 << 24)
  /// A fixed number, regardless of the time: for a driver with much work before it can begin.
  case fixed(Int)
}
