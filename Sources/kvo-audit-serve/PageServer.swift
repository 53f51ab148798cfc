#if Serve

import FlyingFox
import FlyingSocks
import Foundation

/// Serves the newest page on loopback, and nothing else.
struct PageServer {
  private static let host = "127.0.0.1"

  let port: UInt16

  /// Serves until standard input ends, with which the process does.
  ///
  /// Prints the address of the page on standard output when it can be opened.
  ///
  /// - Returns: why it cannot serve.
  func run() async -> String {
    let pages = PageInput()
    do {
      let server = HTTPServer(
        address: try .inet(ip4: Self.host, port: port),
        logger: .disabled,
        handler: PageHandler(pages: pages)
      )
      let running = Task { try await server.run() }
      // Ends by itself where listening failed: nobody else would tell.
      let listening = Task { try await server.waitUntilListening() }
      Task {
        _ = await running.result
        listening.cancel()
      }
      if case .success = await listening.result,
        case .ip4(_, let port)? = await server.listeningAddress
      {
        pages.begin(port: port)
        print("http://\(Self.host):\(port)/")
        fflush(nil)
      }
      try await running.value
      return "the server ended"
    } catch SocketError.failed(_, EADDRINUSE, _) {
      return "port \(port) of \(Self.host) is taken; name another with --serve PORT, or 0 for any "
        + "that is free"
    } catch SocketError.failed(_, EACCES, _) {
      return "port \(port) may not be opened; one from 1024 on may, or 0 for any that is free"
    } catch {
      return "port \(port) of \(Self.host) cannot be served: \(error.localizedDescription)"
    }
  }
}

#endif
