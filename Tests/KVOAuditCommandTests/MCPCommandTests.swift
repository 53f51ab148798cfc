import Foundation
import TestSupport
import Testing

@Suite("kvo-audit mcp") struct MCPCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// The answers to lines, which are written at once; the server ends with its input.
  private func answers(to lines: [String]) throws -> [[String: Any]] {
    let run = try CommandRun(["mcp"], in: folder.url, input: lines.map { $0 + "\n" }.joined())
    #expect(run.status == 0 && run.complaint == "")
    return try run.output.split(separator: "\n").map { line in
      let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(answer?["jsonrpc"] as? String == "2.0")
      return answer ?? [:]
    }
  }

  private func request(_ method: String, _ parameters: String = "{}", id: String = "1") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
  }

  private func call(_ tool: String, _ arguments: String) -> String {
    request("tools/call", #"{"name":"\#(tool)","arguments":\#(arguments)}"#)
  }

  private func result(_ answer: [String: Any]) -> [String: Any] {
    answer["result"] as? [String: Any] ?? [:]
  }

  /// The text of a tool's answer, and whether it is an error.
  private func text(_ answer: [String: Any]) -> (text: String, isError: Bool) {
    let result = result(answer)
    let content = result["content"] as? [[String: Any]] ?? []
    #expect(content.count == 1 && content.first?["type"] as? String == "text")
    return (content.first?["text"] as? String ?? "", result["isError"] as? Bool ?? false)
  }

  @Test("agrees on a version, lists its tools with their schemas, and answers no notification")
  func handshake() throws {
    let answers = try answers(to: [
      request("initialize", #"{"protocolVersion":"2025-03-26"}"#, id: #""first""#),
      #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
      request("initialize", #"{"protocolVersion":"1999-01-01"}"#), request("ping", id: "7"),
      "", request("tools/list"),
    ])
    #expect(answers.count == 4)
    #expect(answers[0]["id"] as? String == "first")
    #expect(result(answers[0])["protocolVersion"] as? String == "2025-03-26")
    #expect(result(answers[1])["protocolVersion"] as? String == "2025-06-18")
    #expect(answers[2]["id"] as? Int == 7 && result(answers[2]).isEmpty)
    let tools = result(answers[3])["tools"] as? [[String: Any]] ?? []
    #expect(
      tools.map { $0["name"] as? String } == [
        "audit", "finding", "source", "cycle", "census", "growth", "diff", "explain", "verify_fix",
      ]
    )
    for tool in tools {
      let schema = tool["inputSchema"] as? [String: Any]
      #expect(schema?["type"] as? String == "object")
      let names = Set((schema?["properties"] as? [String: Any] ?? [:]).keys)
      #expect(names.isSuperset(of: schema?["required"] as? [String] ?? ["?"]), "\(tool)")
    }
  }

  @Test("answers the requests of a batch in one list, and a batch of notifications not at all")
  func batch() throws {
    let notification = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    let batches = [
      "[\(request("ping", id: "1")),\(notification),7,\(request("ping", id: "2"))]",
      "[\(notification)]",
    ]
    let run = try CommandRun(["mcp"], in: folder.url, input: batches.map { $0 + "\n" }.joined())
    let found = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let answers = try #require(found as? [[String: Any]])
    #expect(answers.map { $0["id"] as? Int } == [1, nil, 2])
    let codes = answers.map { ($0["error"] as? [String: Any])?["code"] as? Int }
    #expect(codes == [nil, -32600, nil])
    #expect(run.output.split(separator: "\n").count == 1 && run.complaint == "")
  }

  @Test("leads an agent from an audit to a proven change")
  func session() throws {
    let source = try folder.file("Screen.swift", "one\ntwo\nscreen.observe()\nfour\n")
    let call = #""stack":[{"symbol":"Screen.show()","module":"App","file":"\#(source)","line":3}]"#
    let before = """
      {"event":"process","schema":1,"runtime":"swift","complete":true}
      {"event":"register","thread":1,"order":1,"subject":{"class":"Account","id":"1"},"observer":{"class":"Screen","id":"2"},"keyPath":"balance","context":null,"options":["new"],"registration":3,\(call)}
      {"event":"deinit","thread":1,"object":{"class":"Screen","id":"2"}}
      {"event":"deinitEnd","thread":1,"object":{"class":"Screen","id":"2"}}
      {"event":"exit","status":0}

      """
    let removal =
      #"{"event":"remove","thread":1,"order":2,"subject":{"class":"Account","id":"1"},"observer":{"class":"Screen","id":"2"},"keyPath":"balance","context":null,"registration":3}"#
    _ = try folder.file("before.jsonl", before)
    _ = try folder.file(
      "after.jsonl",
      before.replacing(#"{"event":"deinit""#, with: removal + "\n" + #"{"event":"deinit""#)
    )
    let id = try #require(
      try text(answers(to: [self.call("audit", #"{"paths":["before.jsonl"]}"#)])[0]).text
        .firstMatch(of: #/2:[0-9a-f]{10}/#)
    ).0
    let texts = try answers(to: [
      self.call("finding", #"{"id":"\#(id)"}"#),
      self.call("audit", #"{"paths":["before.jsonl"]}"#),
      self.call("finding", #"{"id":"\#(id)"}"#), self.call("source", #"{"id":"\#(id)"}"#),
      self.call("cycle", #"{"id":"\#(id)"}"#),
      self.call("verify_fix", #"{"id":"\#(id)","paths":["after.jsonl"]}"#),
      self.call("verify_fix", #"{"id":"\#(id)","paths":["before.jsonl"]}"#),
      self.call("diff", #"{"old":"before.jsonl","new":"after.jsonl"}"#),
      self.call("census", #"{"paths":["before.jsonl"]}"#),
      self.call("growth", #"{"paths":["before.jsonl"]}"#),
      self.call("explain", #"{"rule":"KVO007"}"#),
    ]).map(text)
    let beginnings = [
      "there was no audit yet", "1 error, 0 warnings, 0 notes in 5 events, ",
      "WARNING: KVOSafety: observer deallocated while registered (KVO007",
      "Registered at, on thread 1: \(source):3\n  1  one\n  2  two\n> 3  screen.observe()\n  4  four",
      "\(id) has no retain cycle", "fixed: \(id) is gone", "present: \(id) is still there",
      "FIXED: 1 finding", "CENSUS: ", "CALL SITES: 1 registration", "KVO007 observer-deinit",
    ]
    for (answer, beginning) in zip(texts, beginnings) {
      #expect(answer.text.hasPrefix(beginning), "\(answer)")
    }
    #expect(texts.count == beginnings.count)
    #expect(
      texts.map(\.isError) == [true, false, false, false, true] + [Bool](repeating: false, count: 6)
    )
  }

  @Test("answers what it does not understand with the reason, and goes on")
  func errors() throws {
    let answers = try answers(to: [
      "{", "[]", request("resources/list"), request("tools/call", #"{"name":"format-disk"}"#),
      call("audit", "{}"), call("audit", #"{"paths":["none.jsonl"]}"#),
      call("audit", #"{"paths":["none.jsonl"],"limit":0}"#),
      #"{"jsonrpc":"2.0","id":9,"result":{}}"#,
      call("audit", #"{"paths":["none.jsonl","-"]}"#), call("census", #"{"paths":"/dev/stdin"}"#),
      call("diff", #"{"old":"-","new":"none.jsonl"}"#),
      call("verify_fix", #"{"id":"2:6898ccf5d8","paths":["none.jsonl"],"before":"-"}"#),
      request("ping"),
    ])
    let codes = answers.map { ($0["error"] as? [String: Any])?["code"] as? Int }
    #expect(codes == [-32700, -32600, -32601, -32602] + [Int?](repeating: nil, count: 8))
    #expect(text(answers[4]) == ("\"paths\" is missing: a list of paths", true))
    #expect(text(answers[5]).text.contains("none.jsonl") && text(answers[5]).isError)
    #expect(text(answers[6]) == ("\"limit\" must be a number above 0", true))
    // Requests come from there: it would be waited for without end.
    let refusal = " is standard input, from which requests come: name a file"
    for (answer, name) in zip(answers[7...], ["-", "/dev/stdin", "-", "-"]) {
      #expect(text(answer) == ("\"\(name)\"\(refusal)", true))
    }
    #expect(answers.last?["id"] as? Int == 1)
  }
}
