import KVORules
import Testing

@testable import KVOAudit
@testable import KVOReports

@Suite("The flame graph of a page")
struct FlameGraphTests {
  private func frame(
    _ name: String,
    _ line: Int = 0,
    isFirstOwn: Bool = false
  )
    -> Finding.StackFrame
  {
    Finding.StackFrame(
      symbol: name,
      file: line > 0 ? "/src/\(name).swift" : nil,
      line: line,
      isFirstOwn: isFirstOwn
    )
  }

  /// Registrations that frames, the innermost first, made.
  private func count(
    _ frames: [Finding.StackFrame],
    _ subject: String,
    _ made: Int,
    _ live: Int,
    site: String? = nil
  ) -> CallSiteCount {
    let stack = Finding.Stack(role: .registered, event: 0, site: site, frames: frames)
    return CallSiteCount(
      site: CallSite(subject: subject, keyPath: "k", observer: nil, stack: stack),
      madeCount: made,
      liveCount: live
    )
  }

  /// A node as a line: how deep, name, share, counts.
  private func lines(_ nodes: [FlameGraph.Node], depth: Int = 0) -> [String] {
    nodes.flatMap { node in
      let name = [node.call.name, node.call.location].filter { !$0.isEmpty }.joined(separator: " ")
      let sign = node.isObserved ? "· " : ""
      let line =
        String(repeating: "  ", count: depth)
        + "\(sign)\(name) \(HTMLText.number(node.share)) \(node.madeCount)/\(node.liveCount)"
      return [line] + lines(node.children, depth: depth + 1)
    }
  }

  @Test("a call is as wide as the registrations under it, for all of its lines together")
  func shares() {
    let graph = FlameGraph([
      count([frame("a", 1, isFirstOwn: true), frame("main", 4)], "X", 6, 1),
      count([frame("b", 2, isFirstOwn: true), frame("main", 9)], "Y", 3, 3),
      count([frame("b", 3, isFirstOwn: true), frame("main", 9)], "Y", 1, 0),
      count([], "Z", 2, 0),
      count([], "Z", 0, 1, site: "Z.swift:7"),
    ])
    #expect(graph.madeCount == 13 && graph.liveCount == 5 && graph.omittedCount == 0)
    #expect(
      lines(graph.roots) == [
        "main main.swift 0.77 10/4",
        "  a a.swift:1 0.6 6/1",
        "    · X.k 1 6/1",
        "  b b.swift:2 0.3 3/3",
        "    · Y.k 1 3/3",
        "  b b.swift:3 0.1 1/0",
        "    · Y.k 1 1/0",
        "(no stack recorded) 0.15 2/0",
        "  · Z.k 1 2/0",
        "(call) Z.swift:7 0.08 1/1",
        "  · Z.k 1 1/1",
      ]
    )
  }

  @Test("omits calls that are too narrow, and counts them")
  func narrow() {
    let wide = count([frame("wide")], "X", 9_990, 0)
    let graph = FlameGraph([wide, count([frame("narrow")], "X", 10, 8)])
    #expect(graph.roots.map(\.call.name) == ["wide"])
    #expect(graph.omittedCount == 10)
    #expect(graph.liveCount == 8)
  }

  @Test("is bounded, however wide and deep the calls are")
  func bounds() {
    func nodeCount(_ nodes: [FlameGraph.Node]) -> Int {
      nodes.reduce(0) { $0 + 1 + nodeCount($1.children) }
    }
    func depth(_ nodes: [FlameGraph.Node]) -> Int {
      nodes.map { 1 + depth($0.children) }.max() ?? 0
    }
    let sites = (0..<1_000).map { place in
      count((0..<200).map { frame("f\(place).\($0)") }, "X", 1, 0)
    }
    let graph = FlameGraph(Array(sites))
    #expect(nodeCount(graph.roots) <= FlameGraph.nodeLimit)
    #expect(depth(graph.roots) <= FlameGraph.depthLimit)
    #expect(graph.madeCount == 1_000)
    #expect(FlameGraph([]).roots.isEmpty)
  }

  @Test("the table beside it has a row for each own call, regardless of its caller")
  func table() {
    let own = frame("a", 1, isFirstOwn: true)
    let table = CallSiteTable([
      count([own, frame("main", 4)], "X", 3, 0), count([own, frame("other", 9)], "X", 2, 1),
      count([frame("b", 1, isFirstOwn: true)], "X", 4, 0), count([], "X", 1, 0),
      count([frame("0x10")], "X", 1, 0),
    ])
    #expect(
      table.rows.map { "\($0.function) \($0.location) \($0.madeCount)/\($0.liveCount)" } == [
        "a a.swift:1 5/1", "b b.swift:1 4/0", "(no stack recorded)  1/0", "0x10  1/0",
      ]
    )
  }
}
