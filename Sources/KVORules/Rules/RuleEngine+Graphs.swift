import KVOTrace

// KVO019, KVO022 and KVO028: what is seen only in the whole.
extension RuleEngine {
  // MARK: - KVO019

  /// The walk of a thread is done: its cycles wait for somebody to break them, unless it was asserted that
  /// there are none.
  mutating func endWalk(
    isComplete: Bool,
    isAsserted: Bool,
    _ evidence: Evidence,
    _ place: Place
  ) {
    seen.insert(.reference)
    if !isComplete, incompleteWalk == nil { incompleteWalk = evidence.event }
    let tokens = cycles.walkHasUnsaidKinds(on: place.thread) ? liveTokens : []
    let found = cycles.endWalk(on: place.thread, tokens: tokens, isAsserted: isAsserted)
    for var cycle in owned(found) {
      if isAsserted {
        cycle.isReported = true
        verdicts.append(.retainCycle(cycle, confidence: .high, isWhole: isWhole(cycle)))
      }
      cycles.add(cycle)
    }
  }

  mutating func judgeRetainCycles() {
    let walked = cycles.finish()
    let known = Set(walked.map { $0.edges.map(\.reference) })
    let held = owned(
      cycles.held.observationCycles(tokens: cycles.held.hasUnsaidKinds ? liveTokens : []).filter {
        !known.contains($0.map(\.reference))
      }
    )
    verdicts += walked.filter { !$0.isReported }
      .map { .retainCycle($0, confidence: .high, isWhole: isWhole($0)) }
    // What was held when the log was cut may have been dropped afterwards, or in what was lost.
    verdicts += held.map {
      .retainCycle(
        $0,
        confidence: hasEnded ? .high : .low,
        isWhole: droppedAt == nil && isWhole($0)
      )
    }
  }

  /// The tokens of live registrations.
  ///
  /// Complexity: O(registrations).
  private var liveTokens: Set<ObjectID> {
    Set(
      ledger.slots.indices.lazy.filter { ledger.isLive($0) }
        .compactMap { ledger.slots[$0].registration.token?.id }
    )
  }

  /// The cycles with the live observation that each is of.
  ///
  /// Complexity: O(registrations) where there is any cycle.
  private func owned(_ cycles: [[RetainGraph.Edge]]) -> [RetainCycles.Cycle] {
    if cycles.isEmpty { return [] }
    var owners = CycleOwners(of: cycles)
    for slot in ledger.slots.indices where ledger.isLive(slot) {
      let registered = ledger.slots[slot].registered
      owners.consider(
        CycleOwners.Candidate(
          registration: ledger.slots[slot].registration,
          registered: registered,
          age: UInt64(registered.event)
        )
      )
    }
    return cycles.map { edges in
      edges.map(\.reference).hasObservation
        ? owners.owned(edges) : RetainCycles.Cycle(edges: edges)
    }
  }

  // MARK: - KVO022

  mutating func judgeGrowth() {
    guard droppedAt == nil else { return }
    for group in growth.finish() {
      verdicts.append(
        Verdict(
          .registrationGrowth,
          of: group.registration,
          [group.ended.as(.failed), group.registered],
          .growth(scope: group.scope, runCount: group.riseCount, counts: group.counts),
          confidence: .high
        )
      )
    }
  }

  // MARK: - KVO028

  mutating func judgeDependencies() {
    if dependencies.isEmpty { return }
    for circle in dependencies.circles() {
      var verdict = Verdict(
        .dependencyCycle,
        subject: nil,
        keyPath: circle.keys.first ?? .none,
        evidence: circle.declared.prefix(1).map { $0.as(.failed) },
        detail: .dependencies(className: circle.className, keys: circle.keys)
      )
      if mayBeOutdated(circle.declared) { (verdict.severity, verdict.confidence) = (.note, .low) }
      verdicts.append(verdict)
    }
  }
}
