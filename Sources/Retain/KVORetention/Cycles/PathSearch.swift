/// Finds short paths through a graph by breadth-first search.
struct PathSearch: ~Copyable {
  /// The remaining number of references that may be examined in order to find short cycles instead
  /// of any.
  ///
  /// In addition, each component may use `effortFactor` times its own size.
  private var effortLeft = 4_000_000
  private static let effortFactor = 8

  /// The edge by which an object was reached, valid if `searches` of the object is the current
  /// search.
  private let edges: UnsafeMutablePointer<UInt32>
  private let sources: UnsafeMutablePointer<UInt32>
  private let depths: UnsafeMutablePointer<UInt32>
  private let searches: UnsafeMutablePointer<UInt32>
  private var queue = GrowingList<UInt32>()
  private var search: UInt32 = 0
  private let includesSuspected: Bool

  init(objectCount: Int, includesSuspected: Bool) {
    edges = .allocate(capacity: objectCount)
    sources = .allocate(capacity: objectCount)
    depths = .allocate(capacity: objectCount)
    searches = .allocate(capacity: objectCount)
    searches.initialize(repeating: 0, count: objectCount)
    self.includesSuspected = includesSuspected
  }

  deinit {
    edges.deallocate()
    sources.deallocate()
    depths.deallocate()
    searches.deallocate()
  }

  /// The references of the shortest cycle in a component, as pairs of object and edge.
  ///
  /// `numbers` has the component of each object of the graph. In a large component the result is
  /// the shortest cycle that was found within the effort limit.
  ///
  /// - Complexity: O(n) in objects and references of the component, and up to its square as long as
  ///   `effortLeft` lasts.
  mutating func shortestCycle(
    in component: [Int],
    numbers: [UInt32],
    of graph: borrowing ObjectGraph
  ) -> [(object: Int, edge: Int)] {
    // If no object has two successors in the component, the component is a ring, and the search can
    // start at any object. Otherwise each cycle contains an object with two successors, unless it
    // is a component of its own.
    var starts: [Int] = []
    var size = component.count
    // Nearest to the roots first, so that each run finds the same one of equally short cycles.
    let sorted = component.sorted()
    for object in sorted {
      var count = 0
      for edge in graph.edges(of: object)
      where counts(edge, of: graph) && numbers[graph.target(edge)] == numbers[object] {
        count += 1
      }
      size += count
      if count > 1 { starts.append(object) }
    }
    if starts.isEmpty { starts = Array(sorted.prefix(1)) }
    var best: [(object: Int, edge: Int)] = []
    var effort = 0
    for start in starts {
      let found = path(
        from: [start],
        to: start,
        shorterThan: best.isEmpty ? Int.max : best.count,
        effort: &effort,
        of: graph
      ) { numbers[$0] == numbers[start] }
      if let found { best = found }
      if best.count == 1 || (effort > effortLeft + size * Self.effortFactor && !best.isEmpty) {
        break
      }
    }
    spend(effort, besides: size * Self.effortFactor)
    return best
  }

  /// The references of the shortest cycle through an edge, the edge itself first; nil if the effort
  /// for such searches is spent.
  mutating func cycle(
    through edge: Int,
    of object: Int,
    numbers: [UInt32],
    in graph: borrowing ObjectGraph
  ) -> [(object: Int, edge: Int)]? {
    let target = graph.target(edge)
    if target == object { return [(object, edge)] }
    guard effortLeft > 0 else { return nil }
    var effort = 0
    let back = path(
      from: [target],
      to: object,
      shorterThan: .max,
      effort: &effort,
      of: graph
    ) { numbers[$0] == numbers[object] }
    spend(effort, besides: 0)
    return back.map { [(object, edge)] + $0 }
  }

  private mutating func spend(_ effort: Int, besides free: Int) {
    effortLeft -= min(max(effort - free, 0), effortLeft)
  }

  /// Whether an edge counts in this search.
  func counts(_ edge: Int, of graph: borrowing ObjectGraph) -> Bool {
    includesSuspected || !graph.isSuspected(edge)
  }

  /// The references of the shortest cycle through an object, or nil if there is none.
  ///
  /// - Complexity: O(n) in objects and references of its component.
  mutating func shortestCycle(
    through object: Int,
    numbers: [UInt32],
    of graph: borrowing ObjectGraph
  ) -> [(object: Int, edge: Int)]? {
    var effort = 0
    return path(from: [object], to: object, shorterThan: .max, effort: &effort, of: graph) {
      numbers[$0] == numbers[object]
    }
  }

  /// The references of the shortest path from one of `roots` to `target`, or nil if there is none.
  ///
  /// - Complexity: O(n) in objects and references.
  mutating func shortestPath(
    from roots: [Int],
    to target: Int,
    of graph: borrowing ObjectGraph
  ) -> [(object: Int, edge: Int)]? {
    var effort = 0
    return path(from: roots, to: target, shorterThan: .max, effort: &effort, of: graph) { _ in true
    }
  }

  // MARK: Many paths from the same objects

  /// Finds the shortest path from some objects to each that is reachable; ``path(to:)`` returns it.
  ///
  /// - Complexity: O(n) in objects and references.
  mutating func reach(from starts: [Int], of graph: borrowing ObjectGraph) {
    search += 1
    queue.count = 0
    for start in starts where searches[start] != search {
      searches[start] = search
      sources[start] = .max
      queue.append(UInt32(start))
    }
    var next = 0
    while next < queue.count {
      let object = Int(queue[next])
      next += 1
      for edge in graph.edges(of: object) {
        let reached = graph.target(edge)
        guard counts(edge, of: graph), searches[reached] != search else {
          continue
        }
        searches[reached] = search
        sources[reached] = UInt32(object)
        queue.append(UInt32(reached))
      }
    }
  }

  /// The objects on the shortest path to `target` from a start of the latest ``reach(from:of:)``,
  /// or nil if `target` is not reachable.
  func path(to target: Int) -> [Int]? {
    guard search > 0, searches[target] == search else { return nil }
    var path = [target]
    var object = target
    while sources[object] != .max {
      object = Int(sources[object])
      path.append(object)
    }
    return path.reversed()
  }

  // MARK: One search

  private mutating func path(
    from starts: [Int],
    to target: Int,
    shorterThan limit: Int,
    effort: inout Int,
    of graph: borrowing ObjectGraph,
    isAllowed: (Int) -> Bool
  ) -> [(object: Int, edge: Int)]? {
    search += 1
    queue.count = 0
    for start in starts {
      queue.append(UInt32(start))
      depths[start] = 0
      sources[start] = .max
      // A cycle returns to its start, so the start does not count as reached.
      if start != target { searches[start] = search }
    }
    var next = 0
    while next < queue.count {
      let object = Int(queue[next])
      next += 1
      let depth = object == target ? 0 : depths[object]
      guard Int(depth) + 1 < limit else { return nil }
      for edge in graph.edges(of: object) {
        effort += 1
        let reached = graph.target(edge)
        guard counts(edge, of: graph), isAllowed(reached),
          searches[reached] != search
        else { continue }
        searches[reached] = search
        edges[reached] = UInt32(edge)
        sources[reached] = UInt32(object)
        depths[reached] = depth + 1
        if reached == target { return steps(to: target, count: Int(depth) + 1) }
        queue.append(UInt32(reached))
      }
    }
    return nil
  }

  private func steps(to target: Int, count: Int) -> [(object: Int, edge: Int)] {
    var steps: [(object: Int, edge: Int)] = []
    var object = target
    for _ in 0..<count {
      let source = Int(sources[object])
      steps.append((source, Int(edges[object])))
      object = source
    }
    return steps.reversed()
  }
}
