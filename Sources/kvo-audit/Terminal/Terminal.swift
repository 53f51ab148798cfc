#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The terminal on standard output.
enum Terminal {
  /// Its columns and rows; nil: standard output is not a terminal, or does not know.
  static var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows a report for people: folded at its width, and through a pager if it is longer than the screen.
  ///
  /// The pager is the command in `PAGER`, by default `less`, which then shows colors and ends at the end of a short text
  /// (`LESS=FRX`).
  ///
  /// - Parameters:
  ///   - text: the report, as UTF-8.
  ///   - pages: whether a pager may be used.
  /// - Throws: ``ExitStatus/unwritable`` if it cannot be written, after printing the error.
  static func show(_ text: [UInt8], pages: Bool) throws {
    guard StandardStreams.isOutputTerminal, let size else {
      return try StandardStreams.deliver(text)
    }
    let folded = FoldedText.lines(of: String(decoding: text, as: UTF8.self), columns: size.columns)
    let bytes = Array(folded.joined(separator: "\n").utf8)
    let command = getenv("PAGER").map { String(cString: $0) } ?? "less"
    // The last element is what follows the last newline.
    guard pages, folded.count > size.rows, !command.isEmpty, page(bytes, command) else {
      return try StandardStreams.deliver(bytes)
    }
  }

  /// Gives text to a pager and waits for its end; false: there is no such program.
  private static func page(_ bytes: [UInt8], _ command: String) -> Bool {
    setenv("LESS", "FRX", 0)
    guard let pipe = popen(command, "w") else { return false }
    // The pager handles an interrupt itself, which it would ignore if it began later, and this process has nothing left
    // to do.
    let interrupt = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, interrupt) }
    bytes.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, pipe) }
    // The status that a shell has for a command that it does not find.
    return pclose(pipe) >> 8 & 0xff != 127
  }
}
