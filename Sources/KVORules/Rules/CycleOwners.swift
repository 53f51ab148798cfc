import KVOTrace

/// Finds the observation that each of some retain cycles is of, among the live ones.
///
/// It is the one that was registered where the reference to its closure came to be, as the stack of that
/// reference says, preferably one of an object of the cycle; else one of those objects', the token's before
/// the observer's before the subject's. Of several the oldest.
///
/// Complexity: O(registrations + references).
struct CycleOwners {
  /// A live registration, and the number of what made it: of an event, or its own.
  struct Candidate {
    var registration: Registration
    var registered: Evidence
    var age: UInt64
  }

  private struct Place: Hashable {
    var object: ObjectID
    var stack: StackID
  }

  private struct Ranked {
    var rank: Int
    var candidate: Candidate

    func isBefore(_ other: Ranked) -> Bool {
      (rank, candidate.age) < (other.rank, other.candidate.age)
    }
  }

  private let objects: Set<ObjectID>
  private let stacks: Set<StackID>
  private var anywhere: [ObjectID: Ranked] = [:]
  private var atPlace: [Place: Ranked] = [:]
  private var atStack: [StackID: Ranked] = [:]

  init(of cycles: [[RetainGraph.Edge]]) {
    objects = Set(cycles.joined().map(\.reference.from.id))
    stacks = Set(cycles.joined().compactMap(Self.stackOfClosure))
  }

  /// Takes in a live registration.
  mutating func consider(_ candidate: Candidate) {
    let registration = candidate.registration
    let stack = candidate.registered.stack
    if stacks.contains(stack) {
      let ranked = Ranked(rank: 0, candidate: candidate)
      if atStack[stack].map(ranked.isBefore) ?? true { atStack[stack] = ranked }
    }
    let parts = [registration.token?.id, registration.observer?.id, registration.subject.id]
    for (rank, part) in parts.enumerated() {
      guard let part, objects.contains(part) else { continue }
      let ranked = Ranked(rank: rank, candidate: candidate)
      if anywhere[part].map(ranked.isBefore) ?? true { anywhere[part] = ranked }
      guard stacks.contains(stack) else { continue }
      let place = Place(object: part, stack: stack)
      if atPlace[place].map(ranked.isBefore) ?? true { atPlace[place] = ranked }
    }
  }

  /// The cycle with its observation.
  func owned(_ edges: [RetainGraph.Edge]) -> RetainCycles.Cycle {
    let stacks = edges.compactMap(Self.stackOfClosure)
    let objects = edges.map(\.reference.from.id)
    let placed = stacks.flatMap { stack in
      objects.compactMap { atPlace[Place(object: $0, stack: stack)] }
    }
    let known = [placed, stacks.compactMap { atStack[$0] }, objects.compactMap { anywhere[$0] }]
    let best = known.first { !$0.isEmpty }?.min { $0.isBefore($1) }?.candidate
    return RetainCycles.Cycle(
      edges: edges,
      registration: best?.registration,
      registered: best?.registered
    )
  }

  /// Where the reference to a closure came to be; nil for other references.
  private static func stackOfClosure(_ edge: RetainGraph.Edge) -> StackID? {
    edge.reference.to.kind == .closure && edge.held.stack != .none ? edge.held.stack : nil
  }
}
