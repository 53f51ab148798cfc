import KVORules
import KVOTrace

/// The violations that tests expect, by scope.
///
/// Memory is bounded: of more than a few thousand scopes the oldest are dropped.
///
/// Complexity: O(rules) for an expectation; O(enclosing scopes) for a query.
struct ScopeExpectedRules: Sendable {
  private static let depthLimit = 64

  private var rules = BoundedMap<ScopeTag, Set<UInt16>>(capacity: 4_096)
  private var parents = BoundedMap<ScopeTag, ScopeID>(capacity: 4_096)

  var isEmpty: Bool { rules.isEmpty }

  mutating func begin(_ scope: Scope) {
    if let parent = scope.parent { parents.set(scope.id, parent) }
  }

  mutating func expect(_ more: [UInt16], in scope: ScopeID) {
    rules.set(scope, (rules[scope] ?? []).union(more))
  }

  /// Whether a violation of `rule` is expected in `scope`, or in an enclosing one.
  func expects(_ rule: UInt16, in scope: ScopeID) -> Bool {
    var at: ScopeID? = scope
    for _ in 0..<Self.depthLimit {
      guard let here = at else { return false }
      if rules[here]?.contains(rule) == true { return true }
      at = parents[here]
    }
    return false
  }
}
