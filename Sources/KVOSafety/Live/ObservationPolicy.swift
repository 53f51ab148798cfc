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
    /// The closure is called, on the thread of the fault, with no lock of the layer held. Nothing is written.
    case call(@Sendable (_ violation: ObservationViolation) -> Void)
  }

  /// What becomes of a notification whose change was made elsewhere than on the actor that its registration
  /// expects, after it was reported (KVO023).
  ///
  /// The actor is the one whose code registered: a handler that was written there reads what the actor isolates,
  /// and would race it, or end the process, where it is called elsewhere. To be called wherever changes are made,
  /// register with ``KeyValueObservable/observeOnAnyThread(_:options:expectedToLive:fileID:line:function:handler:)``,
  /// or with `isolation: nil`.
  public enum OffExecutorDelivery: Hashable, Sendable {
    /// The observer is called on its actor, late: the changing statement does not wait. The default.
    ///
    /// No change is lost, and the last one comes last. What was removed meanwhile, or has died, is not called.
    /// The object and the values are handed over as they are; the object may have changed again.
    case hop
    /// The observer is not called.
    case skip
  }

  /// What becomes of a notification on another executor than expected, unless the process ends:
  /// `policy[.offExecutorDelivery] = .trap`.
  public var offExecutorDelivery = OffExecutorDelivery.hop

  private var reactions: [LiveRule: Reaction] = [:]

  /// Whether the second of two equal registrations is left out; false unless it is set.
  ///
  /// For code that was written for `FBKVOController`, or with a guard that drops duplicates. Registrations
  /// are equal that one observer makes with ``KeyValueObservable/addObserver(_:forKeyPath:options:context:expectedToLive:isolation:fileID:line:function:)``,
  /// or one controller, of the same key path under the same context. Both places are reported all the same.
  /// The second delivers nothing, its initial notification included; a removal by name that stands for it
  /// ends nothing, so that as many removals as additions are still right. Tokens and streams are never
  /// left out. What was registered before it is set stays.
  public var coalescesDuplicates = false

  /// The policy that reports every fault, which is also the default.
  ///
  /// `KVO.policy = ObservationPolicy()` takes back what was set.
  public init() {}

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
