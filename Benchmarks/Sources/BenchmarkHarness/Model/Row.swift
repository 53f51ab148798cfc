/// One row of a report: what is measured, and its target.
package struct Row: Sendable {
  /// The relation of a row to the others.
  package enum Kind: String, Sendable {
    /// The row by which the others are divided.
    case bound = "lower bound"
    case ours
    case peer
    /// Without target and comparison.
    case information
  }

  /// A ratio or a difference to reach.
  package enum Target: Hashable, Sendable {
    /// At most `times` the CPU time of the row `id`.
    case atMost(_ times: Double, of: String)
    /// The row `id` takes at least `times` as much.
    case faster(_ times: Double, than: String)
    /// At most `nanoseconds` more than the row `id`.
    case adding(atMost: Double, to: String)
  }

  /// The method of counting instructions.
  package enum Counting: Hashable, Sendable {
    case none
    /// The difference between runs of `operations` and of twice as many.
    case perOperation(_ operations: Int)
    /// All instructions of a run from start to end, divided by its operations.
    case wholeRun
  }

  /// Unique in its suite.
  package var id: String
  package var title: String
  package var kind: Kind
  package var workload: Workload
  package var requirements: [Requirement]
  package var target: Target?
  package var counting: Counting
  /// The maximum number of rounds, for a row that takes seconds; nil: all.
  package var roundLimit: Int?

  package init(
    _ id: String,
    _ title: String,
    _ kind: Kind,
    _ workload: Workload,
    requirements: [Requirement] = [],
    target: Target? = nil,
    counting: Counting = .none,
    roundLimit: Int? = nil
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.workload = workload
    self.requirements = requirements
    self.target = target
    self.counting = counting
    self.roundLimit = roundLimit
  }
}
