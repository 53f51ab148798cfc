internal import KVORetainRegistry

extension SearchRun {
  /// The maximum number of observations of a component through which a cycle is searched for.
  private static let observationLimit = 64

  /// The shortest cycle through each observation in `marks`, once for those that share it; nil for
  /// all reached observations.
  ///
  /// A controller that keeps an observed object alive closes a cycle for its observation, which need not be on that
  /// cycle itself: it may hold nothing.
  func observationCycles(from roots: [UInt], through marks: Set<UInt>?) -> RetainAnswer {
    let reached = reached(from: roots)
    var graph = cyclicGraph(of: reached)
    // Of the objects that should have been deallocated, a search through some observations knows only these.
    let found = components(of: &graph, reached, from: marks.map(Array.init) ?? roots)
    var cycles: [RetainCycle] = []
    var paths: PathSearch?
    for component in found.components.sorted(by: { ($0.min() ?? 0) < ($1.min() ?? 0) }) {
      var covered: Set<Int> = []
      let starts = starts(
        in: component.sorted(),
        numbers: found.componentNumbers,
        of: graph,
        among: marks
      )
      for start in starts where !covered.contains(start.object) && cycles.count < search.cycleLimit
      {
        if paths == nil {
          paths = PathSearch(objectCount: graph.objectCount, includesSuspected: false)
        }
        let numbers = found.componentNumbers
        let cycle =
          if let edge = start.edge {
            paths?.cycle(through: edge, of: start.object, numbers: numbers, in: graph)
          } else {
            paths?.shortestCycle(through: start.object, numbers: numbers, of: graph)
          }
        let steps = cycle ?? []
        covered.formUnion(steps.map(\.object))
        let ring = steps.map { graph.addresses[$0.object] }
        if let cycle = namer.cycle(along: ring) { cycles.append(cycle) }
      }
    }
    let doubts = doubts(besides: reached, found, in: graph, from: roots)
    for cycle in doubts.proven where isOfObservation(cycle, among: marks) {
      if cycles.count < search.cycleLimit { cycles.append(cycle) }
    }
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
    let others = all.without { isOfObservation($0, among: nil) }
    if all.componentCount == 0 { return (all.without { _ in true }, others) }
    let found = observationCycles(from: roots, through: nil)
    // Those that only reference counts prove are known already. They may not be proven again: the addresses in them
    // are words, too.
    let observations =
      found.cycles.isEmpty ? all.without { !isOfObservation($0, among: nil) } : found
    return (observations, others)
  }

  /// Whether a cycle goes through one of the observations in `marks`, or a token or controller; nil: any.
  private func isOfObservation(_ cycle: RetainCycle, among marks: Set<UInt>?) -> Bool {
    cycle.edges.contains { edge in
      guard let marks else { return edge.observation != 0 || isKeeper(edge.from.address) }
      return marks.contains(edge.observation)
    }
  }

  private func isObservation(_ address: UInt, among marks: Set<UInt>?) -> Bool {
    marks?.contains(address) ?? (reader.plan(of: address)?.pointee.isObservation == true)
  }

  private func isKeeper(_ address: UInt) -> Bool {
    address != 0 && reader.plan(of: address)?.pointee.isKeeper == true
  }

  /// Where cycles are searched for in a component: at its observations, and then at the references by which
  /// controllers of observations keep observed objects alive.
  ///
  /// - Parameters:
  ///   - objects: the component, in the order of the walk.
  ///   - numbers: the component of each object of the graph.
  ///   - graph: the objects that may be on cycles.
  ///   - marks: the observations that count; nil for all.
  /// - Returns: an object of the component, and the reference of it that the cycle must contain, if not any does.
  private func starts(
    in objects: [Int],
    numbers: [UInt32],
    of graph: borrowing ObjectGraph,
    among marks: Set<UInt>?
  ) -> [(object: Int, edge: Int?)] {
    var observations: [(object: Int, edge: Int?)] = []
    var holds: [(object: Int, edge: Int?)] = []
    for object in objects {
      let address = graph.addresses[object]
      if isObservation(address, among: marks) { observations.append((object, nil)) }
      guard isKeeper(address), keepsObservation(address, among: marks) else { continue }
      for edge in graph.edges(of: object) where !graph.isSuspected(edge) {
        let target = graph.target(edge)
        guard numbers[target] == numbers[object],
          !isObservation(graph.addresses[target], among: nil)
        else { continue }
        holds.append((object, edge))
      }
    }
    return Array(
      observations.prefix(Self.observationLimit) + holds.prefix(Self.observationLimit)
    )
  }

  /// Whether the token or controller at `address` has one of the observations in `marks`; nil: any.
  private func keepsObservation(_ address: UInt, among marks: Set<UInt>?) -> Bool {
    guard let marks else { return true }
    let kept = reader.store.knownClasses?.source.references(ofObjectAt: address) ?? []
    return kept.contains { marks.contains($0) }
  }

  // MARK: What ends an observation

  /// The sets of objects that keep themselves alive.
  ///
  /// A token or a controller that is deallocated ends its observations. So an observation is not part of a cycle if its
  /// keeper is not in the same set: it lives as long as the object outside that owns the keeper. Such observations lose
  /// their references in the graph.
  ///
  /// Those of an object that should have been deallocated count nevertheless: the owner of the keeper is not meant to
  /// keep that object. So do, among suspected references, those in a set without tasks that has a keeper to which only
  /// such references lead: it is not asked what it keeps.
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
      let ended = observationsKeptElsewhere(
        than: found,
        in: graph,
        reached,
        includesSuspected: includesSuspected,
        from: roots
      )
      if ended.isEmpty { return found }
      graph.removeReferences(of: ended)
    }
  }

  /// The observations in the sets whose keeper is not in the same one.
  private func observationsKeptElsewhere(
    than found: borrowing StrongComponents,
    in graph: borrowing ObjectGraph,
    _ reached: borrowing ReachedObjects,
    includesSuspected: Bool,
    from roots: [UInt]
  ) -> Set<Int> {
    guard let knowledge = reader.store.knownClasses?.source else { return [] }
    let survivors = search.expectsDeallocation ? Set(roots) : []
    var ended: Set<Int> = []
    for component in found.components {
      var observations: Set<Int> = []
      var kept: Set<Int> = []
      var isOfSurvivor = false
      var (hasSuspectedKeeper, hasTask) = (false, false)
      for object in component {
        let address = graph.addresses[object]
        isOfSurvivor = isOfSurvivor || survivors.contains(address)
        guard let plan = reader.plan(of: address) else { continue }
        hasTask = hasTask || plan.pointee.kind == .task
        guard plan.pointee.isKnown else { continue }
        if plan.pointee.isKeeper {
          hasSuspectedKeeper = hasSuspectedKeeper || !reached.granules.isReached(address)
          for edge in graph.edges(of: object) { kept.insert(graph.target(edge)) }
        } else if plan.pointee.isObservation, reached.granules.isReached(address),
          knowledge.hasKeeper(ofObservationAt: address)
        {
          observations.insert(object)
        }
      }
      // The frames of a task that waits for values have what keeps their observation.
      let isOpen = includesSuspected && hasSuspectedKeeper && !hasTask
      if !isOfSurvivor, !isOpen { ended.formUnion(observations.subtracting(kept)) }
    }
    return ended
  }
}
