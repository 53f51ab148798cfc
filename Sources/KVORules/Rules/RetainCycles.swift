import KVOTrace

/// What retain walks saw, and what was held and never dropped (KVO019).
///
/// A cycle is a leak only if nobody breaks it: a callback that unobserves itself does. So what a walk
/// saw waits until the end of the log, and is forgotten when one of its objects dies, one of its
/// references is dropped or its observation ends. If a test asserts that there is no cycle, what its walk
/// saw is reported at once.
///
/// Memory is bounded by the living objects.
struct RetainCycles: Sendable {
  /// A cycle that is still there.
  struct Cycle: Sendable {
    var edges: [RetainGraph.Edge]
    /// The observation that it is of, in the ledger of that time; nil: not known.
    var registration: Registration?
    var registered: Evidence?
    /// Whether it was reported when it was seen, because a test asserted that there is none.
    var isReported = false
  }

  /// What makes two sightings of a cycle the same.
  private struct CycleKey: Hashable {
    var references: [Reference]
  }

  private(set) var held = RetainGraph()
  /// The open walks, by thread.
  private var walks: [Int: RetainGraph] = [:]
  /// The cycles by number, since a key is as long as its cycle.
  private var cycles: [Int: Cycle] = [:]
  private var numbers: [CycleKey: Int] = [:]
  private var lastNumber = 0
  /// The cycles that an object is on.
  private var cyclesOf: [ObjectID: Set<Int>] = [:]
  private var cyclesOfRegistration: [RegistrationID: Set<Int>] = [:]

  var isEmpty: Bool { cycles.isEmpty }
  /// How many objects and cycles are remembered.
  var count: Int {
    held.count + cycles.count + cyclesOf.count + cyclesOfRegistration.count
      + walks.values.reduce(0) { $0 + $1.count }
  }

  mutating func beginWalk(on thread: Int) { walks[thread] = RetainGraph() }

  /// Events are missing, which may have been the ends of all walks.
  mutating func forgetWalks() { walks = [:] }

  /// Whether the open walk of `thread` met an object of which it does not say what it is.
  func walkHasUnsaidKinds(on thread: Int) -> Bool { walks[thread]?.hasUnsaidKinds == true }

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
    for number in cyclesOf[reference.from.id] ?? []
    where cycles[number]?.edges.contains(where: {
      $0.reference.from.id == reference.from.id && $0.reference.to.id == reference.to.id
        && ($0.reference.label == reference.label || $0.reference.label == .none
          || reference.label == .none)
    }) == true {
      remove(number)
    }
  }

  /// The walk of `thread` is done.
  ///
  /// - Parameters:
  ///   - thread: whose walk it is.
  ///   - tokens: what is known to be a token.
  ///   - isAsserted: whether a test asserts that there is no cycle.
  /// - Returns: the cycles that it saw first, or, if it is asserted that there are none, those that were not
  ///   reported; ``add(_:)`` takes them in.
  mutating func endWalk(
    on thread: Int,
    tokens: Set<ObjectID>,
    isAsserted: Bool
  ) -> [[RetainGraph.Edge]] {
    guard let graph = walks.removeValue(forKey: thread) else { return [] }
    return graph.observationCycles(tokens: tokens).filter { edges in
      guard let known = numbers[Self.key(edges)].flatMap({ cycles[$0] }) else { return true }
      return isAsserted && !known.isReported
    }
  }

  mutating func add(_ cycle: Cycle) {
    let key = Self.key(cycle.edges)
    if let known = numbers[key] { remove(known) }
    lastNumber += 1
    numbers[key] = lastNumber
    cycles[lastNumber] = cycle
    for edge in cycle.edges { cyclesOf[edge.reference.from.id, default: []].insert(lastNumber) }
    if let id = cycle.registration?.id {
      cyclesOfRegistration[id, default: []].insert(lastNumber)
    }
  }

  mutating func forget(_ object: ObjectID) {
    if !held.isEmpty { held.forget(object) }
    for thread in Array(walks.keys) { walks[thread]?.forget(object) }
    for number in cyclesOf[object] ?? [] { remove(number) }
  }

  /// The observation ended, and let its closure go.
  mutating func end(_ registration: RegistrationID) {
    for number in cyclesOfRegistration[registration] ?? [] { remove(number) }
  }

  /// What walks saw and nobody broke, in the order of the log.
  func finish() -> [Cycle] {
    cycles.values.sorted { ($0.edges.first?.held.event ?? 0) < ($1.edges.first?.held.event ?? 0) }
  }

  private mutating func remove(_ number: Int) {
    guard let cycle = cycles.removeValue(forKey: number) else { return }
    numbers[Self.key(cycle.edges)] = nil
    for edge in cycle.edges {
      let object = edge.reference.from.id
      cyclesOf[object]?.remove(number)
      if cyclesOf[object]?.isEmpty == true { cyclesOf[object] = nil }
    }
    if let id = cycle.registration?.id {
      cyclesOfRegistration[id]?.remove(number)
      if cyclesOfRegistration[id]?.isEmpty == true { cyclesOfRegistration[id] = nil }
    }
  }

  private static func key(_ edges: [RetainGraph.Edge]) -> CycleKey {
    CycleKey(references: edges.map(\.reference))
  }
}
