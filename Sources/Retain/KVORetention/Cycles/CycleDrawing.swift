/// Draws the cycles of strongly connected components as a programmer knows them, each once.
///
/// Breaking one cycle of a component does not necessarily break the others. So the drawn cycles
/// cover each reference of a component, as far as the effort limit allows. Cycles with equal
/// descriptions, such as those of the links of a doubly linked list, count as one.
struct CycleDrawing: ~Copyable {
  /// The number of cycles of a component that are searched for each one that may be drawn.
  private static let lookFactor = 4
  /// The maximum number of references in these cycles together.
  private static let stepLimit = 200_000

  private let namer: PathNamer
  private let limit: Int
  private var paths: PathSearch
  private(set) var cycles: [RetainCycle] = []
  /// The number of cycles that were found and not drawn.
  private(set) var omittedCount = 0

  init(namer: PathNamer, limit: Int, paths: consuming PathSearch) {
    self.namer = namer
    self.limit = max(limit, 0)
    self.paths = paths
  }

  /// Draws the shortest cycle of each component, those nearest to the roots first, and then other
  /// cycles through the same objects.
  mutating func draw(
    _ components: [[Int]],
    numbers: [UInt32],
    of graph: borrowing ObjectGraph
  ) {
    omittedCount = max(components.count - limit, 0)
    let drawn = components.prefix(limit)
    var firsts: [(component: [Int], ring: [(object: Int, edge: Int)])] = []
    for component in drawn {
      let ring = paths.shortestCycle(in: component, numbers: numbers, of: graph)
      if !ring.isEmpty { firsts.append((component, ring)) }
    }
    var rest: [RetainCycle] = []
    for (component, ring) in firsts {
      // A ring has no other cycle.
      let others =
        ring.count == component.count && component.count > 0
          && Self.edgeCount(of: component, numbers, graph) == ring.count
        ? [] : self.others(in: component, besides: ring, numbers: numbers, of: graph)
      var found = ([ring] + others).compactMap { cycle(along: $0, of: graph) }
      // If a cycle through the program's objects exists, it is the cause of those that consist of a
      // library's objects only.
      let own = found.filter { cycle in cycle.edges.contains { namer.isOfProgram($0.from) } }
      if !own.isEmpty { found = own }
      var seen: Set<String> = []
      let distinct =
        found.count < 2 ? found : found.filter { seen.insert(Self.signature(of: $0)).inserted }
      cycles += distinct.prefix(1)
      rest += distinct.dropFirst()
    }
    let room = max(limit - cycles.count, 0)
    omittedCount += max(rest.count - room, 0)
    cycles += rest.prefix(room)
  }

  private static func edgeCount(
    of component: [Int],
    _ numbers: [UInt32],
    _ graph: borrowing ObjectGraph
  ) -> Int {
    var count = 0
    for object in component {
      for edge in graph.edges(of: object) where numbers[graph.target(edge)] == numbers[object] {
        count += 1
      }
    }
    return count
  }

  /// Cycles that together cover all references of a component that the first cycle does not
  /// contain.
  private mutating func others(
    in component: [Int],
    besides first: [(object: Int, edge: Int)],
    numbers: [UInt32],
    of graph: borrowing ObjectGraph
  ) -> [[(object: Int, edge: Int)]] {
    struct Reference: Hashable {
      var object: Int
      var target: Int
    }
    var covered = Set(first.map { Reference(object: $0.object, target: graph.target($0.edge)) })
    var found: [[(object: Int, edge: Int)]] = []
    var stepCount = 0
    for object in component.sorted() {
      for edge in graph.edges(of: object)
      where paths.counts(edge, of: graph) && numbers[graph.target(edge)] == numbers[object] {
        let reference = Reference(object: object, target: graph.target(edge))
        guard !covered.contains(reference) else { continue }
        guard found.count < (limit + 1) * Self.lookFactor, stepCount < Self.stepLimit,
          let ring = paths.cycle(through: edge, of: object, numbers: numbers, in: graph)
        else { return found }
        for step in ring {
          covered.insert(Reference(object: step.object, target: graph.target(step.edge)))
        }
        stepCount += ring.count
        found.append(ring)
      }
    }
    return found
  }

  private func cycle(
    along ring: [(object: Int, edge: Int)],
    of graph: borrowing ObjectGraph
  ) -> RetainCycle? {
    // Starts at the object that is nearest to the roots.
    let objects = ring.map(\.object)
    guard let nearest = objects.min(), let start = objects.firstIndex(of: nearest) else {
      return nil
    }
    var addresses: [UInt] = []
    for object in objects[start...] + objects[..<start] {
      addresses.append(graph.addresses[object])
    }
    return namer.cycle(along: addresses)
  }

  /// A text that is equal for cycles that differ only in their first object or in indexes of
  /// collections.
  private static func signature(of cycle: RetainCycle) -> String {
    let texts = cycle.edges.map { edge in
      let text = edge.description
      return text.utf8.contains(UInt8(ascii: "[")) ? text.replacing(#/\[\d+\]/#, with: "[…]") : text
    }
    // Long cycles with different first objects remain different.
    guard texts.count <= 32 else { return texts.joined(separator: " → ") }
    return texts.indices
      .map { (texts[$0...] + texts[..<$0]).joined(separator: " → ") }
      .min() ?? ""
  }
}
