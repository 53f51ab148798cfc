import ArgumentParser
import KVORules

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Standard output and standard error, written without buffering and without SIGPIPE.
enum StandardStreams {
  /// The reason why output could not be written.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Makes a closed reader (`kvo-audit … | head`) an error of `write` instead of a signal.
  static func ignoreBrokenPipes() { _ = ignoredBrokenPipesBefore }

  /// Makes the limit of file sizes an error of `write`, too.
  ///
  /// Called before reports are written, but after `record` has run a program, which would inherit
  /// it.
  static func ignoreFileSizeSignal() { signal(SIGXFSZ, SIG_IGN) }

  /// Whether this process was started with SIGPIPE ignored, which its children inherit.
  static let ignoredBrokenPipesBefore =
    unsafeBitCast(signal(SIGPIPE, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)

  /// Writes `bytes` to standard output.
  ///
  /// A closed reader is not a failure: it has read what it needed.
  ///
  /// - Throws: ``Failure`` if the output cannot be written, for example on a full disk.
  static func print(_ bytes: [UInt8]) throws(Failure) {
    ignoreFileSizeSignal()
    let code = write(bytes, to: STDOUT_FILENO)
    if code != 0, code != EPIPE {
      let reason = String(cString: strerror(code))
      throw Failure(description: "standard output cannot be written: \(reason)")
    }
  }

  /// Writes `text` and a newline to standard error; errors are ignored.
  ///
  /// Names of files and values of options are in it, so what a terminal or a CI server acts on is escaped, except for
  /// line ends.
  static func complain(_ text: String) {
    show(escapedLines(text) + "\n")
  }

  /// `text` with what a terminal or a CI server acts on escaped, except for line ends.
  static func escapedLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { ShownText.escaped(String($0)) }.joined(separator: "\n")
  }

  /// Writes `text` to standard error unchanged.
  static func show(_ text: String) {
    _ = write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// Whether standard output is a terminal that understands escape sequences.
  static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 && !isDumb }
  /// Whether standard output is a terminal of any kind.
  static var isOutputATerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  /// Whether standard error is a terminal that understands escape sequences.
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 && !isDumb }

  /// Whether standard output and standard error go to the same terminal, file or pipe.
  static var shareDestination: Bool {
    var (output, error) = (stat(), stat())
    return fstat(STDOUT_FILENO, &output) == 0 && fstat(STDERR_FILENO, &error) == 0
      && output.st_dev == error.st_dev && output.st_ino == error.st_ino
  }

  private static var isDumb: Bool { getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? false }

  /// Whether the environment has `name` with a nonempty value.
  static func isSet(_ name: String) -> Bool {
    guard let value = getenv(name) else { return false }
    return value.pointee != 0
  }

  /// Writes `bytes` to `descriptor`, and returns the error number, 0 for none.
  ///
  /// Waits for a reader also if the descriptor does not block: another process may have changed that for all that share
  /// it, such as a program that `record` has run.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(descriptor, $0) }
      if count < 0 {
        let code = errno
        if code == EAGAIN {
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, -1)
        } else if code != EINTR {
          return code
        }
        continue
      }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  private static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
    Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}

extension StandardStreams {
  /// Writes a command's result to standard output.
  ///
  /// - Throws: ``ExitStatus/unwritable`` if it cannot be written, after printing the error.
  static func deliver(_ bytes: [UInt8]) throws {
    do throws(Failure) {
      try print(bytes)
    } catch {
      complain("kvo-audit: \(error.description)")
      throw ExitStatus.unwritable
    }
  }
}
