internal import CKVOUnwind
internal import Glibc

/// Standard error, written to in one piece, without the standard library's buffer.
package enum StandardError {
  /// Writes `text`, if standard error accepts it.
  package static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        if let start = text.baseAddress { kvos_write_error(start, text.count) }
      }
    }
  }

  /// Writes a line that may have paths and values of the environment in it, with what acts on a terminal escaped.
  package static func say(_ line: String) { kvos_say_text(line) }

  /// Whether standard error is a terminal that supports colors: not if NO_COLOR is set, or on a dumb terminal.
  package static var takesColors: Bool {
    guard isatty(STDERR_FILENO) == 1 else { return false }
    if let no = getenv("NO_COLOR"), no.pointee != 0 { return false }
    return getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false
  }
}
