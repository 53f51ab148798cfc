package import KVOTrace

/// Strong references between living objects, and their cycles that contain an observation.
///
/// Memory is bounded by the references that were not dropped and whose ends are both alive.
///
/// Complexity: O(1) amortized for a reference and a drop, apart from other references between the same two objects;
/// O(objects that it holds, and that hold it) for a deallocation; O(objects + references) for each cycle search.
package struct RetainGraph: Sendable {
  /// A reference and where it was created.
  package struct Edge: Sendable {
    package var reference: Reference
    package var held: Evidence
  }

  /// How many observations of one strongly connected component are searched for their own cycle.
  private static let searchLimit = 64

  /// The references from one object to another, one of each label; mostly there is one.
  private var edges: [ObjectID: [ObjectID: [Edge]]] = [:]
  private var holders: [ObjectID: Set<ObjectID>] = [:]

  /// Whether it has a reference whose kinds of ends the log does not state.
  package private(set) var hasUnsaidKinds = false

  package init() {}

  package var isEmpty: Bool { edges.isEmpty }
  /// How many objects hold or are held.
  package var count: Int { edges.count + holders.count }

  /// Adds a strong reference; others keep nothing alive.
  package mutating func hold(_ reference: Reference, at evidence: Evidence) {
    guard reference.strength == .strong else { return }
    if !reference.unsaidKinds.isEmpty { hasUnsaidKinds = true }
    let edge = Edge(reference: reference, held: evidence)
    edges[reference.from.id, default: [:]][reference.to.id, default: []].set(edge)
    holders[reference.to.id, default: []].insert(reference.from.id)
  }

  /// A reference was dropped: the one of this label, or, if none has it, one whose label the log does not state.
  ///
  /// Without a label, all references to that object.
  package mutating func drop(_ reference: Reference) {
    let (from, to) = (reference.from.id, reference.to.id)
    guard var left = edges[from]?[to] else { return }
    if reference.label == .none {
      left = []
    } else if !left.remove(reference.label) {
      _ = left.remove(.none)
    }
    if left.isEmpty {
      remove(to, heldBy: from)
      leave(to, heldBy: from)
    } else {
      edges[from]?[to] = left
    }
  }

  /// The object was deallocated, and its references are released.
  package mutating func forget(_ object: ObjectID) {
    release(heldBy: object)
    for holder in holders.removeValue(forKey: object) ?? [] { remove(object, heldBy: holder) }
  }

  /// The object released all that it held.
  package mutating func release(heldBy object: ObjectID) {
    for held in (edges.removeValue(forKey: object) ?? [:]).keys { leave(held, heldBy: object) }
  }

  private mutating func remove(_ object: ObjectID, heldBy holder: ObjectID) {
    edges[holder]?[object] = nil
    if edges[holder]?.isEmpty == true { edges[holder] = nil }
  }

  private mutating func leave(_ object: ObjectID, heldBy holder: ObjectID) {
    holders[object]?.remove(holder)
    if holders[object]?.isEmpty == true { holders[object] = nil }
  }

  // MARK: - Cycles

  /// The cycles that keep a token, a closure or a registry alive: the shortest through each, one for
  /// those that share it, each from an ordinary object on if it has one.
  ///
  /// Cycles of proven references come first; only nodes that are on none of them are searched for cycles with suspected
  /// references. If no node of a component is known to be an observation, but one may be, one of its cycles is
  /// returned.
  ///
  /// - Parameter tokens: the objects known to be tokens, regardless of their references.
  /// - Returns: the cycles.
  /// Complexity: O(references log references), and O(references) for each of ``searchLimit`` observations of each
  /// component.
  package func observationCycles(tokens: Set<ObjectID> = []) -> [[Edge]] {
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
    /// The objects whose kind no reference states.
    private var unsaid: Set<Int> = []

    init(_ retained: RetainGraph, _ tokens: Set<ObjectID>, mayBeSuspected: Bool) {
      let all = retained.edges.values.lazy.flatMap { $0.values.joined() }
        .filter { mayBeSuspected || $0.reference.certainty == .proven }
        .sorted {
          ($0.held.event, $0.reference.label.rawValue) < (
            $1.held.event, $1.reference.label.rawValue
          )
        }
      var indices: [ObjectID: Int] = [:]
      var said: Set<Int> = []
      for var edge in all {
        edge.reference.mark(tokens)
        for object in [edge.reference.from, edge.reference.to] where indices[object.id] == nil {
          indices[object.id] = objects.count
          objects.append(object)
        }
        for (object, end) in edge.reference.ends {
          guard let index = indices[object.id] else { continue }
          if edge.reference.unsaidKinds.contains(end) {
            unsaid.insert(index)
          } else {
            said.insert(index)
            if object.kind != .object { objects[index].kind = object.kind }
          }
        }
      }
      unsaid.subtract(said)
      graph = DirectedGraph(nodeCount: objects.count)
      edges = Array(repeating: [:], count: objects.count)
      for var edge in all {
        edge.reference.mark(tokens)
        guard let from = indices[edge.reference.from.id], let to = indices[edge.reference.to.id],
          edges[from][to] == nil
        else { continue }
        // One reference may state an object's kind when another does not.
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
      cycle.indices.compactMap { index in
        edges[cycle[index]][cycle[(index + 1) % cycle.count]]
      }
    }
  }
}

extension [RetainGraph.Edge] {
  /// Adds a reference, in place of one with the same label.
  fileprivate mutating func set(_ edge: Element) {
    if let index = firstIndex(where: { $0.reference.label == edge.reference.label }) {
      self[index] = edge
    } else {
      append(edge)
    }
  }

  /// Removes the reference of a label.
  ///
  /// - Returns: whether there was one.
  fileprivate mutating func remove(_ label: StringID) -> Bool {
    guard let index = firstIndex(where: { $0.reference.label == label }) else { return false }
    remove(at: index)
    return true
  }
}

extension Reference {
  /// Its two objects.
  fileprivate var ends: [(object: ObjectRef, end: Ends)] { [(from, .from), (to, .to)] }

  /// Marks its ends as tokens if they are among `tokens` and their kind is not stated.
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
