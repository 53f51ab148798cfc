/// What is wrong with one line of a log, and where.
package struct LogProblem: Hashable, Sendable {
  /// 1-based.
  package var line: Int
  /// The byte in the line, 1-based.
  package var column: Int
  /// What is wrong, and what would be right, without a full stop.
  package var message: String

  package init(line: Int, column: Int, message: String) {
    self.line = line
    self.column = column
    self.message = message
  }
}
