package import KVOTrace

/// What a rule says of some events: a violation, in ids, before anything is looked up or counted.
///
/// The rules return verdicts; the pipeline turns them into ``Finding``s, one for all verdicts that
/// have one root. A verdict holds no text of its own, so that it costs nothing to make while a
/// program runs.
package struct Verdict: Hashable, Sendable {
  package var code: RuleCode
  package var subject: ObjectRef?
  package var observer: ObjectRef?
  package var keyPath: StringID
  package var context: Context
  package var registration: RegistrationID?
  /// What proves it, the failed event first, then what led to it, newest first.
  package var evidence: [Evidence]
  /// What the sentence needs to know beside the objects.
  package var detail: Detail
  /// Differs from the catalogue's where the events make the case harmless or worse.
  package var severity: Severity?
  package var confidence: Confidence
  /// Whether events that belong to the proof are no longer remembered.
  package var isHistoryLost: Bool

  /// What a rule saw, as far as it belongs into its sentence.
  package enum Detail: Hashable, Sendable {
    case none
    /// Registrations on the same objects and key path, under these other contexts.
    case otherContexts([Context])
    /// How many equal registrations there are now.
    case copies(Int)
    /// The change that was closed out of order, or never opened, or never closed.
    case change(Imbalance)
    /// Why a path was refused, and at which part.
    case refusal(RefusalReason, part: StringID)
    /// The scope that ended, by name.
    case scope(StringID)
    /// The registry that holds the object which observes itself.
    case heldBy(ObjectRef)
  }

  /// The three ways in which the halves of changes fail to match.
  package enum Imbalance: Hashable, Sendable {
    case didWithoutWill
    case willWithoutDid
    /// Closed while the change of `inner`, begun later, was open.
    case outOfOrder(inner: StringID)
  }

  package init(
    _ code: RuleCode,
    subject: ObjectRef?,
    observer: ObjectRef? = nil,
    keyPath: StringID = .none,
    context: Context = .unspecified,
    registration: RegistrationID? = nil,
    evidence: [Evidence],
    detail: Detail = .none,
    severity: Severity? = nil,
    confidence: Confidence = .high,
    isHistoryLost: Bool = false
  ) {
    self.code = code
    self.subject = subject
    self.observer = observer
    self.keyPath = keyPath
    self.context = context
    self.registration = registration
    self.evidence = evidence
    self.detail = detail
    self.severity = severity
    self.confidence = confidence
    self.isHistoryLost = isHistoryLost
  }
}
