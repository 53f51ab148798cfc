package import Foundation
import Glibc

/// An LTTng session that records the peer's tracepoint: without one the tracepoint does nothing.
///
/// In snapshot mode, like a flight recorder: full buffers are used again, and no second process
/// takes part in the work. The daemon belongs to this object and ends with ``stop()``.
package struct LTTngSession: Sendable {
  private static let name = "kvo-bench"
  private let daemon: pid_t
  private let lttng: String

  /// Starts the daemon, and a session in which `kvo_bench:*` is enabled.
  ///
  /// - Parameter scratch: the folder for a snapshot; none is taken.
  /// - Returns: nil if LTTng is not installed.
  /// - Throws: ``BenchmarkFailure`` if it is installed, and does not start.
  package static func start(scratch: URL) throws -> LTTngSession? {
    guard let lttng = Tool.path(of: "lttng"), let server = Tool.path(of: "lttng-sessiond") else {
      return nil
    }
    let daemon = try ChildProcess.start(
      server,
      ["--no-kernel", "--quiet"],
      output: "/dev/null",
      errors: "/dev/null"
    )
    let session = LTTngSession(daemon: daemon, lttng: lttng)
    do {
      try session.begin(output: scratch.appending(path: "lttng").path)
    } catch {
      session.stop()
      throw error
    }
    return session
  }

  private func begin(output: String) throws {
    // The daemon takes a moment to listen.
    var attempts = 0
    while try !isListening() {
      attempts += 1
      guard attempts < 100 else { throw BenchmarkFailure("lttng-sessiond does not answer") }
      usleep(50_000)
    }
    // The remains of an interrupted run.
    try? command(["destroy", Self.name])
    try command(["create", Self.name, "--snapshot", "--output=\(output)"])
    try command(["enable-channel", "-u", "events"])
    try command(["enable-event", "-u", "kvo_bench:*", "--channel", "events"])
    try command(["start"])
  }

  /// Ends the session and the daemon.
  package func stop() {
    try? command(["destroy", Self.name])
    kill(daemon, SIGTERM)
    waitpid(daemon, nil, 0)
  }

  private func isListening() throws -> Bool {
    try ChildProcess.run(lttng, ["--no-sessiond", "list"]).status == 0
  }

  private func command(_ arguments: [String]) throws {
    let result = try ChildProcess.run(lttng, ["--no-sessiond"] + arguments)
    guard result.status == 0 else {
      throw BenchmarkFailure("lttng \(arguments.joined(separator: " ")):\n\(result.output)")
    }
  }
}
