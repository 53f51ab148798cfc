import BenchmarkDriver

/// A number that several closures share; one thread at a time uses it.
final class Sum: @unchecked Sendable {
  // Sendable: only the thread of the benchmark touches it.
  var value = 0

  /// Ends the program unless each of `observers` saw all values from 0 on, below `count`: one of each operation if
  /// that is nil.
  func check(_ run: MeasuredRun, observers: Int = 1, count: Int? = nil) {
    let count = count ?? run.operationCount
    guard value == count * (count - 1) / 2 * observers else {
      MeasuredRun.fail("\(run.name): observers saw \(value), which is not the sum of all values")
    }
  }

  /// The same if the values were 0 and 1 by turns.
  func checkHalves(_ run: MeasuredRun) {
    guard value == run.operationCount / 2 else {
      MeasuredRun.fail("\(run.name): observers saw \(value), which is not half of the operations")
    }
  }
}
