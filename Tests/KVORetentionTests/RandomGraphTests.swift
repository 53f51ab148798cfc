import KVORetention
import Testing

@Suite("Random graphs", .serialized)
struct RandomGraphTests {
  private enum Load {
    case none
    case word(Int)
    case node(Node)
    case pair(Int, Node)
  }

  /// Holds others in one way or another.
  private final class Node {
    var first: Node?
    var anything: Any?
    var load = Load.none
    var list: [Node] = []
    var byName: [Int: Node] = [:]
    var action: (() -> Void)?

    func hold(_ other: Node, _ way: Int) {
      switch way {
      case 0: first = other
      case 1: anything = other
      case 2: load = .pair(1, other)
      case 3: load = .node(other)
      case 4: byName[list.count] = other
      case 5: action = { [number = list.count] in use((other, number)) }
      default: list.append(other)
      }
    }

    func letGo() {
      (first, anything, load, list, byName, action) = (nil, nil, .none, [], [:], nil)
    }
  }

  /// The sets of more than one node, or one that holds itself, whose members all reach each other.
  private static func components(_ edges: [Set<Int>]) -> Int {
    var reached = edges
    // Warshall's closure.
    for middle in edges.indices {
      for start in edges.indices where reached[start].contains(middle) {
        reached[start].formUnion(reached[middle])
      }
    }
    let sets = edges.indices.filter { reached[$0].contains($0) }
      .map { start in
        Set(edges.indices.filter { reached[start].contains($0) && reached[$0].contains(start) })
      }
    return Set(sets).count
  }

  @Test("as many sets keep themselves alive as there are", arguments: 0..<60)
  func components(seed: Int) {
    var random = FixedRandom(state: UInt64(seed) * 2_654_435_761 + 88_172_645_463_325_252)
    let count = Int.random(in: 2...80, using: &random)
    let nodes = (0..<count).map { _ in Node() }
    var held = Array(repeating: [Int: Int](), count: count)
    for _ in 0..<Int.random(in: count / 2...count * 2, using: &random) {
      let (from, way) = (
        Int.random(in: 0..<count, using: &random), Int.random(in: 0...8, using: &random)
      )
      // Mostly to a later one, so that many graphs have few cycles.
      let to =
        Int.random(in: 0..<10, using: &random) == 0
        ? Int.random(in: 0..<count, using: &random) : Int.random(in: from..<count, using: &random)
      guard to != from || seed % 4 == 0 else { continue }
      nodes[from].hold(nodes[to], way)
      // The two cases of the load replace each other; lists and dictionaries keep all.
      switch way {
      case 2, 3: held[from][2] = to
      case 0, 1, 5: held[from][way] = to
      case 4: held[from][1_000 + nodes[from].list.count] = to
      default: held[from][10_000 + nodes[from].list.count] = to
      }
    }
    let crowd = Node()
    crowd.list = nodes
    let edges = held.map { Set($0.values) }
    let answer = RetainSearch(cycleLimit: 1_000).findCycles(from: crowd)
    #expect(answer.componentCount == Self.components(edges))
    #expect(answer.cycles.count >= answer.componentCount)
    #expect(answer.opaque == [])
    for node in nodes { node.letGo() }
    #expect(RetainSearch().findCycles(from: crowd).verdict == .noneFound)
  }

  @Test("an object with more references than the lists have room for is read whole")
  func wide() {
    let crowd = Node()
    crowd.list = (0..<300_000).map { _ in Node() }
    for (node, next) in zip(crowd.list, crowd.list.dropFirst()) { node.hold(next, 6) }
    // The crowd and its array, the nodes, and all their arrays but the last one's, which is the empty one
    // that all have: with its dictionary, that is two more.
    let answer = RetainSearch().findCycles(from: crowd)
    #expect(answer.objectCount == 2 + 300_000 + 299_999 + 2)
    #expect(answer.verdict == .noneFound)
    crowd.list[299_999].hold(crowd.list[0], 0)
    #expect(RetainSearch().findCycles(from: crowd).cycles.first?.edges.count == 300_000)
    for node in crowd.list { node.letGo() }
  }
}

@inline(never)
private func use(_ value: Any) {}
