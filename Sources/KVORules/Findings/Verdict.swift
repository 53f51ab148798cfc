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
  /// Which calls made the registration, so that advice is in them; nil: not said.
  package var form: Registration.Form?
  /// What proves it, the failed event first, then what led to it, newest first.
  package var evidence: [Evidence]
  /// What the sentence needs to know beside the objects.
  package var detail: Detail
  /// Differs from the catalogue's where the events make the case harmless or worse.
  package var severity: Severity?
  package var confidence: Confidence
  /// Whether events that belong to the proof are no longer remembered.
  package var isHistoryLost: Bool
  /// Whether a test said that such a violation is meant where this one happened.
  package var isExpected = false

  /// What a rule saw, as far as it belongs into its sentence.
  package enum Detail: Hashable, Sendable {
    case none
    /// Registrations on the same objects and key path, under these other contexts.
    case otherContexts([Context])
    /// How many equal registrations there are now.
    case copies(Int)
    /// The same, made from different stacks; the log does not say their lines.
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
    /// The object that a key path hung on, and the one that it was taken off.
    case links(attached: ObjectRef, detached: ObjectRef)
    /// The registration is a token's or a controller's, which ends it without harm when its object is gone.
    case endsByItself
    /// The references of a retain cycle, from and back to the first object.
    case cycle([Reference])
    /// How many registrations were live at the ends of the scope called `scope`, the last ones.
    case growth(scope: StringID, runCount: Int, counts: [Int])
    /// Where callbacks were expected, and where one ran.
    case executors(expected: StringID, found: Executor)
    /// The key of the other change.
    case otherKey(StringID)
    /// What the removal overlapped.
    case overlap(Overlap)
    /// The lock that was held, and what was done under it.
    case underLock(LockID, Act)
    /// How often a callback was inside itself.
    case depth(Int)
    /// The keys of `className` that affect each other in a circle, each affected by the next.
    case dependencies(className: StringID, keys: [StringID])
    /// The class at the addition, and the one at the removal.
    case classes(from: StringID, to: StringID)
    /// The exception that left a callback, by name, and whose callback.
    case exception(StringID, observer: ObjectRef?)
    /// What is wrong with a key of `className`, though it could be observed.
    case problem(KeyDeclaration.Problem, className: StringID)
  }

  /// Where a callback ran.
  package enum Executor: Hashable, Sendable {
    case named(StringID)
    /// On a thread of this name.
    case thread(StringID)
  }

  /// What a removal can overlap.
  package enum Overlap: Hashable, Sendable {
    case removal
    /// The deallocation of the observed object.
    case death
  }

  /// What should not be done while a lock is held.
  package enum Act: Hashable, Sendable {
    case callback
    case addition
    case removal
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
