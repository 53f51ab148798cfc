import KVORules
import KVOTrace

/// The violations that tests expect, by scope.
///
/// Memory is bounded: of more than a few thousand scopes the oldest are dropped.
///
/// Complexity: O(rules) for an expectation; O(enclosing scopes) for a query.
struct ScopeExpectedRules: Sendable {
  private static let depthLimit = 64
  private static let eventLimit = 4_096

  private var rules = BoundedMap<ScopeTag, Set<UInt16>>(capacity: 4_096)
  private var parents = BoundedMap<ScopeTag, ScopeID>(capacity: 4_096)

  /// The scopes of events that may prove a violation at the end of the log, by number; the first ones.
  private var scopes: [Int: ScopeID] = [:]

  var isEmpty: Bool { rules.isEmpty }

  mutating func begin(_ scope: Scope) {
    if let parent = scope.parent { parents.set(scope.id, parent) }
  }

  mutating func expect(_ more: [UInt16], in scope: ScopeID) {
    rules.set(scope, (rules[scope] ?? []).union(more))
  }

  /// The event with the number `event` may prove a violation at the end of the log.
  mutating func note(_ event: Int, in scope: ScopeID) {
    if scopes.count < Self.eventLimit { scopes[event] = scope }
  }

  /// The scope of the newest of `evidence`, if that was noted.
  func scope(of evidence: [Evidence]) -> ScopeID? {
    evidence.max { $0.event < $1.event }.flatMap { scopes[$0.event] }
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
