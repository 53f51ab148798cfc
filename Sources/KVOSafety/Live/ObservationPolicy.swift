/// What the layer does about the faults that it meets, rule by rule.
///
/// Whatever is done, the fault is contained first: the removal that matches nothing is swallowed, the
/// dead observer is not called.
public struct ObservationPolicy: Sendable {
  /// What is done about a fault.
  public enum Reaction: Sendable {
    /// The fault is written to standard error, once per place; the default.
    case report
    /// The fault is written to standard error, and the process ends.
    case trap
    /// Nothing is written. A log has it all the same.
    case ignore
    /// The closure is called, on the thread of the fault, with no lock held. Nothing is written.
    case call(@Sendable (_ violation: ObservationViolation) -> Void)
  }

  private var reactions: [LiveRule: Reaction] = [:]

  /// What is done about faults of `rule`.
  public subscript(rule: LiveRule) -> Reaction {
    get { reactions[rule] ?? .report }
    set { reactions[rule] = newValue }
  }

  /// Sets the same reaction for every rule.
  public mutating func setAll(_ reaction: Reaction) {
    for rule in LiveRule.allCases { reactions[rule] = reaction }
  }
}

/// A fault that the layer met while the program ran.
public struct ObservationViolation: Hashable, Sendable {
  /// The rule that was broken.
  public let rule: LiveRule
  /// What happened, in one sentence.
  public let message: String
  /// The whole report as text, with stacks as addresses.
  public let report: String
  /// What tells the fault from others in every run, as tests, logs and suppressions have it: `2:` and
  /// hexadecimal digits.
  public let signature: String
}
