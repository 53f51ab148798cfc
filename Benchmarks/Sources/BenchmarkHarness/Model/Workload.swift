/// What a row runs, once a round.
package enum Workload: Hashable, Sendable {
  /// A program that times itself and prints what it took, as `Driver/driver.h` describes.
  ///
  /// It is called as `program leading… operations scratch trailing…`.
  case driver(
    Program,
    leading: [String] = [],
    trailing: [String] = [],
    operations: OperationCount = .calibrated()
  )

  /// A program that is measured from start to end, and does `operations` of what the row counts.
  ///
  /// `input` is the file that it reads as standard input; nil: an empty one.
  case command(Program, arguments: [String] = [], input: String? = nil, operations: Int = 1)

  /// The file that a command reads as standard input, or nil.
  package var input: String? {
    guard case .command(_, _, let input, _) = self else { return nil }
    return input
  }

  /// How many operations a run of a command does; of a driver, one.
  package var operationsOfCommand: Int {
    guard case .command(_, _, _, let operations) = self else { return 1 }
    return operations
  }

  /// The program that is run.
  package var program: Program {
    switch self {
    case .driver(let program, _, _, _), .command(let program, _, _, _): program
    }
  }
}

/// How many operations a driver does in one run.
package enum OperationCount: Hashable, Sendable {
  /// Found by trying, so that a run takes about as long for every row; no more than `limit`.
  case calibrated(limit: Int = 1 << 24)
  /// As many, whatever that takes: for a driver that has much to do before it can begin.
  case fixed(Int)
}
