#if Serve

import FlyingFox
import Foundation

/// Answers what a browser asks for: the page, and which one is the newest.
///
/// Pages of other sites must learn nothing from it, although they may ask: a name of theirs that leads to
/// this machine is refused, and no site may show, read or keep what is answered.
struct PageHandler: HTTPHandler {
  let pages: PageInput

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let host = request.headers[.host], isOurs(host) else {
      return answer(
        HTTPStatusCode(421, phrase: "Misdirected Request"),
        "This page has the name 127.0.0.1 or localhost, and no other."
      )
    }
    guard request.method == .GET || request.method == .HEAD else {
      var answer = answer(.methodNotAllowed, "GET and HEAD are answered here.")
      answer.headers[HTTPHeader("Allow")] = "GET, HEAD"
      return answer
    }
    let page = pages.page
    var answer: HTTPResponse
    switch request.target.path() {
    case "/":
      answer = self.answer(.ok, type: "text/html; charset=utf-8", page.bytes)
      answer.headers[HTTPHeader("Content-Security-Policy")] = "frame-ancestors 'none'"
    case "/state": answer = self.answer(.ok, page.state)
    // Browsers ask for it unasked.
    case "/favicon.ico": answer = self.answer(.noContent, "")
    default: answer = self.answer(.notFound, "There is one page here: /")
    }
    if request.method == .HEAD { answer.payload = .httpBody(HTTPBodySequence(data: Data())) }
    return answer
  }

  private func isOurs(_ host: String) -> Bool {
    guard let port = pages.port else { return false }
    let names = ["127.0.0.1", "localhost"]
    return names.contains { host.lowercased() == "\($0):\(port)" || port == 80 && host == $0 }
  }

  private func answer(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
    answer(status, type: "text/plain; charset=utf-8", Data(text.utf8))
  }

  private func answer(_ status: HTTPStatusCode, type: String, _ body: Data) -> HTTPResponse {
    HTTPResponse(
      statusCode: status,
      headers: [
        .contentType: type,
        .contentLength: String(body.count),
        HTTPHeader("Cache-Control"): "no-store",
        HTTPHeader("X-Content-Type-Options"): "nosniff",
        HTTPHeader("Referrer-Policy"): "no-referrer",
        HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
      ],
      body: body
    )
  }
}

#endif
