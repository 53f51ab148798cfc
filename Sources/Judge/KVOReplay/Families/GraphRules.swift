import KVORules
import KVOTrace

/// Faults that only the whole log shows: retain cycles, and keys that depend on each other (KVO019, KVO028, KVO029 and
/// KVO040).
///
/// Needs references and walks, the declarations of keys, the ends of registrations, and deallocations.
struct GraphRules: Sendable {
  private var cycles = RetainCycles()
  /// The end of the first walk that could not inspect everything.
  private(set) var incompleteWalk: Int?

  var count: Int { cycles.count }

  mutating func hold(_ reference: Reference, _ evidence: Evidence, _ thread: Int) {
    cycles.hold(reference, on: thread, at: evidence)
  }

  mutating func drop(_ reference: Reference) { cycles.drop(reference) }

  mutating func beginWalk(_ thread: Int) { cycles.beginWalk(on: thread) }

  /// The registration at `slot` ended, and released its closure.
  @inline(__always)
  mutating func end(of slot: Int, _ log: inout ReplayState) {
    if !cycles.isEmpty, let id = log.ledger.slots[slot].registration.id {
      cycles.end(id, token: log.ledger.slots[slot].registration.token?.id)
    }
  }

  /// The object was deallocated.
  mutating func forget(_ object: ObjectID) { cycles.forget(object) }

  /// Events are missing, which may have included the ends of all walks.
  mutating func lose() { cycles.forgetWalks() }

  mutating func finish(_ log: inout ReplayState) {
    judgeRetainCycles(&log)
    judgeDependencies(&log)
  }

  // MARK: - KVO019

  /// The walk of a thread is done: its cycles are held back in case they are broken, unless it was asserted that there
  /// are none.
  mutating func endWalk(
    isComplete: Bool,
    isAsserted: Bool,
    _ evidence: Evidence,
    _ target: EventTarget,
    _ log: inout ReplayState
  ) {
    log.seen.insert(.reference)
    if !isComplete, incompleteWalk == nil { incompleteWalk = evidence.event }
    let tokens = cycles.walkHasUnsaidKinds(on: target.thread) ? log.liveTokens : []
    let found = cycles.endWalk(on: target.thread, tokens: tokens, isAsserted: isAsserted)
    for var cycle in Self.owned(found, &log) {
      if isAsserted {
        cycle.isReported = true
        log.verdicts.append(.retainCycle(cycle, confidence: .high, isWhole: log.isWhole(cycle)))
      }
      cycles.add(cycle)
    }
  }

  private mutating func judgeRetainCycles(_ log: inout ReplayState) {
    let walked = cycles.finish()
    let known = Set(walked.map { $0.edges.map(\.reference) })
    let held = Self.owned(
      cycles.held.observationCycles(tokens: cycles.held.hasUnsaidKinds ? log.liveTokens : []).filter
      {
        !known.contains($0.map(\.reference))
      },
      &log
    )
    log.verdicts += walked.filter { !$0.isReported }
      .map { .retainCycle($0, confidence: .high, isWhole: log.isWhole($0)) }
    // References that were held when the log was truncated may have been dropped afterwards, or in a loss.
    log.verdicts += held.map {
      .retainCycle(
        $0,
        confidence: log.hasEnded ? .high : .low,
        isWhole: log.droppedAt == nil && log.isWhole($0)
      )
    }
  }

  /// The cycles, each with its live observation.
  ///
  /// Complexity: O(registrations) if there is any cycle.
  private static func owned(
    _ cycles: [[RetainGraph.Edge]],
    _ log: inout ReplayState
  ) -> [OwnedCycle] {
    if cycles.isEmpty { return [] }
    var owners = CycleOwners(of: cycles)
    for slot in log.ledger.slots.indices where log.ledger.isLive(slot) {
      let registered = log.ledger.slots[slot].registered
      owners.consider(
        CycleOwners.Candidate(
          registration: log.ledger.slots[slot].registration,
          registered: registered,
          age: UInt64(registered.event)
        )
      )
    }
    return cycles.map { edges in
      edges.map(\.reference).hasObservation
        ? owners.owned(edges) : OwnedCycle(edges: edges)
    }
  }

  // MARK: - KVO028

  private mutating func judgeDependencies(_ log: inout ReplayState) {
    if log.dependencies.isEmpty { return }
    for cycle in log.dependencies.cycles() {
      var verdict = Verdict(
        .dependencyCycle,
        subject: nil,
        keyPath: cycle.keys.first ?? .none,
        evidence: cycle.declared.prefix(1).map { $0.as(.failed) },
        detail: .dependencies(className: cycle.className, keys: cycle.keys)
      )
      if log.mayBeOutdated(cycle.declared) {
        (verdict.severity, verdict.confidence) = (.note, .low)
      }
      log.verdicts.append(verdict)
    }
  }

  // MARK: - KVO029 and KVO040

  /// KVO029 and KVO040, if a class has a problem with a key; otherwise a declaration for KVO028.
  mutating func declare(_ key: KeyDeclaration, _ evidence: Evidence, _ log: inout ReplayState) {
    guard let problem = key.problem else {
      log.seen.insert(.declaration)
      var key = key
      key.className = log.classNames.observed(key.className)
      key.superclass = log.classNames.observed(key.superclass)
      log.dependencies.declare(key, at: evidence)
      return
    }
    var verdict = Verdict(
      problem == .noAccessor ? .uncompliantPath : .ignoredDependency,
      subject: nil,
      keyPath: key.key,
      evidence: [evidence],
      detail: .problem(problem, className: key.className)
    )
    // It was not refused: the only effect is that no observer is notified.
    if problem == .noAccessor { verdict.severity = .warning }
    log.verdicts.append(verdict)
  }
}
