import KVOTrace

// What the ledger keeps of a registration, and of an observed object.
extension RegistrationLedger {
  /// A registration and what is known of its life.
  struct Slot: Sendable {
    // What is looked at most often is in front: the parts of a slot are in different cache lines.
    var subject: Int32 = -1
    var older: Int32 = -1
    var newer: Int32 = -1
    var olderOfObserver: Int32 = -1
    var newerOfObserver: Int32 = -1
    /// How many callbacks of it are running.
    var callbackCount: Int32 = 0
    var state: State = .live
    var isBeingAdded = false
    var isDeliveringInitial = false
    /// Whether the caller holds it after its end.
    var isHeld = false
    /// Marks of the engine: whether anything was delivered, whether the log numbers the registration
    /// and whether a scope answers for it.
    var wasNotified = false
    var isNumbered = true
    var isScoped = false
    /// Whether it was found by name after a loss of events, and so may not be what ended.
    var isEndGuessed = false
    /// Nil where it was removed by name.
    var cause: CancelCause?
    var registration: Registration
    var registered: Evidence
    /// Where it ended; while it is live, where its initial delivery began, if that runs.
    var later: Evidence

    init(registration: Registration, _ evidence: Evidence) {
      self.registration = registration
      registered = evidence
      later = evidence
    }
  }

  enum State: Sendable {
    case free
    case live
    /// Over, and in the history of its object.
    case remembered
    /// Over, and in no history.
    case forgotten
  }

  /// One observed object.
  struct Subject: Sendable {
    var id: ObjectID
    var oldest: Int32 = -1
    var newest: Int32 = -1
    var count: Int32 = 0
    /// The history.
    var oldestEnded: Int32 = -1
    var newestEnded: Int32 = -1
    var endedCount: Int32 = 0
    /// The greatest order of its events.
    var lastOrder: UInt64 = 0
    var semantics: MatchingSemantics
    var isIndexed = false
    /// Whether something fell out of the history.
    var hasLostHistory = false
    /// Whether it may have been observed before the log began.
    var hasUnknownPast: Bool
  }
}
