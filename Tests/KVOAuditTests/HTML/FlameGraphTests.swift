import KVORules
import Testing

@testable import KVOAudit

@Suite("The flame graph of a page")
struct FlameGraphTests {
  private func call(
    _ name: String,
    _ place: String = "",
    isFirstOwn: Bool = false
  )
    -> CallSites.Call
  {
    CallSites.Call(name: name, place: place, isFirstOwn: isFirstOwn)
  }

  private func row(
    _ calls: [CallSites.Call],
    _ observed: String,
    _ made: Int,
    _ live: Int
  )
    -> CallSites.Row
  {
    CallSites.Row(calls: calls, observed: observed, madeCount: made, liveCount: live)
  }

  /// A node as a line: how deep, name, share, counts.
  private func lines(_ nodes: [FlameGraph.Node], depth: Int = 0) -> [String] {
    nodes.flatMap { node in
      let name = [node.call.name, node.call.place].filter { !$0.isEmpty }.joined(separator: " ")
      let sign = node.isObserved ? "· " : ""
      let line =
        String(repeating: "  ", count: depth)
        + "\(sign)\(name) \(HTMLText.number(node.share)) \(node.madeCount)/\(node.liveCount)"
      return [line] + lines(node.children, depth: depth + 1)
    }
  }

  @Test("a call is as wide as what was made under it, whichever of its lines made the next call")
  func shares() {
    let graph = FlameGraph(
      CallSites(rows: [
        row([call("main", "main.swift:4"), call("a", "A.swift:1", isFirstOwn: true)], "X.k", 6, 1),
        row([call("main", "main.swift:9"), call("b", "B.swift:2", isFirstOwn: true)], "Y.k", 3, 3),
        row([call("main", "main.swift:9"), call("b", "B.swift:3", isFirstOwn: true)], "Y.k", 1, 0),
        row([], "Z.k", 2, 0),
      ])
    )
    #expect(graph.madeCount == 12 && graph.liveCount == 4 && graph.omittedCount == 0)
    #expect(
      lines(graph.roots) == [
        "main main.swift 0.83 10/4",
        "  a A.swift:1 0.6 6/1",
        "    · X.k 1 6/1",
        "  b B.swift:2 0.3 3/3",
        "    · Y.k 1 3/3",
        "  b B.swift:3 0.1 1/0",
        "    · Y.k 1 1/0",
        "(no stack recorded) 0.17 2/0",
        "  · Z.k 1 2/0",
      ]
    )
  }

  @Test("leaves out what is too narrow, and counts it")
  func narrow() {
    let graph = FlameGraph(
      CallSites(
        rows: [row([call("wide")], "X.k", 9_990, 0), row([call("narrow")], "X.k", 7, 7)],
        rest: .init(madeCount: 3, liveCount: 1)
      )
    )
    #expect(graph.roots.map(\.call.name) == ["wide"])
    #expect(graph.omittedCount == 10)
    #expect(graph.liveCount == 8)
  }

  @Test("is bounded, however wide and deep the calls are")
  func bounds() {
    func count(_ nodes: [FlameGraph.Node]) -> Int {
      nodes.reduce(0) { $0 + 1 + count($1.children) }
    }
    func depth(_ nodes: [FlameGraph.Node]) -> Int {
      nodes.map { 1 + depth($0.children) }.max() ?? 0
    }
    let rows = (0..<CallSites.limit).map { place in
      row((0..<200).map { call("f\(place).\($0)") }, "X.k", 1, 0)
    }
    let graph = FlameGraph(CallSites(rows: rows))
    #expect(count(graph.roots) <= FlameGraph.nodeLimit)
    #expect(depth(graph.roots) <= FlameGraph.depthLimit)
    #expect(FlameGraph(CallSites()).roots.isEmpty)
  }
}
