#if Serve

import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Serves the newest page on loopback, and nothing else.
///
/// One event loop runs every connection. What a client can make it spend is bounded: see ``ServeLimits``.
struct PageServer {
  private static let host = "127.0.0.1"

  let port: Int

  /// Serves until standard input ends; then the process exits.
  ///
  /// Prints the address of the page on standard output as soon as a browser can open it.
  ///
  /// - Returns: why the page cannot be served.
  func run() -> String {
    let pages = PageStore()
    let connections = OpenConnections(limit: ServeLimits.connectionCount)
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // A client may end its half of the connection before it reads the answer.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        connections.add(channel)
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(RequestSizeLimit(byteCount: ServeLimits.requestByteCount))
          try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false,
            withErrorHandling: false
          )
          try pipeline.addHandler(PageConnection(pages: pages))
        }
      }
    do {
      let listener = try bootstrap.bind(host: Self.host, port: port).wait()
      guard let bound = listener.localAddress?.port else { return "the server has no address" }
      pages.listen(on: bound)
      print("http://\(Self.host):\(bound)/")
      fflush(nil)
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      return "port \(port) of \(Self.host) is taken; name another with --serve PORT, or 0 for any "
        + "that is free"
    } catch let error as IOError where error.errnoCode == EACCES {
      return "port \(port) may not be opened; one from 1024 on may, or 0 for any that is free"
    } catch {
      return "port \(port) of \(Self.host) cannot be served: \(error)"
    }
    var input = PageReader()
    while let page = input.next() { pages.newest = page }
    _exit(0)
  }
}

#endif
