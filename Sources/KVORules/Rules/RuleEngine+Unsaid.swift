import KVOTrace

// What a log does not say: a missing key means "not said", never "there was none". What can be inferred
// is, and a verdict that rests on the rest is withheld; `notJudged` then names the key that would help.
extension RuleEngine {
  /// What the log left out where it mattered, by the first event that did so.
  struct Unsaid: Sendable {
    /// An event that a thread did, without the thread.
    var thread: Int?
    /// An addition in a place where only the writer knows the scope.
    var scope: Int?
    /// A registration without a number.
    var registration: Int?
    /// The end of a registration that no addition has the number of, while some have none.
    var ended: Int?
    /// A callback of a registration that no addition has the number of, while some have none.
    var notified: Int?
    /// A path that hangs itself on an object for such a registration.
    var attached: Int?
    /// A reference, or the bracket of a walk, without the thread.
    var hold: Int?
    /// The death of an object that a path hangs on, without the thread.
    var death: Int?
    /// The end of a callback of which it is not said whether it was handled.
    var handled: Int?
    /// An addition without its line, and whether any has it.
    var site: Int?
    var saysSites = false
    /// An addition that says neither its line nor its stack.
    var place: Int?
    /// A second addition that cannot be told from the first by line or stack.
    var copy: Int?
    /// The rules of which verdicts were withheld for want of a thread.
    var threadRules: Set<RuleCode> = []
    /// The same for want of the numbers of registrations.
    var registrationRules: Set<RuleCode> = []
  }

  // MARK: - Scopes

  /// Finds the scope of an event that does not name it.
  mutating func inferScope(of event: UnsafePointer<Event>, _ place: inout Place) {
    switch openScopes.scope(on: event.pointee.thread) {
    case .none: break
    case .scope(let scope):
      place.scope = scope
      place.isScopeInferred = true
    case .uncertain:
      switch event.pointee.body {
      case .register, .cancel: if unsaid.scope == nil { unsaid.scope = place.event }
      default: break
      }
    }
  }

  /// Scopes overlap: which of them a registration was made in is known only where the log says it.
  mutating func forgetInferredScopes() {
    for slot in inferredSlots where ledger.isLive(Int(slot)) && ledger.slots[Int(slot)].isScoped {
      scopes.leave(Int(slot))
      ledger.unmarkScoped(Int(slot))
      if unsaid.scope == nil { unsaid.scope = ledger.slots[Int(slot)].registered.event }
    }
    inferredSlots = []
  }

  // MARK: - Threads

  /// An event does not name its thread.
  mutating func noteMissingThread(_ event: UnsafePointer<Event>, _ number: Int) {
    switch event.pointee.body {
    case .hold, .walkBegin, .walkEnd: if unsaid.hold == nil { unsaid.hold = number }
    case .register, .registerEnd, .remove, .removeEnd, .cancel, .willChange, .didChange, .notify,
      .notifyEnd, .lock, .unlock:
      if unsaid.thread == nil { unsaid.thread = number }
    default: break
    }
  }

  /// Whether some events name their thread and others do not.
  private var namesSomeThreads: Bool { threads.hasNamed }

  // MARK: - Verdicts that rest on what is not said

  /// Takes back the verdicts that hold only if what the log does not say is as it may be.
  ///
  /// - Parameter isAtEnd: whether the process is over, so that no thread goes on.
  mutating func withholdUncertain(isAtEnd: Bool) {
    let isMixed = unsaid.thread != nil && namesSomeThreads
    verdicts.removeAll { verdict in
      if unsaid.thread != nil, Self.needsThread(verdict, isMixed: isMixed, isAtEnd: isAtEnd) {
        unsaid.threadRules.insert(verdict.code)
        return true
      }
      if unsaid.ended != nil, Self.needsNumber(verdict) {
        unsaid.registrationRules.insert(verdict.code)
        return true
      }
      return false
    }
  }

  /// Whether `verdict` holds only if two events were on one thread, or on two.
  private static func needsThread(_ verdict: Verdict, isMixed: Bool, isAtEnd: Bool) -> Bool {
    switch verdict.code {
    case .removeDuringInitial, .callbackUnderLock, .concurrentChange, .concurrentRemoval:
      return isMixed || verdict.evidence.prefix(2).contains { $0.thread == nil }
    case .unbalancedChange:
      if case .change(.outOfOrder) = verdict.detail {
        return verdict.evidence.contains { $0.thread == nil }
      }
      return isMixed
    case .missedDelivery, .registrationRace, .priorWithoutAfter:
      return isMixed || (!isAtEnd && verdict.evidence.first?.thread == nil)
    case .reentrantChange, .tokenDropped: return isMixed
    default: return false
    }
  }

  /// Whether `verdict` is of a registration that may have ended: it has no number in the log, and an
  /// unknown number ended.
  private static func needsNumber(_ verdict: Verdict) -> Bool {
    switch verdict.code {
    case .ambiguousRemove, .duplicateRegistration, .observedDeinitWhileObserved,
      .observerDeinitWhileRegistered, .contextCollision, .leakedRegistration, .registrationGrowth,
      .missedDelivery:
      // The numbers that the engine gives are those of a reader.
      return verdict.registration?.generation != nil
    default: return false
    }
  }

  // MARK: - Notifications

  /// The rules that judge by the absence of a `notify`.
  private static let absenceRules: Set<RuleCode> = [
    .registrationRace, .missedDelivery, .tokenDropped,
  ]

  /// Takes back the verdicts that rest on the absence of a `notify`, in the log of a writer that has none.
  mutating func dropAbsences() {
    verdicts.removeAll { Self.absenceRules.contains($0.code) }
  }

  private static let deepPathRules: Set<RuleCode> = [
    .deepPathIntermediateDeath, .weakLinkSilentlyNil,
  ]

  /// The rules that were not judged everywhere for want of a key, and that key, ordered by code.
  package var lackedKeys: [NotJudged] {
    missingKeys.map { NotJudged(code: $0.code, why: $0.why) }.sorted { $0.code < $1.code }
  }

  /// The rules that were not judged everywhere for want of a key, and that key.
  var missingKeys: [(code: RuleCode, why: String)] {
    var missing: [(RuleCode, String)] = []
    func say(_ codes: some Sequence<RuleCode>, _ event: Int?, _ why: (Int) -> String) {
      guard let event else { return }
      missing += codes.map { ($0, why(event)) }
    }
    var threadRules = unsaid.threadRules.union([.concurrentChange, .concurrentRemoval])
    if namesSomeThreads {
      threadRules.formUnion([
        .removeDuringInitial, .registrationRace, .unbalancedChange, .priorWithoutAfter,
        .reentrantChange, .tokenDropped, .missedDelivery,
      ])
      if seen.contains(.attachment) { threadRules.formUnion(Self.deepPathRules) }
      say([.observationRetainCycle], unsaid.hold) {
        "event \($0) does not say its \"thread\", by which the references of one walk belong together"
      }
      say(Self.deepPathRules, unsaid.death) {
        "the death at event \($0) does not say its \"thread\", which shows what belongs to it"
      }
    }
    say(threadRules, unsaid.thread) {
      "event \($0) does not say its \"thread\", which this rule compares"
    }
    if seen.contains(.lock) {
      say([.callbackUnderLock], unsaid.thread) {
        "event \($0) does not say its \"thread\", which this rule compares"
      }
    }
    say([.leakedRegistration, .registrationGrowth, .tokenDropped], unsaid.scope) {
      "event \($0) may be in one of several scopes, or in none; it does not say its \"scope\""
    }
    say([.contextCollision], unsaid.copy) {
      "the addition at event \($0), or the equal one before it, does not say its \"site\""
    }
    if seen.contains(.site), growth.hasRuns {
      say([.registrationGrowth], unsaid.saysSites ? unsaid.site : unsaid.place) {
        "the addition at event \($0) does not say its \"site\", as others do"
      }
    }
    say([.unhandledNotification], unsaid.handled) {
      "the end of a notification at event \($0) does not say whether it was \"handled\""
    }
    say(Self.deepPathRules, unsaid.attached) {
      "event \($0) is of a \"registration\" that no addition says it is"
    }
    if seen.contains(.change) {
      say([.registrationRace, .missedDelivery], unsaid.registration) {
        "the addition at event \($0) does not say its \"registration\", which notifications name"
      }
    }
    if process?.omitsNotifications == true {
      missing += Self.absenceRules.map {
        ($0, "no notify events in this log (\"omitsNotifications\" in its process line)")
      }
    }
    let told: [RuleCode] = [
      .deliveryToDead, .deliveryAfterRemove, .removeDuringInitial, .priorWithoutAfter,
      .unhandledNotification, .offExecutorDelivery, .callbackUnderLock, .reentrantChange,
    ]
    say(told, unsaid.notified) {
      "event \($0) tells of a \"registration\" that no addition says it is"
    }
    let left: [RuleCode] = [
      .observedDeinitWhileObserved, .observerDeinitWhileRegistered, .tokenDropped,
    ]
    say(unsaid.registrationRules.union(left), unsaid.ended) {
      "event \($0) ends a \"registration\" that no addition says it is"
    }
    return missing
  }
}
