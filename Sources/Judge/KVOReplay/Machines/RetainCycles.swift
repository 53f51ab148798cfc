import KVORules
import KVOTrace

/// References that retain walks reported, or that were held and never dropped (KVO019).
///
/// A cycle is a leak only if nothing breaks it, as a callback that ends its own observation does. So the result of a
/// walk is kept until the end of the log, and dropped when one of its objects is deallocated, one of its references is
/// dropped or its observation ends. If a test asserts that there is no cycle, the cycles of its walk are reported at
/// once.
///
/// Memory is bounded by the living objects.
struct RetainCycles: Sendable {
  /// The identity of a cycle over several walks.
  private struct CycleKey: Hashable {
    var references: [Reference]
  }

  private(set) var held = RetainGraph()
  /// The open walks, by thread.
  private var walks: [Int: RetainGraph] = [:]
  /// The cycles by number, because a key is as long as its cycle.
  private var cycles: [Int: OwnedCycle] = [:]
  private var numbers: [CycleKey: Int] = [:]
  private var lastNumber = 0
  /// The cycles that an object is on.
  private var cyclesOf: [ObjectID: Set<Int>] = [:]
  private var cyclesOfRegistration: [RegistrationID: Set<Int>] = [:]

  var isEmpty: Bool { cycles.isEmpty && held.isEmpty && walks.isEmpty }
  /// How many objects and cycles are remembered.
  var count: Int {
    held.count + cycles.count + cyclesOf.count + cyclesOfRegistration.count
      + walks.values.reduce(0) { $0 + $1.count }
  }

  mutating func beginWalk(on thread: Int) { walks[thread] = RetainGraph() }

  /// Events are missing, which may have included the ends of all walks.
  mutating func forgetWalks() { walks = [:] }

  /// Whether the open walk of `thread` reported an object without stating what it is.
  func walkHasUnsaidKinds(on thread: Int) -> Bool { walks[thread]?.hasUnsaidKinds == true }

  mutating func hold(_ reference: Reference, on thread: Int, at evidence: Evidence) {
    if walks.isEmpty || walks[thread] == nil {
      held.hold(reference, at: evidence)
    } else {
      walks[thread]?.hold(reference, at: evidence)
    }
  }

  mutating func drop(_ reference: Reference) {
    for thread in Array(walks.keys) { walks[thread]?.drop(reference) }
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
  ///   - tokens: the objects that are known to be tokens.
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

  mutating func add(_ cycle: OwnedCycle) {
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

  /// The observation ended, and released its closure, as its token did.
  mutating func end(_ registration: RegistrationID, token: ObjectID?) {
    if let token {
      if !held.isEmpty { held.release(heldBy: token) }
      for thread in Array(walks.keys) { walks[thread]?.release(heldBy: token) }
    }
    for number in cyclesOfRegistration[registration] ?? [] { remove(number) }
  }

  /// The cycles that walks reported and nothing broke, in the order of the log.
  func finish() -> [OwnedCycle] {
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
