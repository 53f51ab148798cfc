import KVOAudit
import KVORules
import KVOTrace
import KVOTraceJSON
import Testing

@Suite("Tokens that were stored")
struct StoredTokenTests {
  /// The codes of a log in which a token ends as the next event of its thread, 1 ms after it was handed out.
  private func codes(registered: [String], dropped: [String]) -> [String] {
    func stack(_ frames: [String]) -> String {
      frames.isEmpty ? "" : ",\"stack\":[\(frames.map { "\"\($0)\"" }.joined(separator: ","))]"
    }
    let account = #"{"class":"Account","id":"12"}"#
    let token = #"{"class":"ObservationToken","id":"9","kind":"token"}"#
    let text = """
      {"event":"register","t":1000000,"thread":1,"order":1,"subject":\(account),"keyPath":"balance","registration":1,\
      "form":"token","token":\(token)\(stack(registered))}
      {"event":"cancel","t":2000000,"thread":1,"order":2,"registration":1,"by":"token"\(stack(dropped))}
      {"event":"exit","status":0}

      """
    let reader = JSONLinesReader()
    var events: [Event] = []
    reader.read(Array(text.utf8)[...], event: { events.append($1) }, problem: { _ in })
    let report = Audit().report(on: [.events(events, names: reader.names, label: "stored")])
    return report.findings.map(\.code.rawValue)
  }

  private let registered = [
    "Screen.init() (Screen.swift:4)", "open() (main.swift:7)", "main (main.swift:9)",
  ]

  @Test("are not dropped at once when their owner is deallocated, or by another method")
  func stored() {
    let inDeinit = [
      "_DictionaryStorage.deinit", "Screen.deinit", "open() (main.swift:8)", "main (main.swift:9)",
    ]
    #expect(codes(registered: registered, dropped: inDeinit) == [])
    let inMethod = [
      "Screen.close() (Screen.swift:9)", "open() (main.swift:8)", "main (main.swift:9)",
    ]
    #expect(codes(registered: registered, dropped: inMethod) == [])
  }

  @Test("are not dropped at once in an asynchronous function, of which no caller is on the stack")
  func storedByAsynchronousFunction() {
    let registered = ["Screen.appear() (Screen.swift:4)", "test() (Test.swift:7)"]
    let inMethod = ["Screen.close() (Screen.swift:9)", "test() (Test.swift:8)"]
    #expect(codes(registered: registered, dropped: inMethod) == [])
    // Of `await screen.load()`, which has returned.
    #expect(codes(registered: ["Screen.load() (Screen.swift:4)"], dropped: inMethod) == [])
  }

  @Test("are distinguished from those that an asynchronous function drops")
  func droppedByAsynchronousFunction() {
    let registered = ["Account.watch() (Account.swift:4)", "test() (Test.swift:7)"]
    #expect(codes(registered: registered, dropped: ["test() (Test.swift:8)"]) == ["KVO031"])
    let handedOut = ["Screen.load() (Screen.swift:4)"]
    #expect(codes(registered: handedOut, dropped: ["test() (Test.swift:8)"]) == ["KVO031"])
  }

  @Test(
    "are distinguished from those that a running function drops, or of which the stacks say nothing"
  )
  func dropped() {
    let here = ["Screen.init() (Screen.swift:4)", "open() (main.swift:7)", "main (main.swift:9)"]
    #expect(codes(registered: registered, dropped: here) == ["KVO031"])
    let byCaller = ["open() (main.swift:8)", "main (main.swift:9)"]
    #expect(codes(registered: registered, dropped: byCaller) == ["KVO031"])
    #expect(codes(registered: registered, dropped: []) == ["KVO031"])
    #expect(codes(registered: [], dropped: here) == ["KVO031"])
    #expect(codes(registered: registered, dropped: ["a()"]) == ["KVO031"])
    // Cut at different depths.
    let cut = ["a()", "open() (main.swift:8)", "b()"]
    #expect(codes(registered: registered, dropped: cut) == ["KVO031"])
  }
}
