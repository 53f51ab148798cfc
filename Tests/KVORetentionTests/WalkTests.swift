import Dispatch
import Testing

@testable import KVORetention

/// What the loop that reads most objects leaves to others, and what it makes of references that lead to
/// objects which were met before.
@Suite("Walks", .serialized)
struct WalkTests {
  private enum Load {
    case none
    case node(Node)
    case numbered(Int, Node)
    case both(Node, Node)
  }

  private final class Node {
    var next: Node?
    var list: [Node] = []
    var load = Load.none
    var anything: Any?

    func letGo() { (next, list, load, anything) = (nil, [], .none, nil) }
  }

  private static func nodes(_ count: Int) -> [Node] { (0..<count).map { _ in Node() } }

  /// As many cycles as expected, and none if `close` has not run.
  private static func expectCycles(
    _ expected: Int,
    from root: Node,
    _ nodes: [Node],
    sourceLocation: SourceLocation = #_sourceLocation,
    by close: () -> Void
  ) {
    let open = RetainSearch().findCycles(from: root)
    #expect(open.verdict == .noneFound, sourceLocation: sourceLocation)
    close()
    let closed = RetainSearch(cycleLimit: 1_000).findCycles(from: root)
    #expect(closed.componentCount == expected, sourceLocation: sourceLocation)
    #expect(closed.opaque == [], sourceLocation: sourceLocation)
    for node in nodes { node.letGo() }
  }

  @Test("objects that hold each other in a ring at the same distance are a cycle")
  func sameDistance() {
    let nodes = Self.nodes(5)
    nodes[0].list = Array(nodes[1...])
    for number in 1..<4 { nodes[number].next = nodes[number + 1] }
    Self.expectCycles(1, from: nodes[0], nodes) { nodes[4].next = nodes[1] }
  }

  @Test("an object that holds itself is a cycle")
  func itself() {
    let nodes = Self.nodes(2)
    nodes[0].next = nodes[1]
    Self.expectCycles(1, from: nodes[0], nodes) { nodes[1].next = nodes[1] }
    Self.expectCycles(1, from: nodes[0], nodes) { nodes[0].next = nodes[0] }
  }

  @Test(
    "children that an array and a property hold are not a cycle, and one is where a child holds its parent"
  )
  func heldTwice() {
    let nodes = Self.nodes(1_000)
    for number in 1..<1_000 {
      let parent = nodes[(number - 1) / 2]
      if number % 2 == 1 { parent.next = nodes[number] }
      parent.list.append(nodes[number])
    }
    Self.expectCycles(1, from: nodes[0], nodes) { nodes[999].next = nodes[124] }
  }

  @Test(
    "farther away than distances are noted, cycles are found",
    arguments: [100, 112, 113, 400]
  )
  func far(_ distance: Int) {
    let nodes = Self.nodes(500)
    for (node, next) in zip(nodes, nodes.dropFirst()) {
      node.next = next
      node.list = [next]
    }
    Self.expectCycles(1, from: nodes[0], nodes) {
      nodes[distance + 1].load = .node(nodes[distance])
    }
  }

  @Test("components that touch are kept apart")
  func touching() {
    let nodes = Self.nodes(6)
    for (node, next) in zip(nodes, nodes.dropFirst()) { node.next = next }
    Self.expectCycles(2, from: nodes[0], nodes) {
      nodes[2].load = .node(nodes[0])
      nodes[5].anything = nodes[3]
    }
  }

  @Test("what all refer to is a cycle where it refers back, and none where it does not")
  func shared() {
    let nodes = Self.nodes(40_000)
    nodes[0].next = nodes[1]
    nodes[1].list = [Node()]
    nodes[0].list = Array(nodes[2...])
    for node in nodes[2...] { node.next = nodes[1] }
    Self.expectCycles(1, from: nodes[0], nodes) { nodes[1].list[0].next = nodes[39_999] }
  }

  @Test("objects of other threads' heaps are read as those of this one")
  func threads() {
    let count = 20_000
    nonisolated(unsafe) let memory = UnsafeMutablePointer<Node?>.allocate(capacity: count)
    memory.initialize(repeating: nil, count: count)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in stride(from: thread, to: count, by: 8) { memory[number] = Node() }
    }
    let nodes = (0..<count).compactMap { memory[$0] }
    memory.deinitialize(count: count)
    memory.deallocate()
    for number in 1..<count {
      let parent = nodes[(number - 1) / 3]
      parent.list.append(nodes[number])
      if number % 7 == 0 { parent.load = .numbered(1, nodes[number]) }
    }
    Self.expectCycles(1, from: nodes[0], nodes) { nodes[count - 1].anything = nodes[0] }
  }

  @Test("an enum with two references, a value in an existential and a long array are read whole")
  func closerLook() {
    struct Pair {
      var first: Node
      var second: Node
    }
    let nodes = Self.nodes(400)
    nodes[0].load = .both(nodes[1], nodes[2])
    nodes[2].anything = Pair(first: nodes[3], second: nodes[4])
    nodes[4].list = Array(nodes[5...])
    let answer = RetainSearch().findCycles(from: nodes[0])
    // Two arrays: that of the fifth node, and the empty one that all others have.
    #expect(answer.objectCount == 402)
    // An array of each node, the two of the enum and the two of the pair, the elements.
    #expect(answer.referenceCount == 400 + 4 + 395)
    Self.expectCycles(2, from: nodes[0], nodes) {
      nodes[1].next = nodes[1]
      nodes[399].anything = Pair(first: nodes[0], second: nodes[399])
    }
  }

  /// Needs only one reference.
  private struct FirstReference: ReferenceVisitor {
    private(set) var count = 0
    var isSatisfied: Bool { count > 0 }

    mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>) { count += 1 }
    mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>) {}
    mutating func kept(_ address: UInt) {}
    mutating func opaque(_ bytes: UnsafeRawPointer, byteCount: Int, in slot: UnsafePointer<Slot>) {
    }
    mutating func enter(_ slot: UnsafePointer<Slot>) {}
    mutating func enter(element: ElementPosition) {}
    mutating func leave() {}
  }

  /// The paths of many cycles may go through one collection, which is read for each.
  @Test("no more of a collection is read than is needed")
  func satisfied() {
    let nodes = Self.nodes(8)
    let byNumber = Dictionary(uniqueKeysWithValues: zip(0..<8, nodes))
    // A collection is the address of its storage.
    let storages = [
      withUnsafeBytes(of: nodes) { $0.load(as: UInt.self) },
      withUnsafeBytes(of: byNumber) { $0.load(as: UInt.self) },
    ]
    let counts = PlanStore.withShared { store in
      let reader = ObjectReader(store: store, memory: MemoryMap())
      return storages.map { address -> Int in
        var visitor = FirstReference()
        if let plan = reader.plan(of: address), let object = UnsafeRawPointer(bitPattern: address) {
          reader.read(object, plan, &visitor)
        }
        return visitor.count
      }
    }
    withExtendedLifetime((nodes, byNumber)) {}
    #expect(counts == [1, 1])
  }

  @Test("whichever way candidates are picked, they have all cycles", arguments: 0..<40)
  func candidates(seed: Int) {
    var random = FixedRandom(state: UInt64(seed) * 2_654_435_761 + 88_172_645_463_325_252)
    let count = 60
    let nodes = Self.nodes(count)
    let edgeCount = Int.random(in: count / 2...count * 2, using: &random)
    for _ in 0..<edgeCount {
      let from = Int.random(in: 0..<count, using: &random)
      let isBack = Int.random(in: 0..<8, using: &random) == 0
      let to =
        isBack
        ? Int.random(in: 0...from, using: &random) : Int.random(in: from..<count, using: &random)
      if seed % 2 == 0 || to != from { nodes[from].list.append(nodes[to]) }
    }
    nodes[0].list += nodes
    let roots = [UInt(bitPattern: Unmanaged.passUnretained(nodes[0]).toOpaque())]
    let limits: [CycleCandidates.Limits] = [
      .init(ancestors: .max, reachable: .max, block: 1024),
      .init(ancestors: -1, reachable: .max, block: 1024),
      .init(ancestors: -1, reachable: -1, block: 1024),
      .init(ancestors: -1, reachable: -1, block: 1),
      .init(ancestors: -1, reachable: -1, block: 4),
    ]
    let found = PlanStore.withShared { store in
      let reader = ObjectReader(store: store, memory: MemoryMap())
      var found = limits.map { Self.components(from: roots, reader, $0) }
      found.append(Self.components(from: roots, reader, nil))
      return found
    }
    for components in found { #expect(components == found.last) }
    for node in nodes { node.letGo() }
  }

  /// The objects of each component, among some candidates; nil takes all objects for candidates.
  private static func components(
    from roots: [UInt],
    _ reader: ObjectReader,
    _ limits: CycleCandidates.Limits?
  ) -> Set<Set<UInt>> {
    let reached = GraphWalk(
      reader: reader,
      until: .now + .seconds(60)
    ).reached(from: roots)
    var collector = ReferenceCollector(reader: reader)
    let candidates = limits.map {
      CycleCandidates(of: reached, &collector, limits: $0).objects
    }
    let graph = ObjectGraph(of: reached, objects: candidates, &collector)
    let components = StrongComponents(of: graph, includesSuspected: false).components
    return Set(components.map { Set($0.map { graph.addresses[$0] }) })
  }
}
