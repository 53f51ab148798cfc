/// Why a program is not run, found before anything runs.
package struct LaunchRefusal: Error, Hashable, Sendable {
  /// What is wrong, and what would be right, without a full stop.
  package var message: String
  /// The exit status that shells give for it.
  package var status: Int32

  /// The program is there and cannot be run: 126, as of shells, `env` and `timeout`.
  static func unusable(_ message: String) -> LaunchRefusal {
    LaunchRefusal(message: message, status: 126)
  }

  /// There is no such program: 127.
  static func missing(_ message: String) -> LaunchRefusal {
    LaunchRefusal(message: message, status: 127)
  }
}
