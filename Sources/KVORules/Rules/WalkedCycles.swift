package import KVOTrace

/// Judges what one walk of a running process saw, as a replay judges the bracket of it in a log (KVO019).
///
/// What happens to the cycles later only the log tells: a replay takes back what was broken.
package struct WalkedCycles: Sendable {
  private var graph = RetainGraph()
  private var count = 0

  package init() {}

  /// Takes in a reference, in the order of the log.
  ///
  /// - Parameters:
  ///   - reference: what was seen.
  ///   - stack: where the reference came to be, where that is known.
  ///   - thread: who walks.
  package mutating func hold(_ reference: Reference, stack: StackID, thread: ThreadID?) {
    count += 1
    let evidence = Evidence(role: .failed, event: count, thread: thread, stack: stack)
    graph.hold(reference, at: evidence)
  }

  /// What is wrong.
  ///
  /// - Parameter registrations: what is live, each with where it was made.
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
      // Events have numbers in logs alone.
      for place in verdict.evidence.indices { verdict.evidence[place].event = 0 }
      return verdict
    }
  }
}
