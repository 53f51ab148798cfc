import KVORules
import KVOTrace

/// The open scopes of a log and the registrations that were made in each.
///
/// Scopes of parallel tests overlap; only the parent that a scope names makes it lie inside another.
/// Memory is bounded by the open scopes and the live registrations.
struct ScopeTree: Sendable {
  struct Ended: Sendable {
    var name: StringID
    var opened: Evidence?
    /// The live registrations of the scope and its inner scopes, in no particular order.
    ///
    /// Slots of the ledger.
    var members: [Int]
  }

  private struct Node: Sendable {
    var parent: ScopeID?
    var children: Set<ScopeID> = []
    var name: StringID = .none
    var opened: Evidence?
    /// The slot that was added last; -1: none.
    var newest: Int32 = -1
  }

  /// The position of a registration among those of the scope that is responsible for it.
  private struct Member: Sendable {
    /// Nil: no scope is responsible for it any longer.
    var scope: ScopeID?
    var older: Int32 = -1
    var newer: Int32 = -1
  }

  private var nodes: [ScopeID: Node] = [:]
  /// One for each slot of the ledger.
  private var members: [Member] = []
  /// The parents of scopes that ended: a task may outlive its scope and register in it.
  private var parentsOfEnded = BoundedMap<ScopeTag, ScopeID>(capacity: 4_096)

  mutating func begin(_ scope: Scope, at evidence: Evidence) {
    nodes[scope.id, default: Node()].parent = scope.parent
    nodes[scope.id]?.name = scope.name
    nodes[scope.id]?.opened = evidence.as(.scope)
    if let parent = scope.parent, parent != scope.id {
      nodes[parent, default: Node()].children.insert(scope.id)
    }
  }

  /// Notes that the registration at `slot` was made in `scope`: the innermost open enclosing scope is responsible for
  /// it.
  mutating func enter(_ slot: Int, in scope: ScopeID) {
    var answering = scope
    var steps = 0
    while nodes[answering] == nil, let parent = parentsOfEnded[answering], steps < 64 {
      answering = parent
      steps += 1
    }
    while members.count <= slot { members.append(Member()) }
    let older = nodes[answering, default: Node()].newest
    nodes[answering, default: Node()].newest = Int32(slot)
    members[slot] = Member(scope: answering, older: older)
    if older >= 0 { members[Int(older)].newer = Int32(slot) }
  }

  /// The registration at `slot`, which belongs to a scope, has ended.
  mutating func leave(_ slot: Int) {
    guard let scope = members[slot].scope else { return }
    let member = members[slot]
    members[slot].scope = nil
    if member.older >= 0 { members[Int(member.older)].newer = member.newer }
    if member.newer >= 0 {
      members[Int(member.newer)].older = member.older
    } else {
      nodes[scope]?.newest = member.older
    }
  }

  /// What the scope is called; none if it is not open.
  func name(of scope: ScopeID) -> StringID { nodes[scope]?.name ?? .none }

  func isOpen(_ scope: ScopeID) -> Bool { nodes[scope] != nil }

  func opened(_ scope: ScopeID) -> Evidence? { nodes[scope]?.opened }

  /// Ends `scope`, and removes and returns the registrations of all scopes inside it: each is reported once.
  ///
  /// Complexity: O(scopes and registrations inside).
  mutating func end(_ scope: ScopeID) -> Ended {
    guard let node = nodes.removeValue(forKey: scope) else {
      return Ended(name: .none, opened: nil, members: [])
    }
    var members: [Int] = []
    take(from: node.newest, into: &members)
    var seen: Set<ScopeID> = [scope]
    var inside = Array(node.children)
    while let next = inside.popLast() {
      guard seen.insert(next).inserted, let child = nodes[next] else { continue }
      take(from: child.newest, into: &members)
      nodes[next]?.newest = -1
      inside += child.children
    }
    if let parent = node.parent, parent != scope {
      nodes[parent]?.children.remove(scope)
      parentsOfEnded.set(scope, parent)
      // Inner scopes that are still open belong to the next enclosing scope.
      for child in node.children where nodes[child] != nil {
        nodes[parent]?.children.insert(child)
        nodes[child]?.parent = parent
      }
    }
    return Ended(name: node.name, opened: node.opened, members: members)
  }

  /// Removes `newest` and all that were added before it from their scope.
  private mutating func take(from newest: Int32, into taken: inout [Int]) {
    var at = Int(newest)
    while at >= 0 {
      taken.append(at)
      members[at].scope = nil
      at = Int(members[at].older)
    }
  }
}
