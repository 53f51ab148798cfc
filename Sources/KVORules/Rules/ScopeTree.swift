import KVOTrace

/// The open scopes of a log and the registrations that were made in each.
///
/// Scopes of parallel tests overlap; only the parent that a scope names makes it lie inside another.
/// Memory is bounded by the open scopes and the live registrations.
struct ScopeTree: Sendable {
  struct Ended: Sendable {
    var name: StringID
    var opened: Evidence?
    /// What was registered in the scope or in one inside it and has not ended, in no order.
    var members: [RegistrationID]
  }

  private struct Node: Sendable {
    var parent: ScopeID?
    var children: Set<ScopeID> = []
    var name: StringID = .none
    var opened: Evidence?
    var members: Set<RegistrationID> = []
  }

  private var nodes: [ScopeID: Node] = [:]
  /// The parents of scopes that ended: a task may outlive its scope and register in it.
  private var parentsOfEnded = BoundedMap<ScopeID, ScopeID>(capacity: 4_096)

  mutating func begin(_ scope: Scope, at evidence: Evidence) {
    nodes[scope.id, default: Node()].parent = scope.parent
    nodes[scope.id]?.name = scope.name
    nodes[scope.id]?.opened = evidence.as(.scope)
    if let parent = scope.parent, parent != scope.id {
      nodes[parent, default: Node()].children.insert(scope.id)
    }
  }

  /// Notes that `registration` was made in `scope`.
  ///
  /// - Returns: the scope that answers for it: the innermost open one around `scope`.
  mutating func enter(_ registration: RegistrationID, in scope: ScopeID) -> ScopeID {
    var answering = scope
    var steps = 0
    while nodes[answering] == nil, let parent = parentsOfEnded[answering], steps < 64 {
      answering = parent
      steps += 1
    }
    nodes[answering, default: Node()].members.insert(registration)
    return answering
  }

  mutating func leave(_ registration: RegistrationID, from scope: ScopeID) {
    nodes[scope]?.members.remove(registration)
  }

  func opened(_ scope: ScopeID) -> Evidence? { nodes[scope]?.opened }

  /// Ends `scope`, and takes the registrations of all scopes inside it: each is told of once.
  ///
  /// Complexity: O(scopes and registrations inside).
  mutating func end(_ scope: ScopeID) -> Ended {
    guard let node = nodes.removeValue(forKey: scope) else {
      return Ended(name: .none, opened: nil, members: [])
    }
    var members = Array(node.members)
    var seen: Set<ScopeID> = [scope]
    var inside = Array(node.children)
    while let next = inside.popLast() {
      guard seen.insert(next).inserted, let child = nodes[next] else { continue }
      members += child.members
      nodes[next]?.members = []
      inside += child.children
    }
    if let parent = node.parent, parent != scope {
      nodes[parent]?.children.remove(scope)
      parentsOfEnded[scope] = parent
      // What is still open inside belongs to the next scope around.
      for child in node.children where nodes[child] != nil {
        nodes[parent]?.children.insert(child)
        nodes[child]?.parent = parent
      }
    }
    return Ended(name: node.name, opened: node.opened, members: members)
  }
}
