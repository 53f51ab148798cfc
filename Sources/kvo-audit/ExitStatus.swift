import ArgumentParser

/// What the exit status says; part of the contract.
///
/// Wrong usage is 64, which the argument parser gives.
enum ExitStatus {
  /// A finding is at or above `--fail-on`.
  static let findings = ExitCode(1)
  /// An input cannot be read as a whole, or is no usage log.
  ///
  /// Comes before ``findings``: what was not read cannot be clean.
  static let unreadable = ExitCode(65)
  /// A page cannot be served.
  static let unavailable = ExitCode(69)
  /// The report cannot be written.
  static let unwritable = ExitCode(74)
}
