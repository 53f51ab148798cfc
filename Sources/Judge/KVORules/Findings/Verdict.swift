package import KVOTrace

/// The result of a rule: a violation, in ids, before anything is looked up or counted.
///
/// The rules return verdicts; the pipeline turns them into ``Finding``s, one for all verdicts with the same root cause.
/// A verdict holds no text of its own, so that it costs nothing to make while a program runs.
package struct Verdict: Hashable, Sendable {
  package var code: RuleCode
  package var subject: ObjectRef?
  package var observer: ObjectRef?
  package var keyPath: StringID
  package var context: Context
  package var registration: RegistrationID?
  /// The API that made the registration, which the advice uses; nil: unknown.
  package var form: Registration.Form?
  /// The proof: the failed event first, then the events that led to it, newest first.
  package var evidence: [Evidence]
  /// Details for the sentence, in addition to the objects.
  package var detail: Detail
  /// Differs from the catalogue's when the events make the case harmless or worse.
  package var severity: Severity?
  package var confidence: Confidence
  /// Whether events that belong to the proof are no longer remembered.
  package var isHistoryLost: Bool
  /// Whether a test expects such a violation in the scope of this one.
  package var isExpected = false
  /// The scope that it belongs to, if it is judged at the end of the log and has no registration.
  package var scope: ScopeID?

  /// The details of a violation that belong in its sentence.
  package enum Detail: Hashable, Sendable {
    case none
    /// Registrations on the same objects and key path, under these other contexts.
    case otherContexts([Context])
    /// How many equal registrations there are now.
    case copies(Int)
    /// The same, made from different stacks; the log does not state their lines.
    case copiesElsewhere(Int)
    /// The change that was closed out of order, or never opened, or never closed.
    case change(Imbalance)
    /// Why a path was refused, and at which part.
    case refusal(RefusalReason, part: StringID)
    /// The scope that ended, by name.
    case scope(StringID)
    /// The registry that holds the object which observes itself.
    case heldBy(ObjectRef)
    /// The object in the middle of a key path.
    case link(ObjectRef)
    /// The object that a key path was attached to, and the one that it was detached from.
    case links(attached: ObjectRef, detached: ObjectRef)
    /// The registration is a token's or a controller's, which ends it without harm when its object is deallocated.
    case endsByItself
    /// The references of a retain cycle, from and back to the first object.
    case cycle([Reference])
    /// How many registrations were live at the ends of the scope called `scope`, the last ones.
    case growth(scope: StringID, runCount: Int, counts: [Int])
    /// The expected executor of callbacks, and the actual one.
    case executors(expected: StringID, found: Executor)
    /// The key of the other change.
    case otherKey(StringID)
    /// The operation that the removal overlapped.
    case overlap(Overlap)
    /// The lock that was held, and the action under it.
    case underLock(LockID, Act)
    /// How often a callback was inside itself.
    case depth(Int)
    /// The keys of `className` that affect each other in a cycle, each affected by the next.
    case dependencies(className: StringID, keys: [StringID])
    /// The class at the addition, and the one at the removal.
    case classes(from: StringID, to: StringID)
    /// The name of an exception that left a callback, and the callback's owner.
    case exception(StringID, observer: ObjectRef?)
    /// The change was made inside a callback for the same object and key.
    case insideCallback
    /// The problem of a key of `className` that could still be observed.
    case problem(KeyDeclaration.Problem, className: StringID)
    /// What a consumer waits for, and the scope that ended, by name.
    case consumer(awaited: StringID, scope: StringID)
    /// How many consumers waited at the ends of the scope called `scope`, the last ones.
    case consumerGrowth(awaited: StringID, scope: StringID, runCount: Int, counts: [Int])
  }

  /// Where a callback ran.
  package enum Executor: Hashable, Sendable {
    case named(StringID)
    /// On a thread of this name.
    case thread(StringID)
  }

  /// Operations that a removal can overlap.
  package enum Overlap: Hashable, Sendable {
    case removal
    /// The deallocation of the observed object.
    case deallocation
  }

  /// Actions that should not happen while a lock is held.
  package enum Act: Hashable, Sendable {
    case callback
    case addition
    case removal
  }

  /// The ways in which the halves of changes fail to match.
  package enum Imbalance: Hashable, Sendable {
    case didWithoutWill
    case willWithoutDid
    /// Closed without having begun, while another change of the same object and key was open: its halves differ.
    case mismatched(begun: Change.Kind, ended: Change.Kind)
    /// Closed while a change of the same object and key, begun later, was open.
    case outOfOrder
    /// Closed while the change of `inner`, begun later, was open: another key, or a key of the object `of`; nil: of the
    /// same object.
    ///
    /// Apple's programming guide demands that changes of several keys nest. No runtime is known that matches halves
    /// across keys, so observers are notified as if they did.
    case crossed(inner: StringID, of: ObjectRef?)
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
