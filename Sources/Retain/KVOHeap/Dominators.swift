/// The dominators of the objects of a graph, by the algorithm of Lengauer and Tarjan.
///
/// An object dominates another one if all paths from a root to the other one lead through it:
/// without it, the other one is unreachable. The bytes of an object and of all objects that it
/// dominates are its retained size. Source: T. Lengauer, R. E. Tarjan, A Fast Algorithm for Finding
/// Dominators in a Flowgraph, TOPLAS 1 (1979), the simple form.
package struct Dominators: Sendable {
  /// The immediate dominator of each object: another object, the number of objects if only the set
  /// of all roots dominates it, or -1 if it is unreachable.
  package let nearest: [Int]
  /// The reachable objects, each after those that dominate it.
  package let order: [Int]

  /// - Complexity: O((objects + edges) × log objects) time, O(objects + edges) memory; it does not recurse.
  package init(of snapshot: HeapSnapshot) {
    let count = snapshot.objects.count
    let search = DepthFirstSearch(of: snapshot)
    let predecessors = search.predecessors(in: snapshot)
    // From here on, objects are numbered in the order of the search; 0 is a virtual root of all
    // roots.
    let reached = search.order.count
    var forest = Forest(count: reached)
    var dominator = [Int32](repeating: 0, count: reached)
    var firstWaiting = [Int32](repeating: -1, count: reached)
    var nextWaiting = [Int32](repeating: -1, count: reached)
    for object in stride(from: reached - 1, to: 0, by: -1) {
      for index in predecessors.first[object]..<predecessors.first[object + 1] {
        let best = forest.evaluate(Int(predecessors.sources[Int(index)]))
        forest.semi[object] = min(forest.semi[object], forest.semi[best])
      }
      let semi = Int(forest.semi[object])
      nextWaiting[object] = firstWaiting[semi]
      firstWaiting[semi] = Int32(object)
      let parent = Int(search.parents[object])
      forest.link(object, to: parent)
      var waiting = firstWaiting[parent]
      firstWaiting[parent] = -1
      while waiting >= 0 {
        let best = forest.evaluate(Int(waiting))
        let isNearer = forest.semi[best] < forest.semi[Int(waiting)]
        dominator[Int(waiting)] = Int32(isNearer ? best : parent)
        waiting = nextWaiting[Int(waiting)]
      }
    }
    if reached > 1 {
      for object in 1..<reached where dominator[object] != forest.semi[object] {
        dominator[object] = dominator[Int(dominator[object])]
      }
    }
    var nearest = [Int](repeating: -1, count: count)
    for object in 1..<max(reached, 1) {
      nearest[search.order[object]] = search.order[Int(dominator[object])]
    }
    self.nearest = nearest
    order = Array(search.order.dropFirst())
  }

  /// The retained size of each object, in bytes; 0 if it is unreachable.
  ///
  /// - Complexity: O(objects).
  package func retainedByteCounts(in snapshot: HeapSnapshot) -> [UInt64] {
    var counts = [UInt64](repeating: 0, count: nearest.count)
    for object in order.reversed() {
      counts[object] &+= snapshot.objects[object].byteCount
      if nearest[object] < nearest.count { counts[nearest[object]] &+= counts[object] }
    }
    return counts
  }
}

/// The objects in the order in which a depth-first search from the roots meets them.
private struct DepthFirstSearch {
  /// The objects by position; the first is the number of objects, which stands for a virtual root
  /// of all roots.
  private(set) var order: [Int] = []
  /// The parent of each object by its position.
  private(set) var parents: [Int32] = [0]
  /// The position of each object in the order, or -1.
  private var positions: [Int32]

  init(of snapshot: HeapSnapshot) {
    let count = snapshot.objects.count
    positions = [Int32](repeating: -1, count: count)
    order.append(count)
    // The next edge of each object on the path.
    var path: [(position: Int32, edge: Int)] = []
    for root in snapshot.roots where positions[root.object] < 0 {
      enter(root.object, from: 0, &path, snapshot)
      while let last = path.last {
        let edges = snapshot.objects[order[Int(last.position)]].edges
        guard last.edge < edges.upperBound else {
          path.removeLast()
          continue
        }
        path[path.count - 1].edge += 1
        let target = snapshot.edges[last.edge].target
        if positions[target] < 0 { enter(target, from: last.position, &path, snapshot) }
      }
    }
  }

  private mutating func enter(
    _ object: Int,
    from parent: Int32,
    _ path: inout [(position: Int32, edge: Int)],
    _ snapshot: HeapSnapshot
  ) {
    let position = Int32(order.count)
    positions[object] = position
    order.append(object)
    parents.append(parent)
    path.append((position, snapshot.objects[object].edges.lowerBound))
  }

  /// The start of each object's predecessors in the list of their positions, by the object's
  /// position.
  func predecessors(in snapshot: HeapSnapshot) -> (first: [Int], sources: [Int32]) {
    var first = [Int](repeating: 0, count: order.count + 1)
    forEachEdge(in: snapshot) { _, target in first[Int(target) + 1] += 1 }
    for position in 1..<first.count { first[position] += first[position - 1] }
    var next = first
    var sources = [Int32](repeating: 0, count: first[order.count])
    forEachEdge(in: snapshot) { source, target in
      sources[next[Int(target)]] = source
      next[Int(target)] += 1
    }
    return (first, sources)
  }

  private func forEachEdge(in snapshot: HeapSnapshot, _ body: (Int32, Int32) -> Void) {
    for root in snapshot.roots { body(0, positions[root.object]) }
    for (position, object) in order.enumerated().dropFirst() {
      for edge in snapshot.edges[snapshot.objects[object].edges] {
        body(Int32(position), positions[edge.target])
      }
    }
  }
}

/// The forest to which objects are linked, with shortcuts to the best object on the path to the
/// root.
private struct Forest {
  var semi: [Int32]
  private var ancestor: [Int32]
  private var best: [Int32]
  private var path: [Int32] = []

  init(count: Int) {
    semi = (0..<Int32(count)).map { $0 }
    best = semi
    ancestor = [Int32](repeating: -1, count: count)
  }

  mutating func link(_ object: Int, to parent: Int) { ancestor[object] = Int32(parent) }

  /// The object with the least `semi` on the path from `object` to the root of its tree, without that root.
  mutating func evaluate(_ object: Int) -> Int {
    guard ancestor[object] >= 0 else { return object }
    var current = Int32(object)
    while ancestor[Int(ancestor[Int(current)])] >= 0 {
      path.append(current)
      current = ancestor[Int(current)]
    }
    while let last = path.popLast().map(Int.init) {
      let above = Int(ancestor[last])
      if semi[Int(best[above])] < semi[Int(best[last])] { best[last] = best[above] }
      ancestor[last] = ancestor[above]
    }
    return Int(best[object])
  }
}
