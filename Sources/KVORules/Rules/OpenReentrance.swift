/// A chain of callbacks that is too deep, until it is known whether it ends (KVO027).
struct OpenReentrance: Sendable {
  /// The place of its thread.
  var thread: Int
  /// How many callbacks the thread is in while the chain is too deep.
  var depth: Int
  var verdict: Verdict
}

extension RuleEngine {
  /// The thread has left callbacks: chains that are no longer too deep have ended by themselves.
  mutating func settleReentrances(of thread: Int) {
    let depth = threads[thread].callbacks.count
    for place in reentrances.indices.reversed()
    where reentrances[place].thread == thread && reentrances[place].depth > depth {
      verdicts.append(reentrances.remove(at: place).verdict)
    }
  }

  /// The log is at its end: a chain that a program neither left nor exited in did not end.
  mutating func finishReentrances() {
    for var open in reentrances {
      if !hasEnded, case .depth(let depth) = open.verdict.detail {
        open.verdict.detail = .endlessDepth(depth)
      }
      verdicts.append(open.verdict)
    }
    reentrances = []
  }
}
