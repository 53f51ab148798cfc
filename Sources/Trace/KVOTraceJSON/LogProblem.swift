/// A problem of one line of a log, with its position.
package struct LogProblem: Hashable, Sendable {
  /// 1-based.
  package var line: Int
  /// The byte in the line, 1-based.
  package var column: Int
  /// The error, and what would be correct, without a full stop.
  package var message: String

  package init(line: Int, column: Int, message: String) {
    self.line = line
    self.column = column
    self.message = message
  }
}
