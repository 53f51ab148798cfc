import KVOAudit
import KVOText
import KVOTraceJSON

/// The Model Context Protocol over lines: JSON-RPC 2.0, one message a line.
///
/// There is no library for Swift among those that this package can depend on; of the protocol a server of tools needs four
/// methods. Source: <https://modelcontextprotocol.io/specification/2025-06-18>.
struct MCPServer {
  /// The versions that this server speaks, the newest first.
  ///
  /// Of what differs between them only batches matter, which a server of 2025-03-26 must take: they are taken in each.
  static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]

  private enum Failure: Int {
    case notJSON = -32700
    case notARequest = -32600
    case unknownMethod = -32601
    case wrongParameters = -32602
  }

  private let tools: MCPTools

  init(tools: MCPTools) { self.tools = tools }

  /// The line that answers a line; nil: none is due, as for a notification.
  func answer(to line: String) -> [UInt8]? {
    if line.allSatisfy(\.isWhitespace) { return nil }
    let value = try? JSONSyntax.parse(Array(line.utf8)[...])
    guard let value else { return failure(.notJSON, "not JSON", id: nil) }
    guard let batch = value.items else { return answer(toMessage: value) }
    if batch.isEmpty { return failure(.notARequest, "a batch has a message", id: nil) }
    let answers = batch.compactMap { answer(toMessage: $0) }
    if answers.isEmpty { return nil }
    var list: [UInt8] = []
    for line in answers {
      list.append(list.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
      // Without its newline.
      list += line.dropLast()
    }
    return list + [UInt8(ascii: "]"), UInt8(ascii: "\n")]
  }

  private func answer(toMessage value: JSONValue) -> [UInt8]? {
    let message = value.members ?? [:]
    guard let method = message["method"]?.text else {
      // A response to a request, which this server never makes.
      if message["result"] != nil || message["error"] != nil { return nil }
      return failure(.notARequest, "a message has a method", id: nil)
    }
    guard let id = message["id"], !id.isNull else { return nil }
    let parameters = message["params"]?.members ?? [:]
    switch method {
    case "initialize": return result(id) { initialize(parameters, &$0) }
    case "ping": return result(id) { $0.object { _ in } }
    case "tools/list": return result(id) { $0.object(MCPTools.list) }
    case "tools/call": return call(parameters, id)
    default: return failure(.unknownMethod, "there is no method \"\(method)\"", id: id)
    }
  }

  private func initialize(_ parameters: [String: JSONValue], _ text: inout JSONText) {
    let asked = parameters["protocolVersion"]?.text
    let version = asked.flatMap { Self.versions.contains($0) ? $0 : nil } ?? Self.versions[0]
    text.object { text in
      text.key("protocolVersion")
      text.value(version)
      text.key("capabilities")
      text.object { text in
        text.key("tools")
        text.object { _ in }
      }
      text.key("serverInfo")
      text.object { text in
        text.key("name")
        text.value("kvo-audit")
        text.key("version")
        text.value(AuditVersion.current)
      }
      text.key("instructions")
      text.value(MCPTools.instructions)
    }
  }

  private func call(_ parameters: [String: JSONValue], _ id: JSONValue) -> [UInt8] {
    let name = parameters["name"]?.text ?? ""
    guard let tool = MCPTools.Tool(rawValue: name) else {
      return failure(.wrongParameters, "there is no tool \"\(name)\"", id: id)
    }
    let answer = tools.call(tool, MCPArguments(parameters["arguments"]?.members ?? [:]))
    return result(id) { text in
      text.object { text in
        text.key("content")
        text.list([answer.text]) { text, answer in
          text.object { text in
            text.key("type")
            text.value("text")
            text.key("text")
            text.value(answer)
          }
        }
        text.key("isError")
        text.value(answer.isError)
      }
    }
  }

  // MARK: - Messages

  private func result(_ id: JSONValue, _ write: (inout JSONText) -> Void) -> [UInt8] {
    message(id) { text in
      text.key("result")
      write(&text)
    }
  }

  private func failure(_ failure: Failure, _ message: String, id: JSONValue?) -> [UInt8] {
    self.message(id) { text in
      text.key("error")
      text.object { text in
        text.key("code")
        text.value(failure.rawValue)
        text.key("message")
        text.value(message)
      }
    }
  }

  private func message(_ id: JSONValue?, _ body: (inout JSONText) -> Void) -> [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("jsonrpc")
      text.value("2.0")
      text.key("id")
      switch id {
      case .text(let name): text.value(name)
      case .whole(let number): text.value(number)
      case .negative(let number): text.value(Int(number))
      default: text.null()
      }
      body(&text)
    }
    return Self.line(text.bytes)
  }

  /// JSON on one line: its strings have no line breaks, only its layout has.
  private static func line(_ bytes: [UInt8]) -> [UInt8] {
    var line: [UInt8] = []
    var isIndentation = false
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        isIndentation = true
      } else if byte != UInt8(ascii: " ") {
        isIndentation = false
      }
      if !isIndentation { line.append(byte) }
    }
    return line + [UInt8(ascii: "\n")]
  }
}
