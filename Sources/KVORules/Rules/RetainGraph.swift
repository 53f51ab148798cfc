import KVOTrace

/// Strong references between living objects, and the cycles in them that an observation is part of.
///
/// Memory is bounded by the references that were not dropped, whose ends both live.
///
/// Complexity: O(1) amortised for a reference; O(references) for a death and for a drop of what one
/// object holds; O(objects + references) for each cycle that is looked for.
struct RetainGraph: Sendable {
  /// A reference and where it came to be.
  struct Edge: Sendable {
    var reference: Reference
    var held: Evidence
  }

  private struct EdgeKey: Hashable {
    var to: ObjectID
    var label: StringID
  }

  /// How many observations of one tangle are asked for a cycle of their own.
  private static let searchLimit = 64

  private var edges: [ObjectID: [EdgeKey: Edge]] = [:]
  private var holders: [ObjectID: Set<ObjectID>] = [:]

  /// Whether it was given a reference of which the log does not say what its ends are.
  private(set) var hasUnsaidKinds = false

  var isEmpty: Bool { edges.isEmpty }
  /// How many objects hold or are held.
  var count: Int { edges.count + holders.count }

  /// Takes in a strong reference; others keep nothing alive.
  mutating func hold(_ reference: Reference, at evidence: Evidence) {
    guard reference.strength == .strong else { return }
    if !reference.unsaidKinds.isEmpty { hasUnsaidKinds = true }
    let key = EdgeKey(to: reference.to.id, label: reference.label)
    edges[reference.from.id, default: [:]][key] = Edge(reference: reference, held: evidence)
    holders[reference.to.id, default: []].insert(reference.from.id)
  }

  /// A reference is gone: the one of this label, or all to that object where none has it.
  mutating func drop(_ reference: Reference) {
    guard var left = edges[reference.from.id] else { return }
    let key = EdgeKey(to: reference.to.id, label: reference.label)
    if left.removeValue(forKey: key) == nil {
      left = left.filter { $0.key.to != reference.to.id }
    }
    edges[reference.from.id] = left.isEmpty ? nil : left
    if !left.keys.contains(where: { $0.to == reference.to.id }) {
      leave(reference.to.id, heldBy: reference.from.id)
    }
  }

  /// The object died, and what it held is free.
  mutating func forget(_ object: ObjectID) {
    for key in (edges.removeValue(forKey: object) ?? [:]).keys { leave(key.to, heldBy: object) }
    for holder in holders.removeValue(forKey: object) ?? [] {
      guard let left = edges[holder]?.filter({ $0.key.to != object }) else { continue }
      edges[holder] = left.isEmpty ? nil : left
    }
  }

  private mutating func leave(_ object: ObjectID, heldBy holder: ObjectID) {
    holders[object]?.remove(holder)
    if holders[object]?.isEmpty == true { holders[object] = nil }
  }

  // MARK: - Cycles

  /// The cycles that keep a token, a closure or a registry alive: the shortest through each, one for
  /// those that share it, each from an ordinary object on where it has one.
  ///
  /// Cycles of proven references come first, and excuse longer looks at what is on them: only what
  /// is on none is asked for a cycle with suspected references. Where nothing of a tangle is said to be an
  /// observation, and something is not said to be none, one cycle of it is given.
  ///
  /// - Parameter tokens: what is known to be a token, whatever its references say.
  /// - Returns: the cycles.
  /// Complexity: O(references log references), and O(references) for each of ``searchLimit``
  /// observations of each tangle.
  func observationCycles(tokens: Set<ObjectID> = []) -> [[Edge]] {
    var cycles: [[Edge]] = []
    var covered: Set<ObjectID> = []
    for mayBeSuspected in [false, true] {
      let found = Numbered(self, tokens, mayBeSuspected: mayBeSuspected)
        .cycles(limit: Self.searchLimit, &covered)
      cycles += found
    }
    return cycles
  }

  /// The graph with its objects as numbers, in the order of the log.
  private struct Numbered {
    private var graph: DirectedGraph
    private var objects: [ObjectRef] = []
    private var edges: [[Int: Edge]] = []
    /// The objects that no reference says to be of a kind.
    private var unsaid: Set<Int> = []

    init(_ retained: RetainGraph, _ tokens: Set<ObjectID>, mayBeSuspected: Bool) {
      let all = retained.edges.values.flatMap(\.values)
        .filter { mayBeSuspected || $0.reference.certainty == .proven }
        .sorted {
          ($0.held.event, $0.reference.label.rawValue) < (
            $1.held.event, $1.reference.label.rawValue
          )
        }
      var places: [ObjectID: Int] = [:]
      var said: Set<Int> = []
      for var edge in all {
        edge.reference.mark(tokens)
        for object in [edge.reference.from, edge.reference.to] where places[object.id] == nil {
          places[object.id] = objects.count
          objects.append(object)
        }
        for (object, end) in edge.reference.ends {
          guard let place = places[object.id] else { continue }
          if edge.reference.unsaidKinds.contains(end) {
            unsaid.insert(place)
          } else {
            said.insert(place)
            if object.kind != .object { objects[place].kind = object.kind }
          }
        }
      }
      unsaid.subtract(said)
      graph = DirectedGraph(nodeCount: objects.count)
      edges = Array(repeating: [:], count: objects.count)
      for var edge in all {
        edge.reference.mark(tokens)
        guard let from = places[edge.reference.from.id], let to = places[edge.reference.to.id],
          edges[from][to] == nil
        else { continue }
        // One mention of an object may say what another does not.
        edge.reference.from.kind = objects[from].kind
        edge.reference.to.kind = objects[to].kind
        edges[from][to] = edge
        graph.connect(from, to)
      }
    }

    func cycles(limit: Int, _ covered: inout Set<ObjectID>) -> [[Edge]] {
      var result: [[Edge]] = []
      for component in graph.cyclicComponents() {
        var observations = component.filter { objects[$0].kind != .object }
        if observations.isEmpty {
          let first = component.first { unsaid.contains($0) && !covered.contains(objects[$0].id) }
          observations = first.map { [$0] } ?? []
        }
        for start in observations.prefix(limit) where !covered.contains(objects[start].id) {
          guard let cycle = graph.shortestCycle(through: start) else { continue }
          covered.formUnion(cycle.map { objects[$0].id })
          result.append(self.edges(of: fromOwner(cycle)))
        }
      }
      return result
    }

    /// The same cycle, from the ordinary object that holds the observation, if there is one.
    private func fromOwner(_ cycle: [Int]) -> [Int] {
      let owner = cycle.indices.last { objects[cycle[$0]].kind == .object }
      guard let owner else { return cycle }
      return Array(cycle[owner...] + cycle[..<owner])
    }

    private func edges(of cycle: [Int]) -> [Edge] {
      cycle.indices.compactMap { place in
        edges[cycle[place]][cycle[(place + 1) % cycle.count]]
      }
    }
  }
}

extension Reference {
  /// Its two objects.
  fileprivate var ends: [(object: ObjectRef, end: Ends)] { [(from, .from), (to, .to)] }

  /// Says of its ends that they are tokens, where they are among `tokens` and nothing is said of them.
  fileprivate mutating func mark(_ tokens: Set<ObjectID>) {
    if unsaidKinds.contains(.from), tokens.contains(from.id) {
      from.kind = .token
      unsaidKinds.remove(.from)
    }
    if unsaidKinds.contains(.to), tokens.contains(to.id) {
      to.kind = .token
      unsaidKinds.remove(.to)
    }
  }
}
