/// One row of a report: what is measured, and what it is held to.
package struct Row: Sendable {
  /// What a row is to the others.
  package enum Kind: String, Sendable {
    /// What the others are divided by.
    case bound = "lower bound"
    case ours
    case peer
    /// Neither held to a target nor compared.
    case information
  }

  /// A ratio to reach.
  package enum Target: Hashable, Sendable {
    /// At most `times` the CPU time of the row `id`.
    case atMost(_ times: Double, of: String)
    /// The row `id` takes at least `times` as much.
    case faster(_ times: Double, than: String)
  }

  /// How instructions are counted.
  package enum Counting: Hashable, Sendable {
    case none
    /// By the difference of runs of `operations` and of twice as many.
    case perOperation(_ operations: Int)
    /// All of a run from start to end, divided by its operations.
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
  /// In how many rounds it runs at the most, for a row that takes seconds; nil: in all.
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
