#if Serve

import NIOCore
import NIOHTTP1

/// The answer to a request: the page, the number of the newest page, or an error.
///
/// Other sites must learn nothing from it, although their pages can send requests: a request under
/// another name that resolves to this machine is refused, and no site may display, read or store
/// the answer.
struct PageAnswer {
  let status: HTTPResponseStatus
  /// The content, which is not sent if only the head is asked for.
  let body: ByteBuffer
  private(set) var headers: HTTPHeaders

  private init(
    _ status: HTTPResponseStatus,
    type: String = "text/plain; charset=utf-8",
    _ body: ByteBuffer
  ) {
    self.status = status
    self.body = body
    headers = [
      "Content-Type": type,
      "Content-Length": String(body.readableBytes),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Connection": "close",
    ]
  }

  private init(_ status: HTTPResponseStatus, _ text: String) {
    self.init(status, ByteBuffer(string: text))
  }

  static let tooLarge = PageAnswer(
    .requestHeaderFieldsTooLarge,
    "A request has \(ServeLimits.requestByteCount) bytes at most."
  )

  static let malformed = PageAnswer(.badRequest, "This is not a request of HTTP/1.1.")

  init(to request: HTTPRequestHead, from pages: PageStore) {
    let hosts = request.headers["host"]
    guard hosts.count <= 1 else {
      self.init(.badRequest, "A request names one host.")
      return
    }
    guard let host = hosts.first, Self.isOurs(host, port: pages.port) else {
      self.init(.misdirectedRequest, "This page has the name 127.0.0.1 or localhost, and no other.")
      return
    }
    guard request.method == .GET || request.method == .HEAD else {
      self.init(.methodNotAllowed, "GET and HEAD are answered here.")
      headers.add(name: "Allow", value: "GET, HEAD")
      return
    }
    let page = pages.newest
    switch request.uri.prefix(while: { $0 != "?" }) {
    case "/" where page.state.isEmpty:
      // The log is large, or not there yet. A browser asks again.
      self.init(.serviceUnavailable, "The log is being read.")
      headers.add(name: "Retry-After", value: "1")
      headers.add(name: "Refresh", value: "1")
    case "/":
      self.init(.ok, type: "text/html; charset=utf-8", page.bytes)
      headers.add(name: "Content-Security-Policy", value: "frame-ancestors 'none'")
    case "/state": self.init(.ok, page.state)
    // Browsers request it on their own.
    case "/favicon.ico":
      self.init(.noContent, "")
      headers.remove(name: "Content-Length")
    default: self.init(.notFound, "There is one page here: /")
    }
  }

  private static func isOurs(_ host: String, port: Int) -> Bool {
    ["127.0.0.1", "localhost"].contains {
      host.lowercased() == "\($0):\(port)" || port == 80 && host.lowercased() == $0
    }
  }
}

#endif
