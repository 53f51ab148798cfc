/// A path from a root to an object.
package struct HeapPath: Hashable, Sendable {
  package struct Step: Hashable, Sendable {
    /// The object at the start of the step.
    package var object: Int
    /// The index of the step's edge.
    package var edge: Int
  }

  package var root: HeapSnapshot.Root
  package var steps: [Step]
  /// The object at the end of the path.
  package var target: Int
}

/// Finds shortest paths.
package struct PathFinder {
  private let snapshot: HeapSnapshot
  /// The edge and the object by which each object was reached, or -1.
  private var arrivals: [Int32]
  private var sources: [Int32]
  /// The objects that the last search reached.
  private var queue: [Int] = []

  package init(_ snapshot: HeapSnapshot) {
    self.snapshot = snapshot
    arrivals = [Int32](repeating: -1, count: snapshot.objects.count)
    sources = arrivals
  }

  /// The shortest path from a root to one of the requested objects, over proven references only if
  /// there is such a path; nil if all are unreachable.
  ///
  /// - Complexity: O(objects + edges).
  package mutating func path(to isMeant: (Int) -> Bool) -> HeapPath? {
    path(to: isMeant, isProven: true) ?? path(to: isMeant, isProven: false)
  }

  /// The shortest path from a root to each of `targets`, by target, as ``path(to:)`` finds it; none for those that are
  /// unreachable.
  ///
  /// - Complexity: O(objects + edges + steps of the paths).
  package mutating func paths(to targets: Set<Int>) -> [Int: HeapPath] {
    paths(to: targets) { $0 }
  }

  /// What `value` makes of these paths, each of which is kept only while that is called.
  ///
  /// - Complexity: as ``paths(to:)``; O(objects) of memory besides the values.
  package mutating func paths<Value>(
    to targets: Set<Int>,
    _ value: (HeapPath) -> Value
  ) -> [Int: Value] {
    var paths: [Int: Value] = [:]
    for isProven in [true, false] where paths.count < targets.count {
      let roots = enterRoots()
      _ = search(isProven: isProven) { _ in false }
      for target in targets where paths[target] == nil && sources[target] >= 0 {
        paths[target] = path(to: target, from: roots).map(value)
      }
    }
    return paths
  }

  private mutating func path(to isMeant: (Int) -> Bool, isProven: Bool) -> HeapPath? {
    let roots = enterRoots()
    return search(isProven: isProven, isMeant).flatMap { path(to: $0, from: roots) }
  }

  /// Begins a search at all roots, and returns one for each object that has any.
  private mutating func enterRoots() -> [Int: HeapSnapshot.Root] {
    reset()
    var roots: [Int: HeapSnapshot.Root] = [:]
    // Roots that are certainly variables come first.
    for kind in HeapSnapshot.RootKind.allCases {
      for root in snapshot.roots where root.kind == kind && roots[root.object] == nil {
        roots[root.object] = root
        queue.append(root.object)
      }
    }
    return roots
  }

  /// The path by which the last search reached `found`.
  private func path(to found: Int, from roots: [Int: HeapSnapshot.Root]) -> HeapPath? {
    let steps = steps(to: found)
    return roots[steps.first?.object ?? found].map {
      HeapPath(root: $0, steps: steps, target: found)
    }
  }

  /// The shortest cycle of proven references through an object; empty if there is none.
  ///
  /// - Complexity: O(objects + edges) that the search may use.
  package mutating func cycle(through object: Int, _ isMeant: (Int) -> Bool) -> [HeapPath.Step] {
    reset()
    queue.append(object)
    let snapshot = snapshot
    let last = search(isProven: true, isWithin: isMeant) { candidate in
      snapshot.edges[snapshot.objects[candidate].edges].contains {
        $0.target == object && $0.isProven
      }
    }
    guard let last,
      let edge = snapshot.objects[last].edges.first(where: {
        snapshot.edges[$0].target == object && snapshot.edges[$0].isProven
      })
    else { return [] }
    return steps(to: last, from: object) + [HeapPath.Step(object: last, edge: edge)]
  }

  private mutating func reset() {
    for object in queue { (arrivals[object], sources[object]) = (-1, -1) }
    queue.removeAll(keepingCapacity: true)
  }

  private mutating func search(
    isProven: Bool,
    isWithin: (Int) -> Bool = { _ in true },
    _ isMeant: (Int) -> Bool
  ) -> Int? {
    for object in queue { sources[object] = Int32(object) }
    var next = 0
    while next < queue.count {
      let object = queue[next]
      next += 1
      if isMeant(object) { return object }
      for edge in snapshot.objects[object].edges {
        let (target, isSure) = (snapshot.edges[edge].target, snapshot.edges[edge].isProven)
        guard isSure || !isProven, sources[target] < 0, isWithin(target) else { continue }
        sources[target] = Int32(object)
        arrivals[target] = Int32(truncatingIfNeeded: edge)
        queue.append(target)
      }
    }
    return nil
  }

  private func steps(to object: Int, from start: Int? = nil) -> [HeapPath.Step] {
    var steps: [HeapPath.Step] = []
    var current = object
    while current != start, Int(sources[current]) != current {
      let source = Int(sources[current])
      let edge = Int(UInt32(bitPattern: arrivals[current]))
      steps.append(HeapPath.Step(object: source, edge: edge))
      current = source
    }
    return steps.reversed()
  }
}
