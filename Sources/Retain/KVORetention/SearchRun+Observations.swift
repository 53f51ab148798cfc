internal import KVORetainRegistry

extension SearchRun {
  /// The maximum number of observations of a component through which a cycle is searched for.
  private static let observationLimit = 64

  /// The shortest cycle through each observation in `marks`, once for those that share it; nil for
  /// all reached observations.
  func observationCycles(from roots: [UInt], through marks: Set<UInt>?) -> RetainAnswer {
    let reached = reached(from: roots)
    var graph = cyclicGraph(of: reached)
    let found = components(of: &graph, reached, from: roots)
    var cycles: [RetainCycle] = []
    var paths: PathSearch?
    for component in found.components.sorted(by: { ($0.min() ?? 0) < ($1.min() ?? 0) }) {
      var covered: Set<Int> = []
      let marked = component.sorted().filter { isObservation(graph.addresses[$0], among: marks) }
      for object in marked.prefix(Self.observationLimit)
      where !covered.contains(object) && cycles.count < search.cycleLimit {
        if paths == nil {
          paths = PathSearch(objectCount: graph.objectCount, includesSuspected: false)
        }
        let steps =
          paths?.shortestCycle(through: object, numbers: found.componentNumbers, of: graph) ?? []
        covered.formUnion(steps.map(\.object))
        let ring = steps.map { graph.addresses[$0.object] }
        if let cycle = namer.cycle(along: ring) { cycles.append(cycle) }
      }
    }
    let doubts = doubts(besides: reached, found, in: graph, from: roots)
    return RetainAnswer(
      cycles: cycles,
      suspectedCycles: [],
      taskCycles: [],
      componentCount: cycles.count,
      omittedCycleCount: 0,
      opaque: opaque(in: reached, doubts),
      objectCount: reached.count,
      referenceCount: reached.referenceCount
    )
  }

  /// The cycles through observations, and separately all others; if there are none, one walk is
  /// enough.
  func cyclesApart(from roots: [UInt]) -> (observations: RetainAnswer, others: RetainAnswer) {
    let all = cycles(from: roots)
    let others = all.without { cycle in cycle.edges.contains { $0.observation != 0 } }
    if all.componentCount == 0 { return (all.without { _ in true }, others) }
    return (observationCycles(from: roots, through: nil), others)
  }

  private func isObservation(_ address: UInt, among marks: Set<UInt>?) -> Bool {
    marks?.contains(address) ?? (reader.plan(of: address)?.pointee.isObservation == true)
  }

  // MARK: What ends an observation

  /// The sets of objects that keep themselves alive.
  ///
  /// A token or a controller that is deallocated ends its observations. So an observation is not part of a cycle if its
  /// keeper is not in the same set: it lives as long as the object outside that owns the keeper. Such observations lose
  /// their references in the graph.
  ///
  /// Those of an object that should have been deallocated count nevertheless: the owner of the keeper is not meant to
  /// keep that object.
  ///
  /// - Parameters:
  ///   - graph: the objects that may be on cycles.
  ///   - reached: the objects that certainly exist: no code is run for others.
  ///   - includesSuspected: whether suspected references count.
  ///   - roots: where the search began.
  /// - Returns: the sets.
  /// - Complexity: O(n) in objects and references, once more for each observation that holds the keeper of another one.
  func components(
    of graph: inout ObjectGraph,
    _ reached: borrowing ReachedObjects,
    includesSuspected: Bool = false,
    from roots: [UInt]
  ) -> StrongComponents {
    while true {
      let found = StrongComponents(of: graph, includesSuspected: includesSuspected)
      let ended = observationsKeptElsewhere(than: found, in: graph, reached, from: roots)
      if ended.isEmpty { return found }
      graph.removeReferences(of: ended)
    }
  }

  /// The observations in the sets whose keeper is not in the same one.
  private func observationsKeptElsewhere(
    than found: borrowing StrongComponents,
    in graph: borrowing ObjectGraph,
    _ reached: borrowing ReachedObjects,
    from roots: [UInt]
  ) -> Set<Int> {
    guard let knowledge = reader.store.knownClasses?.source else { return [] }
    let survivors = search.expectsDeallocation ? Set(roots) : []
    var ended: Set<Int> = []
    for component in found.components {
      var observations: Set<Int> = []
      var kept: Set<Int> = []
      var isOfSurvivor = false
      for object in component {
        let address = graph.addresses[object]
        isOfSurvivor = isOfSurvivor || survivors.contains(address)
        guard let plan = reader.plan(of: address), plan.pointee.isKnown else { continue }
        if plan.pointee.isKeeper {
          for edge in graph.edges(of: object) { kept.insert(graph.target(edge)) }
        } else if plan.pointee.isObservation, reached.granules.isReached(address),
          knowledge.hasKeeper(ofObservationAt: address)
        {
          observations.insert(object)
        }
      }
      if !isOfSurvivor { ended.formUnion(observations.subtracting(kept)) }
    }
    return ended
  }
}
