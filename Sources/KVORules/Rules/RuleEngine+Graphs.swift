import KVOTrace

// KVO019, KVO022 and KVO028: what is seen only in the whole.
extension RuleEngine {
  // MARK: - KVO019

  /// The walk of a thread is done: its cycles wait for somebody to break them.
  mutating func endWalk(_ place: Place) {
    for cycle in owned(cycles.endWalk(on: place.thread)) { cycles.add(cycle) }
  }

  mutating func judgeRetainCycles() {
    let walked = cycles.finish()
    let known = Set(walked.map { $0.edges.map(\.reference) })
    let held = owned(
      cycles.held.observationCycles().filter { !known.contains($0.map(\.reference)) }
    )
    for cycle in walked { judge(cycle, confidence: .high) }
    // What was held when the log was cut may have been dropped afterwards, or in what was lost.
    let isWhole = hasEnded && droppedAt == nil
    for cycle in held { judge(cycle, confidence: isWhole ? .high : .low) }
  }

  private mutating func judge(_ cycle: RetainCycles.Cycle, confidence: Confidence) {
    let references = cycle.edges.map(\.reference)
    // What the closure captures is what the programmer wrote.
    let capture = cycle.edges.first { $0.reference.from.kind == .closure } ?? cycle.edges.last
    guard let capture else { return }
    let proof =
      [capture.held.at(capture.reference.site).as(.failed)]
      + (cycle.registered.map { [$0] } ?? [])
    let isSuspected = references.contains { $0.certainty == .suspected }
    var verdict = Verdict(
      .observationRetainCycle,
      subject: cycle.registration?.subject,
      observer: cycle.registration?.observer,
      keyPath: cycle.registration?.keyPath ?? .none,
      context: cycle.registration?.context ?? .unspecified,
      registration: cycle.registration?.id,
      evidence: proof,
      detail: .cycle(references),
      confidence: confidence
    )
    if isSuspected {
      verdict.severity = .note
      verdict.confidence = .low
    }
    verdicts.append(verdict)
  }

  /// The cycles with the live observation that each is of.
  ///
  /// Complexity: O(registrations) where there is any cycle.
  private func owned(_ cycles: [[RetainGraph.Edge]]) -> [RetainCycles.Cycle] {
    if cycles.isEmpty { return [] }
    let objects = Set(cycles.joined().map(\.reference.from.id))
    /// The best slot of each object, the token's before the observer's before the subject's.
    var slots: [ObjectID: (rank: Int, event: Int, slot: Int)] = [:]
    for slot in ledger.slots.indices where ledger.isLive(slot) {
      let registration = ledger.slots[slot].registration
      let event = ledger.slots[slot].registered.event
      let parts = [registration.token?.id, registration.observer?.id, registration.subject.id]
      for (rank, part) in parts.enumerated() {
        guard let part, objects.contains(part) else { continue }
        if let known = slots[part], (known.rank, known.event) <= (rank, event) { continue }
        slots[part] = (rank, event, slot)
      }
    }
    return cycles.map { edges in
      let best = edges.compactMap { slots[$0.reference.from.id] }
        .min { ($0.rank, $0.event) < ($1.rank, $1.event) }
      return RetainCycles.Cycle(
        edges: edges,
        registration: best.map { ledger.slots[$0.slot].registration },
        registered: best.map { ledger.slots[$0.slot].registered }
      )
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
      verdicts.append(
        Verdict(
          .dependencyCycle,
          subject: nil,
          keyPath: circle.keys.first ?? .none,
          evidence: circle.declared.prefix(1).map { $0.as(.failed) },
          detail: .dependencies(className: circle.className, keys: circle.keys)
        )
      )
    }
  }
}
