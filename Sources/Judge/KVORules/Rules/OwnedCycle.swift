package import KVOTrace

/// A retain cycle, and its observation.
package struct OwnedCycle: Sendable {
  package var edges: [RetainGraph.Edge]
  /// The observation, in the ledger of that time; nil: unknown.
  package var registration: Registration?
  package var registered: Evidence?
  /// Whether it was reported when it was seen, because a test asserted that there is none.
  package var isReported = false

  package init(
    edges: [RetainGraph.Edge],
    registration: Registration? = nil,
    registered: Evidence? = nil
  ) {
    self.edges = edges
    self.registration = registration
    self.registered = registered
  }
}
