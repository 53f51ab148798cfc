internal import KVORules

/// The expectations of an audited scope, and the conditions of its failure.
public struct ScopeExpectations: Sendable {
  /// The minimum severity of a violation that fails the scope.
  public enum Threshold: Sendable {
    /// Only errors.
    case error
    /// Warnings as well.
    case warning
    /// Everything, notes too.
    case note

    var severity: Severity {
      switch self {
      case .error: .error
      case .warning: .warning
      case .note: .note
      }
    }
  }

  /// Expected violations: they do not fail the scope, but their absence does.
  public var expected: Set<ObservationRule>
  /// Whether a scope in which nothing was observed passes.
  ///
  /// Otherwise it fails: it proves nothing.
  public var allowsNoObservations: Bool
  /// The minimum severity of a violation that fails the scope.
  public var threshold: Threshold
  /// Whether references are followed from the observations that are live when the scope ends, to find
  /// those that keep themselves alive (KVO019).
  ///
  /// No other thread may change the objects that these observations hold during that: pass false for a test that leaves
  /// threads or tasks working on them.
  public var findsRetainCycles: Bool

  /// Expectations of a scope; without arguments: something is observed, and there are no violations.
  public init(
    expected: Set<ObservationRule> = [],
    allowsNoObservations: Bool = false,
    threshold: Threshold = .warning,
    findsRetainCycles: Bool = true
  ) {
    self.expected = expected
    self.allowsNoObservations = allowsNoObservations
    self.threshold = threshold
    self.findsRetainCycles = findsRetainCycles
  }

  /// Combines both: everything that either expects, as lenient as the more lenient of the two.
  func merged(with other: ScopeExpectations) -> ScopeExpectations {
    ScopeExpectations(
      expected: expected.union(other.expected),
      allowsNoObservations: allowsNoObservations || other.allowsNoObservations,
      threshold: threshold.severity > other.threshold.severity ? threshold : other.threshold,
      findsRetainCycles: findsRetainCycles && other.findsRetainCycles
    )
  }
}
