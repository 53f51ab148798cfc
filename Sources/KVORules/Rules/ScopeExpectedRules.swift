import KVOTrace

/// The violations that tests say are meant, by scope.
///
/// Memory is bounded: of more than a few thousand scopes the oldest are forgotten.
///
/// Complexity: O(rules) for what a scope says; O(scopes around) for a question.
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

  /// Whether a violation of `rule` is meant in `scope`, or in one around it.
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

extension RuleEngine {
  /// The scope that answers for what `event` shows: its own, or the one that it ends.
  func scope(of event: UnsafePointer<Event>, _ place: Place) -> ScopeID? {
    if case .scopeEnd(let scope) = event.pointee.body { return scope }
    return place.scope
  }

  /// Says of the new verdicts which of them a test means.
  ///
  /// A verdict is of the scope of its event, or else of the one that its registration was made in: what a
  /// test observes may fail on a thread without a scope.
  mutating func markExpected(in scope: ScopeID?) {
    for place in verdicts.indices {
      guard let number = verdicts[place].code.number else { continue }
      let slot = verdicts[place].registration.map { ledger.slot(of: $0) } ?? -1
      let scopes = [scope, slot >= 0 ? origins[slot].scope : nil].compactMap(\.self)
      verdicts[place].isExpected = scopes.contains { expectations.expects(number, in: $0) }
    }
  }
}

extension RuleCode {
  /// The number in the code.
  fileprivate var number: UInt16? { UInt16(rawValue.dropFirst(3)) }
}
