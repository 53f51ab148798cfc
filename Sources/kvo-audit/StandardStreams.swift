import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Standard output and standard error, written without buffering and without SIGPIPE.
enum StandardStreams {
  /// Why output could not be written.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Lets a reader that goes away (`kvo-audit … | head`) show as an error of `write`.
  static func ignoreBrokenPipes() { _ = ignoredBrokenPipesBefore }

  /// Lets a limit on the size of files show as an error of `write`, too.
  ///
  /// Called where reports are written, and so not before `record` runs a program, which would inherit it.
  static func ignoreFileSizeSignal() { signal(SIGXFSZ, SIG_IGN) }

  /// Whether this process was started with SIGPIPE ignored, which its children inherit.
  static let ignoredBrokenPipesBefore =
    unsafeBitCast(signal(SIGPIPE, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)

  /// Writes `bytes` to standard output.
  ///
  /// A reader that has gone away is no failure: it has what it wanted.
  ///
  /// - Throws: ``Failure`` if the output cannot be written, as on a full disk.
  static func print(_ bytes: [UInt8]) throws(Failure) {
    ignoreFileSizeSignal()
    let code = write(bytes, to: STDOUT_FILENO)
    if code != 0, code != EPIPE {
      throw Failure(description: "the report cannot be written: \(String(cString: strerror(code)))")
    }
  }

  /// Writes `text` and a newline to standard error; what cannot be written is lost.
  static func complain(_ text: String) {
    _ = write(Array((text + "\n").utf8), to: STDERR_FILENO)
  }

  /// Writes `text` to standard error as it is.
  static func show(_ text: String) {
    _ = write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// Whether a terminal shows standard output and understands escape sequences.
  static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 && !isDumb }
  /// Whether standard output is a terminal of any kind.
  static var isOutputATerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  /// Whether a terminal shows standard error and understands escape sequences.
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 && !isDumb }

  private static var isDumb: Bool { getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? false }

  /// Whether the environment has `name` set to anything but an empty text.
  static func isSet(_ name: String) -> Bool {
    guard let value = getenv(name) else { return false }
    return value.pointee != 0
  }

  /// Writes `bytes` to `descriptor`, and gives the error number, 0 for none.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(descriptor, $0) }
      if count < 0 {
        if errno == EINTR { continue }
        return errno
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
  /// - Throws: ``ExitStatus/unwritable`` if it cannot be written; says so first.
  static func deliver(_ bytes: [UInt8]) throws {
    do throws(Failure) {
      try print(bytes)
    } catch {
      complain("kvo-audit: \(error.description)")
      throw ExitStatus.unwritable
    }
  }
}
