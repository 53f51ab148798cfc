/// The measurement of one run of a program.
package struct Sample: Hashable, Sendable {
  package var operations: Int
  /// CPU time of the threads that did the operations, in nanoseconds.
  package var threadNanoseconds: Double
  /// CPU time of the whole process during that time, in nanoseconds.
  package var processNanoseconds: Double

  package init(operations: Int, threadNanoseconds: Double, processNanoseconds: Double) {
    self.operations = operations
    self.threadNanoseconds = threadNanoseconds
    self.processNanoseconds = processNanoseconds
  }

  /// Reads the line that a driver prints; nil if the output has none.
  ///
  /// Earlier lines and unknown fields are ignored.
  package init?(driverOutput: String) {
    for line in driverOutput.split(separator: "\n") {
      var fields: [Substring: Double] = [:]
      for field in line.split(separator: " ") {
        let parts = field.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { fields[parts[0]] = Double(parts[1]) }
      }
      guard let operations = fields["operations"], operations >= 1,
        let thread = fields["thread-ns"], let process = fields["process-ns"]
      else { continue }
      self.init(
        operations: Int(operations),
        threadNanoseconds: thread,
        processNanoseconds: process
      )
      return
    }
    return nil
  }

  /// Nanoseconds of the operating threads for one operation.
  package var perOperation: Double { threadNanoseconds / Double(operations) }
  /// Nanoseconds of all threads for one operation.
  package var perOperationOfProcess: Double { processNanoseconds / Double(operations) }
}
