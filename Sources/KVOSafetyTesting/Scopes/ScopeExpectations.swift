internal import KVORules

/// What an audited scope should show, and what makes it fail.
public struct ScopeExpectations: Sendable {
  /// How bad a violation must be to fail the scope.
  public enum Threshold: Sendable {
    /// Errors alone.
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

  /// Violations that are meant: they do not fail the scope, their absence does.
  public var expected: Set<ObservationRule>
  /// Whether a scope in which nothing was observed passes.
  ///
  /// Otherwise it fails: it proves nothing.
  public var allowsNoObservations: Bool
  /// How bad a violation must be to fail the scope.
  public var threshold: Threshold
  /// Whether references are followed from the observations that are live when the scope ends, to find
  /// those that keep themselves alive (KVO019).
  ///
  /// No other thread may change what these observations hold meanwhile: say false for a test that leaves
  /// threads or tasks at work on it.
  public var findsRetainCycles: Bool

  /// What a scope should show; without arguments: something is observed, and nothing is wrong.
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

  /// Both together: everything that either expects, as lenient as the more lenient of the two.
  func merged(with other: ScopeExpectations) -> ScopeExpectations {
    ScopeExpectations(
      expected: expected.union(other.expected),
      allowsNoObservations: allowsNoObservations || other.allowsNoObservations,
      threshold: threshold.severity > other.threshold.severity ? threshold : other.threshold,
      findsRetainCycles: findsRetainCycles && other.findsRetainCycles
    )
  }
}
