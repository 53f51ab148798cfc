package import KVOTrace

/// Finds the live observation of each of some retain cycles.
///
/// It is the one that was registered where the reference to its closure was created, according to that reference's
/// stack, preferably one of an object of the cycle. Otherwise it is one for which a controller of the cycle keeps the
/// next object of it alive; otherwise an observation of one of the objects: of the token, else of the observer, else of
/// the subject. If there are several, it is the oldest.
///
/// Complexity: O(registrations + references).
package struct CycleOwners {
  /// A live registration, and the number of its addition: that of the event, or its own.
  package struct Candidate {
    package var registration: Registration
    package var registered: Evidence
    package var age: UInt64

    package init(registration: Registration, registered: Evidence, age: UInt64) {
      self.registration = registration
      self.registered = registered
      self.age = age
    }
  }

  private struct CreationSite: Hashable {
    var object: ObjectID
    var stack: StackID
  }

  /// A controller, and an object that it keeps alive.
  private struct Hold: Hashable {
    var controller: ObjectID
    var object: ObjectID
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
  private let holds: Set<Hold>
  private var anywhere: [ObjectID: Ranked] = [:]
  private var atSite: [CreationSite: Ranked] = [:]
  private var atStack: [StackID: Ranked] = [:]
  private var held: [Hold: Ranked] = [:]

  package init(of cycles: [[RetainGraph.Edge]]) {
    objects = Set(cycles.joined().map(\.reference.from.id))
    stacks = Set(cycles.joined().compactMap(Self.stackOfClosure))
    holds = Set(cycles.joined().compactMap(Self.hold))
  }

  /// Adds a live registration.
  package mutating func consider(_ candidate: Candidate) {
    let registration = candidate.registration
    let stack = candidate.registered.stack
    let first = Ranked(rank: 0, candidate: candidate)
    if stacks.contains(stack) { Self.keep(first, at: stack, in: &atStack) }
    if let token = registration.token {
      let hold = Hold(controller: token.id, object: registration.subject.id)
      if holds.contains(hold) { Self.keep(first, at: hold, in: &held) }
    }
    let parts = [registration.token?.id, registration.observer?.id, registration.subject.id]
    for (rank, part) in parts.enumerated() {
      guard let part, objects.contains(part) else { continue }
      let ranked = Ranked(rank: rank, candidate: candidate)
      Self.keep(ranked, at: part, in: &anywhere)
      guard stacks.contains(stack) else { continue }
      Self.keep(ranked, at: CreationSite(object: part, stack: stack), in: &atSite)
    }
  }

  /// Puts `ranked` at `key`, unless one is there that comes before it.
  private static func keep<Key>(_ ranked: Ranked, at key: Key, in all: inout [Key: Ranked]) {
    if all[key].map(ranked.isBefore) ?? true { all[key] = ranked }
  }

  /// The cycle with its observation.
  package func owned(_ edges: [RetainGraph.Edge]) -> OwnedCycle {
    let stacks = edges.compactMap(Self.stackOfClosure)
    let objects = edges.map(\.reference.from.id)
    let exact = stacks.flatMap { stack in
      objects.compactMap { atSite[CreationSite(object: $0, stack: stack)] }
    }
    let known = [
      exact,
      stacks.compactMap { atStack[$0] },
      edges.compactMap(Self.hold).compactMap { held[$0] },
      objects.compactMap { anywhere[$0] },
    ]
    let best = known.first { !$0.isEmpty }?.min { $0.isBefore($1) }?.candidate
    return OwnedCycle(
      edges: edges,
      registration: best?.registration,
      registered: best?.registered
    )
  }

  /// The reference of a controller to an object that it keeps alive; nil for other references.
  private static func hold(_ edge: RetainGraph.Edge) -> Hold? {
    let (from, to) = (edge.reference.from, edge.reference.to)
    guard from.kind == .registry, to.kind == .object else { return nil }
    return Hold(controller: from.id, object: to.id)
  }

  /// Where the reference to a closure was created; nil for other references.
  private static func stackOfClosure(_ edge: RetainGraph.Edge) -> StackID? {
    edge.reference.to.kind == .closure && edge.held.stack != .none ? edge.held.stack : nil
  }
}
