public import KVOTrace

// The ledger's records of a registration, and of an observed object.
extension RegistrationLedger {
  /// A registration and its state.
  @usableFromInline
  package struct Slot: Sendable {
    // The most frequently used fields come first: a slot spans several cache lines.
    @usableFromInline package var subject: Int32 = -1
    @usableFromInline package var older: Int32 = -1
    package var newer: Int32 = -1
    package var olderOfObserver: Int32 = -1
    package var newerOfObserver: Int32 = -1
    /// How many callbacks of it are running.
    @usableFromInline package var callbackCount: Int32 = 0
    @usableFromInline package var state: State = .live
    package var isBeingAdded = false
    package var isDeliveringInitial = false
    /// Whether the caller retains it after its end.
    package var isHeld = false
    /// Flags of the engine: whether anything was delivered, whether the log numbers the registration and whether a
    /// scope is responsible for it.
    @usableFromInline package var wasNotified = false
    package var isNumbered = true
    package var isScoped = false
    /// Whether it was found by name after a loss of events, and so may not be the one that ended.
    package var isEndGuessed = false
    /// Whether a removal ended it or an equal one, and the log does not state which: if it is live, it may have ended,
    /// and if it ended, it may be live.
    package var isEndShared = false
    /// Nil if it was removed by name.
    package var cause: CancelCause?
    @usableFromInline package var registration: Registration
    package var registered: Evidence
    /// Where it ended; while it is live, where its initial delivery began, if that is running.
    package var later: Evidence

    package init(registration: Registration, _ evidence: Evidence) {
      self.registration = registration
      registered = evidence
      later = evidence
    }
  }

  @usableFromInline
  package enum State: Sendable {
    case free
    case live
    /// Ended, and in the history of its object.
    case remembered
    /// Ended, and in no history.
    case forgotten
  }

  /// One observed object.
  @usableFromInline
  package struct Subject: Sendable {
    // What a whole change reads is in the second 16 bytes, which no two cache lines share.
    @usableFromInline package var id: ObjectID
    package var oldest: Int32 = -1
    package var endedCount: Int32 = 0
    @usableFromInline package var newest: Int32 = -1
    package var count: Int32 = 0
    /// The greatest order of its events.
    @usableFromInline package var lastOrder: UInt64 = 0
    /// The history.
    package var oldestEnded: Int32 = -1
    package var newestEnded: Int32 = -1
    package var semantics: MatchingSemantics
    @usableFromInline package var isIndexed = false
    /// Whether anything was evicted from the history.
    package var hasLostHistory = false
    /// Whether it may have been observed before the log began.
    package var hasUnknownPast: Bool
  }
}
