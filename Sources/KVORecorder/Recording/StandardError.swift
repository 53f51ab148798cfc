internal import Glibc

/// Standard error, written to in one piece, without the standard library's buffer.
package enum StandardError {
  /// Writes `text`.
  ///
  /// A standard error that is closed or full is no reason to fail, and a pipe that nobody reads any
  /// more no reason to die: SIGPIPE is held back from this thread while it writes.
  package static func write(_ text: String) {
    var pipeSignal = sigset_t()
    var former = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else {
          var atOnce = timespec()
          if errno == EPIPE { sigtimedwait(&pipeSignal, nil, &atOnce) }
          return
        }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  /// Whether standard error is a terminal that takes colours: NO_COLOR and a dumb terminal say no.
  package static var takesColors: Bool {
    guard isatty(STDERR_FILENO) == 1 else { return false }
    if let no = getenv("NO_COLOR"), no.pointee != 0 { return false }
    return getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false
  }
}
