package import KVORules

/// The library's reactions to faults, rule by rule.
///
/// With any reaction, the fault is contained first: a removal that matches nothing is ignored, a deallocated observer
/// is not called.
public struct ObservationPolicy: Sendable {
  /// The reaction to a fault.
  public enum Reaction: Sendable {
    /// The fault is written to standard error, once per call site; the default.
    case report
    /// The fault is written to standard error, and the process ends.
    case trap
    /// Nothing is written. It is still in the log.
    case ignore
    /// The closure is called, on the thread of the fault, with no lock of the library held. Nothing
    /// is written.
    case call(@Sendable (_ violation: ObservationViolation) -> Void)
  }

  /// The handling of a notification whose change was not made on the actor that its registration expects, after it was
  /// reported (KVO023).
  ///
  /// It is the actor whose code made the registration: a handler written there reads state that the actor isolates, and
  /// would race, or end the process, if it were called elsewhere. To be called wherever changes are made, register with
  /// ``KeyValueObservable/observeOnAnyThread(_:options:expectedToLive:fileID:line:function:handler:)``, or with
  /// `isolation: nil`.
  public enum OffExecutorDelivery: Hashable, Sendable {
    /// The observer is called on its actor, late: the changing statement does not wait. The default.
    ///
    /// No change is lost, and the last one comes last; except those that the object makes in its own deinit, which
    /// nothing may outlive. An observer that has been removed or deallocated in the meantime is not called. The object
    /// and the values are handed over as they are; the object may have changed again.
    case hop
    /// The observer is not called.
    case skip
  }

  /// The handling of a notification on another executor than expected, unless the process ends:
  /// `policy[.offExecutorDelivery] = .trap`.
  public var offExecutorDelivery = OffExecutorDelivery.hop

  private var reactions: [LiveRule: Reaction] = [:]

  /// Whether the second of two equal registrations is dropped; false by default.
  ///
  /// For code that was written for `FBKVOController`, or with a guard that drops duplicates. Registrations are equal if
  /// one observer makes them with
  /// ``KeyValueObservable/addObserver(_:forKeyPath:options:context:expectedToLive:isolation:fileID:line:function:)``,
  /// or one controller, of the same key path under the same context. Both call sites are reported all the same. The
  /// second delivers nothing, its initial notification included; a removal by name that belongs to it ends nothing, so
  /// that as many removals as additions are still correct. Tokens and streams are never dropped. Registrations that
  /// were made before it is set remain.
  public var coalescesDuplicates = false

  /// The policy that reports every fault, which is also the default.
  ///
  /// `KVO.policy = ObservationPolicy()` restores the defaults.
  public init() {}

  /// The reaction to faults of `rule`.
  public subscript(rule: LiveRule) -> Reaction {
    get { reactions[rule] ?? .report }
    set { reactions[rule] = newValue }
  }

  /// Sets the same reaction for every rule.
  public mutating func setAll(_ reaction: Reaction) {
    for rule in LiveRule.allCases { reactions[rule] = reaction }
  }
}

/// A fault that the library found while the program ran.
public struct ObservationViolation: Hashable, Sendable {
  /// The rule that was broken.
  public let rule: LiveRule
  /// What the report is made of.
  package let finding: Finding
  /// The whole report as text, with stacks as addresses.
  public let report: String

  /// What happened, in one sentence.
  public var message: String { finding.message }
  /// The identity of the fault, the same in every run, as tests, logs and suppressions have it:
  /// `2:` and hexadecimal digits.
  public var signature: String { finding.signature }
}
