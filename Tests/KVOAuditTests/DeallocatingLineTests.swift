import KVOAudit
import KVORules
import KVOTrace
import KVOTraceJSON
import Testing

@Suite("The line that releases a deallocated object")
struct DeallocatingLineTests {
  /// The marked frame of the stack on which an object of `className` is deallocated while it is observed.
  private func marked(_ className: String, _ frames: [String]) throws -> String? {
    let object = "{\"class\":\"\(className)\",\"id\":\"12\"}"
    let stack = frames.map { "\"\($0)\"" }.joined(separator: ",")
    let text = """
      {"event":"register","thread":1,"order":1,"subject":\(object),"observer":{"class":"Screen","id":"3"},\
      "keyPath":"balance","registration":1,"form":"classic"}
      {"event":"registerEnd","thread":1,"order":2,"registration":1}
      {"event":"deinit","thread":1,"object":\(object),"stack":[\(stack)]}
      {"event":"deinitEnd","thread":1,"object":\(object)}
      {"event":"exit","status":0}

      """
    let reader = JSONLinesReader()
    var events: [Event] = []
    reader.read(Array(text.utf8)[...], event: { events.append($1) }, problem: { _ in })
    let report = Audit().report(on: [.events(events, names: reader.names, label: "released")])
    let finding = try #require(report.findings.first)
    #expect(finding.code == .observedDeinitWhileObserved)
    return finding.stacks.first?.frames.first { $0.isFirstOwn }?.symbol
  }

  private let release = ["Shelf.clear() (Shelf.swift:8)", "main (main.swift:9)"]

  @Test("is marked, and not the deinits that the object's own deallocation runs")
  func ownDeinits() throws {
    let episode = ["Episode.deinit (Episode.swift:16)"]
    #expect(try marked("Episode", episode + release) == "Shelf.clear()")
    let media = ["Item.deinit (Media.swift:1)", "Media.deinit (Media.swift:5)"]
    #expect(try marked("Episode", media + episode + release) == "Shelf.clear()")
    let store = ["Store.deinit (Store.swift:5)"]
    #expect(try marked("Store<Podcast>", store + release) == "Shelf.clear()")
    let library = ["Library.deinit (Store.swift:20)"]
    #expect(try marked("Library", store + library + release) == "Shelf.clear()")
    let merged = ["Item.deinit (Media.swift:1)", "merged Media.deinit"]
    #expect(try marked("Episode", merged + release) == "Shelf.clear()")
    let row = ["List.Row.deinit (List.swift:5)"]
    #expect(try marked("Row", row + release) == "Shelf.clear()")
  }

  @Test("may be in the deinit of another object, which held the last reference")
  func othersDeinits() throws {
    let owned = [
      "Media.deinit (Media.swift:5)", "Episode.deinit (Episode.swift:16)",
      "Shelf.deinit (Shelf.swift:2)",
    ]
    #expect(try marked("Episode", owned + release) == "Shelf.deinit")
    #expect(try marked("Episode", ["Shelf.deinit (Shelf.swift:2)"] + release) == "Shelf.deinit")
    let merged = [
      "Media.deinit (Media.swift:5)", "merged Film.deinit", "Shelf.deinit (Shelf.swift:2)",
    ]
    #expect(try marked("Episode", merged + release) == "Shelf.deinit")
  }
}
