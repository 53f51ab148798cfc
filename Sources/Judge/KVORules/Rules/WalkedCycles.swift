package import KVOTrace

/// Judges the result of one walk of a running process, as a replay judges that walk's events in a log (KVO019).
///
/// Only the log has the later fate of the cycles: a replay withdraws broken ones.
package struct WalkedCycles: Sendable {
  private var graph = RetainGraph()
  private var count = 0

  package init() {}

  /// Adds a reference, in the order of the log.
  ///
  /// - Parameters:
  ///   - reference: the reference.
  ///   - stack: where the reference was created, if that is known.
  ///   - thread: the thread that walks.
  package mutating func hold(_ reference: Reference, stack: StackID, thread: ThreadID?) {
    count += 1
    let evidence = Evidence(role: .failed, event: count, thread: thread, stack: stack)
    graph.hold(reference, at: evidence)
  }

  /// The verdicts.
  ///
  /// - Parameter registrations: the live registrations, each with the location of its addition.
  /// - Returns: a verdict for each cycle.
  package func verdicts(
    among registrations: [(registration: Registration, registered: Evidence)]
  ) -> [Verdict] {
    let cycles = graph.observationCycles()
    var owners = CycleOwners(of: cycles)
    for (registration, registered) in registrations {
      owners.consider(
        CycleOwners.Candidate(
          registration: registration,
          registered: registered,
          age: registration.id?.rawValue ?? 0
        )
      )
    }
    return cycles.map { edges in
      var verdict = Verdict.retainCycle(owners.owned(edges), confidence: .high, isWhole: true)
      // Only events in logs have numbers.
      for index in verdict.evidence.indices { verdict.evidence[index].event = 0 }
      return verdict
    }
  }
}
