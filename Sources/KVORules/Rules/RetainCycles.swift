import KVOTrace

/// What retain walks saw, and what was held and never dropped (KVO019).
///
/// A cycle is a leak only if nobody breaks it: a callback that unobserves itself does. So what a walk
/// saw waits until the end of the log, and is forgotten when one of its objects dies, one of its
/// references is dropped or its observation ends.
///
/// Memory is bounded by the living objects.
struct RetainCycles: Sendable {
  /// A cycle that is still there.
  struct Cycle: Sendable {
    var edges: [RetainGraph.Edge]
    /// The observation that it is of, in the ledger of that time; nil: not known.
    var registration: Registration?
    var registered: Evidence?
  }

  /// What makes two sightings of a cycle the same.
  private struct CycleKey: Hashable {
    var references: [Reference]
  }

  private(set) var held = RetainGraph()
  /// The open walks, by thread.
  private var walks: [Int: RetainGraph] = [:]
  private var seen: [CycleKey: Cycle] = [:]
  /// The cycles that an object is on.
  private var cyclesOf: [ObjectID: Set<CycleKey>] = [:]
  private var cyclesOfRegistration: [RegistrationID: Set<CycleKey>] = [:]

  var isEmpty: Bool { seen.isEmpty }
  /// How many objects and cycles are remembered.
  var count: Int {
    held.count + seen.count + cyclesOf.count + cyclesOfRegistration.count
      + walks.values.reduce(0) { $0 + $1.count }
  }

  mutating func beginWalk(on thread: Int) { walks[thread] = RetainGraph() }

  mutating func hold(_ reference: Reference, on thread: Int, at evidence: Evidence) {
    if walks.isEmpty || walks[thread] == nil {
      held.hold(reference, at: evidence)
    } else {
      walks[thread]?.hold(reference, at: evidence)
    }
  }

  mutating func drop(_ reference: Reference, on thread: Int) {
    walks[thread]?.drop(reference)
    held.drop(reference)
    for key in cyclesOf[reference.from.id] ?? []
    where key.references.contains(where: {
      $0.from.id == reference.from.id && $0.to.id == reference.to.id
        && $0.label == reference.label
    }) {
      remove(key)
    }
  }

  /// The walk of `thread` is done.
  ///
  /// - Returns: the cycles that it saw first; ``add(_:)`` takes them in.
  mutating func endWalk(on thread: Int) -> [[RetainGraph.Edge]] {
    guard let graph = walks.removeValue(forKey: thread) else { return [] }
    return graph.observationCycles().filter { seen[Self.key($0)] == nil }
  }

  mutating func add(_ cycle: Cycle) {
    let key = Self.key(cycle.edges)
    seen[key] = cycle
    for edge in cycle.edges { cyclesOf[edge.reference.from.id, default: []].insert(key) }
    if let id = cycle.registration?.id { cyclesOfRegistration[id, default: []].insert(key) }
  }

  mutating func forget(_ object: ObjectID) {
    if !held.isEmpty { held.forget(object) }
    for thread in Array(walks.keys) { walks[thread]?.forget(object) }
    for key in cyclesOf[object] ?? [] { remove(key) }
  }

  /// The observation ended, and let its closure go.
  mutating func end(_ registration: RegistrationID) {
    for key in cyclesOfRegistration[registration] ?? [] { remove(key) }
  }

  /// What walks saw and nobody broke, in the order of the log.
  func finish() -> [Cycle] {
    seen.values.sorted { ($0.edges.first?.held.event ?? 0) < ($1.edges.first?.held.event ?? 0) }
  }

  private mutating func remove(_ key: CycleKey) {
    guard let cycle = seen.removeValue(forKey: key) else { return }
    for edge in cycle.edges {
      let object = edge.reference.from.id
      cyclesOf[object]?.remove(key)
      if cyclesOf[object]?.isEmpty == true { cyclesOf[object] = nil }
    }
    if let id = cycle.registration?.id {
      cyclesOfRegistration[id]?.remove(key)
      if cyclesOfRegistration[id]?.isEmpty == true { cyclesOfRegistration[id] = nil }
    }
  }

  private static func key(_ edges: [RetainGraph.Edge]) -> CycleKey {
    CycleKey(references: edges.map(\.reference))
  }
}
