import TestSupport
import Testing

@testable import KVORules

@Suite("A directed graph")
struct DirectedGraphTests {
  private func graph(_ count: Int, _ edges: [(Int, Int)]) -> DirectedGraph {
    var graph = DirectedGraph(nodeCount: count)
    for (from, to) in edges { graph.connect(from, to) }
    return graph
  }

  @Test("knows the sets of nodes that reach each other, and none for a node on no cycle")
  func components() {
    let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (4, 5), (6, 6)]
    #expect(graph(7, edges).cyclicComponents() == [[0, 1, 2], [3, 4], [6]])
    #expect(graph(3, [(0, 1), (0, 2), (1, 2)]).cyclicComponents() == [])
    #expect(graph(0, []).cyclicComponents() == [])
  }

  @Test("finds the shortest cycle through a node")
  func shortest() {
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 0), (4, 4), (5, 0)]
    #expect(graph(6, edges).shortestCycle(through: 0) == [0, 1])
    #expect(graph(6, edges).shortestCycle(through: 2) == [2, 3, 0, 1])
    #expect(graph(6, edges).shortestCycle(through: 4) == [4])
    #expect(graph(6, edges).shortestCycle(through: 5) == nil)
  }

  @Test("needs no stack for a cycle of 200,000 nodes")
  func long() {
    let count = 200_000
    let ring = graph(count, (0..<count).map { ($0, ($0 + 1) % count) })
    #expect(ring.cyclicComponents().map(\.count) == [count])
    #expect(ring.shortestCycle(through: 7)?.count == count)
  }

  @Test("agrees with who reaches whom, over 500 random graphs")
  func random() {
    for seed in 0..<UInt64(500) {
      var random = SplitMix64(seed: seed)
      let count = Int.random(in: 1...9, using: &random)
      let edges = (0..<Int.random(in: 0...14, using: &random)).map { _ in
        (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
      }
      var distance = Array(repeating: Array(repeating: 1_000, count: count), count: count)
      for (from, to) in edges { distance[from][to] = 1 }
      for middle in 0..<count {
        for from in 0..<count {
          for to in 0..<count {
            let way = distance[from][middle] + distance[middle][to]
            distance[from][to] = min(distance[from][to], way)
          }
        }
      }
      let onCycle = (0..<count).filter { distance[$0][$0] < 1_000 }
      let sets = onCycle.map { node in
        onCycle.filter { distance[node][$0] < 1_000 && distance[$0][node] < 1_000 }
      }
      let graph = graph(count, edges)
      #expect(Set(graph.cyclicComponents()) == Set(sets), "seed \(seed)")
      for node in 0..<count {
        let length = graph.shortestCycle(through: node)?.count ?? 1_000
        #expect(length == distance[node][node], "seed \(seed)")
      }
    }
  }
}
