import Foundation
import Glibc

/// Runs programs to their end and measures their CPU time.
///
/// Foundation's Process and swift-subprocess do not return the child's resource usage.
package enum ChildProcess {
  /// How a program ended.
  package struct Result: Sendable {
    /// The exit status; 128 + the signal's number if a signal ended it.
    package var status: Int32
    /// Standard output, followed by standard error.
    package var output: String
    /// User and system time of the program and of the children that it waited for, in nanoseconds,
    /// from its start.
    package var cpuNanoseconds: Double
    /// The peak memory usage, in bytes.
    ///
    /// Linux includes the memory of this process when the child starts.
    package var peakByteCount: Int
  }

  /// Runs the program at `path` and waits for its end.
  ///
  /// - Parameters:
  ///   - path: absolute, or relative to the working directory.
  ///   - arguments: without the program's own name.
  ///   - input: the file that is its standard input.
  ///   - keepsOutput: false: standard output goes to /dev/null, and counts as read.
  ///   - environment: variables to set in addition to the inherited ones.
  /// - Returns: the ending; the caller judges a status other than 0.
  /// - Throws: ``BenchmarkFailure`` if the program cannot be started.
  package static func run(
    _ path: String,
    _ arguments: [String],
    input: String? = nil,
    keepsOutput: Bool = true,
    environment: [String: String] = [:]
  ) throws -> Result {
    let kept = "\(NSTemporaryDirectory())/bench-output-\(UUID().uuidString)"
    defer { unlink(kept) }
    let process = try start(
      path,
      arguments,
      input: input,
      output: keepsOutput ? kept : "/dev/null",
      errors: kept,
      environment: environment
    )
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return Result(
      status: signal == 0 ? (status >> 8) & 0xff : 128 + signal,
      output: (try? String(contentsOfFile: kept, encoding: .utf8)) ?? "",
      cpuNanoseconds: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
      // The kernel counts in KiB.
      peakByteCount: Int(usage.ru_maxrss) * 1_024
    )
  }

  /// Starts a program, and returns its process id for the caller to wait for.
  static func start(
    _ path: String,
    _ arguments: [String],
    input: String? = nil,
    output: String,
    errors: String,
    environment: [String: String] = [:]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input ?? "/dev/null", O_RDONLY, 0)
    let appending = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, output, appending, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, appending, 0o600)
    let inherited = ProcessInfo.processInfo.environment
    let variables = inherited.merging(environment) { $1 }.map { "\($0)=\($1)" }
    var process: pid_t = 0
    let code = withCStrings([path] + arguments) { arguments in
      withCStrings(variables) { variables in
        posix_spawn(&process, path, &actions, nil, arguments, variables)
      }
    }
    guard code == 0 else {
      throw BenchmarkFailure("cannot start \"\(path)\": \(String(cString: strerror(code)))")
    }
    return process
  }

  private static func withCStrings<Result>(
    _ texts: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = texts.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    return body(pointers + [nil])
  }

  private static func nanoseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3
  }
}

/// The reason why a benchmark cannot be run, in a sentence.
package struct BenchmarkFailure: Error, CustomStringConvertible {
  package var description: String
  package init(_ description: String) { self.description = description }
}
