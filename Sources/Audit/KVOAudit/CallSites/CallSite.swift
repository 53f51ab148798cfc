package import KVOReplay
package import KVORules

/// A call site that makes registrations of one kind: a line, or a stack, and the observed key path.
package struct CallSite: Hashable, Sendable {
  /// The class of the observed objects.
  package var subject: String
  package var keyPath: String
  /// The class of the observers, or nil in the token form without one.
  package var observer: String?
  /// Where they were made, innermost frame first.
  ///
  /// Has no event and no thread, and addresses only if there are no symbols.
  package var stack: Finding.Stack

  package init(subject: String, keyPath: String, observer: String?, stack: Finding.Stack) {
    self.subject = subject
    self.keyPath = keyPath
    self.observer = observer
    self.stack = stack
    self.stack.event = 0
    self.stack.thread = nil
    self.stack.threadName = nil
    // The same code has different addresses in another process.
    for index in stack.frames.indices where stack.frames[index].symbol != nil {
      self.stack.frames[index].address = nil
    }
  }

  /// `Screen.swift:12`, a function or an address; nil: not recorded.
  package var location: String? { stack.location }
}

/// How many registrations were made at one call site.
package struct CallSiteCount: Hashable, Sendable {
  package var site: CallSite
  /// How many were made.
  package var madeCount: Int
  /// How many are live at the ends of the processes.
  package var liveCount: Int

  package init(site: CallSite, madeCount: Int = 0, liveCount: Int = 0) {
    self.site = site
    self.madeCount = madeCount
    self.liveCount = liveCount
  }

  /// The commonest first, then by names.
  package static func isBefore(_ left: CallSiteCount, _ right: CallSiteCount) -> Bool {
    if left.madeCount != right.madeCount { return left.madeCount > right.madeCount }
    if left.liveCount != right.liveCount { return left.liveCount > right.liveCount }
    let (one, other) = (left.site, right.site)
    let names = [one, other].map { [$0.subject, $0.keyPath, $0.observer ?? "", $0.location ?? ""] }
    if names[0] != names[1] { return names[0].lexicographicallyPrecedes(names[1]) }
    let symbols = [one, other].map { $0.stack.frames.map { $0.symbol ?? "" } }
    return symbols[0].lexicographicallyPrecedes(symbols[1])
  }
}

/// The registrations that runs of a scope left live, made at one call site (KVO022).
package struct ScopeGrowthRow: Hashable, Sendable {
  /// The index of the input.
  package var input: Int
  package var scope: String
  /// How often the scope was run.
  package var runCount: Int
  package var site: CallSite
  /// How many were live at the ends of runs; thinned out if there were many runs.
  package var points: [RunSeries.Point]
  /// Whether each run, from the first that left one live, left more.
  package var isGrowing: Bool

  init(
    input: Int,
    scope: String,
    runCount: Int,
    site: CallSite,
    points: [RunSeries.Point],
    isGrowing: Bool
  ) {
    self.input = input
    self.scope = scope
    self.runCount = runCount
    self.site = site
    self.points = points
    self.isGrowing = isGrowing
  }
}
