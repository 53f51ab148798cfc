import ArgumentParser

/// The exit statuses, which are part of the contract.
///
/// The argument parser returns 64 for wrong usage.
enum ExitStatus {
  /// A finding is at or above `--fail-on`.
  static let findings = ExitCode(1)
  /// A finding is gone, but would not have been seen (`verify-fix`).
  static let unproven = ExitCode(2)
  /// An input cannot be read completely, or is not a usage log.
  ///
  /// Takes precedence over ``findings``: an unread log cannot be clean.
  static let unreadable = ExitCode(65)
  /// A page cannot be served.
  static let unavailable = ExitCode(69)
  /// The report cannot be written.
  static let unwritable = ExitCode(74)

  /// Says why files cannot be used, if there is a reason.
  ///
  /// - Throws: ``unreadable`` after that.
  static func check(_ messages: [String]) throws {
    for message in messages { StandardStreams.complain("kvo-audit: \(message)") }
    if !messages.isEmpty { throw unreadable }
  }
}
