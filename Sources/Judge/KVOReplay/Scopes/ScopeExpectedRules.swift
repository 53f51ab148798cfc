import KVORules
import KVOTrace

/// The violations that tests expect, by scope.
///
/// Memory is bounded: of more than a few thousand scopes and objects the oldest are dropped.
///
/// Complexity: O(rules) for an expectation; O(enclosing scopes) for a query, and for a use of an object.
struct ScopeExpectedRules: Sendable {
  private static let depthLimit = 64
  private static let eventLimit = 4_096
  private static let userLimit = 16

  private var rules = BoundedMap<ScopeTag, Set<UInt16>>(capacity: 4_096)
  private var parents = BoundedMap<ScopeTag, ScopeID>(capacity: 4_096)

  /// The scopes of events that may prove a violation at the end of the log, by number; the first ones.
  private var scopes: [Int: ScopeID] = [:]

  /// The scopes that expect violations, by object that was used in them or inside them; the newest ones.
  private var users = BoundedMap<ObjectTag, [ScopeID]>(capacity: 4_096)

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

  /// An observation of `object` was added or removed, or refused, in `scope`.
  mutating func note(_ object: ObjectID, in scope: ScopeID) {
    var scopes = users[object] ?? []
    for user in enclosing(scope) where rules[user] != nil && !scopes.contains(user) {
      scopes.append(user)
    }
    if !scopes.isEmpty { users.set(object, scopes.suffix(Self.userLimit)) }
  }

  /// The scopes that expect violations and used an object of `verdict`.
  func users(of verdict: Verdict) -> [ScopeID] {
    [verdict.subject, verdict.observer].flatMap { $0.flatMap { users[$0.id] } ?? [] }
  }

  /// Whether `scope` expects violations, and used `object`.
  func usesObject(_ object: ObjectID, _ scope: ScopeID) -> Bool {
    users[object]?.contains(scope) == true
  }

  /// The scope of the newest of `evidence`, if that was noted.
  func scope(of evidence: [Evidence]) -> ScopeID? {
    evidence.max { $0.event < $1.event }.flatMap { scopes[$0.event] }
  }

  /// Whether a violation of `rule` is expected in `scope`, or in an enclosing one.
  func expects(_ rule: UInt16, in scope: ScopeID) -> Bool {
    enclosing(scope).contains { rules[$0]?.contains(rule) == true }
  }

  /// `scope`, and those that enclose it, innermost first.
  private func enclosing(_ scope: ScopeID) -> some Sequence<ScopeID> {
    sequence(first: scope) { parents[$0] }.prefix(Self.depthLimit)
  }
}
