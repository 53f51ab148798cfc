import BenchmarkDriver

/// A number that several closures share; it is used by one thread at a time.
final class Sum: @unchecked Sendable {
  // Sendable: only the thread of the benchmark accesses it.
  var value = 0

  /// Exits the program unless each of `observers` saw all values from 0 to `count`, exclusive; if
  /// it is nil, one for each operation.
  func check(_ run: MeasuredRun, observers: Int = 1, count: Int? = nil) {
    let count = count ?? run.operationCount
    guard value == count * (count - 1) / 2 * observers else {
      MeasuredRun.fail("\(run.name): observers saw \(value), which is not the sum of all values")
    }
  }

  /// The same for values that alternate between 0 and 1.
  func checkHalves(_ run: MeasuredRun) {
    guard value == run.operationCount / 2 else {
      MeasuredRun.fail("\(run.name): observers saw \(value), which is not half of the operations")
    }
  }
}
