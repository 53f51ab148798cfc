package import Glibc

/// One run of a measured program: `program <case> <operations> <scratch folder> …`.
///
/// The Swift counterpart of `Driver/driver.h`; it prints the same line.
package struct MeasuredRun {
  /// The case to measure.
  package let name: String
  package let operationCount: Int
  /// A folder for files, which the harness empties.
  package let scratch: String
  /// The arguments after the scratch folder.
  package let rest: [String]

  /// Reads the command line; ends the program if it is malformed.
  package init() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let count = Int(arguments[2]), count > 0 else {
      Self.fail("usage: \(arguments[0]) case operations scratch-folder …", status: 64)
    }
    name = arguments[1]
    operationCount = count
    scratch = arguments[3]
    rest = Array(arguments.dropFirst(4))
  }

  /// Runs `body` on this thread and prints its CPU time.
  ///
  /// - Parameter body: performs ``operationCount`` operations.
  package func measure(_ body: () -> Void) {
    let process = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    let thread = Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
    body()
    let ownTime = Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID) - thread
    report(
      threadNanoseconds: ownTime,
      processNanoseconds: Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - process
    )
  }

  /// Runs `body`, in which threads work at the same time, and prints the time that passes.
  ///
  /// - Parameter body: performs ``operationCount`` operations.
  package func measureElapsed(_ body: () -> Void) {
    let began = Self.nanoseconds(CLOCK_MONOTONIC)
    body()
    let elapsed = Self.nanoseconds(CLOCK_MONOTONIC) - began
    report(threadNanoseconds: elapsed, processNanoseconds: elapsed)
  }

  /// Prints the line that the harness reads.
  package func report(threadNanoseconds: UInt64, processNanoseconds: UInt64) {
    print(
      "operations=\(operationCount) thread-ns=\(threadNanoseconds)",
      "process-ns=\(processNanoseconds)"
    )
  }

  /// The time of `clock`.
  package static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  /// Ends the program: a benchmark that could not run has no figure.
  package static func fail(_ message: String, status: Int32 = 1) -> Never {
    let line = message + "\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(status)
  }
}
