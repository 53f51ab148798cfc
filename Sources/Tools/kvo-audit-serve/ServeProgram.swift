#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `kvo-audit-serve PORT`: shows a browser on this machine the pages that come on standard input.
///
/// `kvo-audit watch --serve` starts it, and it ends together with that process: when its standard
/// input ends.
@main
enum ServeProgram {
  /// The service is unavailable, as defined by sysexits.h.
  private static let unavailable: Int32 = 69
  private static let wrongUsage: Int32 = 64

  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 1, let port = arguments.first.flatMap({ UInt16($0) }) else {
      complain("kvo-audit watch --serve starts this program; it takes a port from 0 to 65535")
      exit(wrongUsage)
    }
    // A browser that disconnects must not end the server.
    signal(SIGPIPE, SIG_IGN)
    endOnTermination()
    #if Serve
    let failure = PageServer(port: Int(port)).run()
    complain(failure)
    #else
    _ = port
    complain(
      "--serve is left out of this build, which was made without the trait Serve; "
        + "`swift build --product kvo-audit-serve` makes one that has it"
    )
    #endif
    exit(unavailable)
  }

  /// Lets SIGTERM end the process even if the process that started it blocks that signal.
  private static func endOnTermination() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    signal(SIGTERM, SIG_DFL)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }

  private static func complain(_ text: String) {
    let line = Array("kvo-audit: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
