import KVORules
import KVOTrace

// Keys that a log lacks: a missing key means "not said", never "there was none". Missing values are inferred if
// possible; a verdict that depends on any other is withheld; `notJudged` then names the key that would help.
/// The missing keys that mattered, by the first event that lacked each.
struct Unsaid: Sendable {
  /// An event without its thread.
  var thread: Int?
  /// An addition whose scope only the writer knows.
  var scope: Int?
  /// A removal without its observer, or of an addition without one.
  var observer: Int?
  /// An addition by name without its observer.
  var unnamed: Int?
  /// A removal that may have ended any of several equal registrations.
  var removed: Int?
  /// A registration without a number.
  var registration: Int?
  /// The end of a registration whose number no addition has, while some additions have no number.
  var ended: Int?
  /// A callback of a registration whose number no addition has, while some additions have no number.
  var notified: Int?
  /// A path that attaches itself to an object for such a registration.
  var attached: Int?
  /// A reference, or the bracket of a walk, without the thread.
  var hold: Int?
  /// The deallocation of an object that a path is attached to, without the thread.
  var deallocation: Int?
  /// The deallocation of an observed object during a removal, without the thread.
  var released: Int?
  /// The end of a callback that does not state whether it was handled.
  var handled: Int?
  /// An addition without its line, and whether any addition has one.
  var site: Int?
  var saysSites = false
  /// An addition with neither a line nor a stack.
  var location: Int?
  /// A second addition that cannot be distinguished from the first by line or stack.
  var copy: Int?
  /// The end of a token that may have been dropped at once: it, or its addition, does not state its time.
  var time: Int?
  /// The addition of a token that may have been dropped at once, without a number.
  var dropped: Int?
  /// The rules whose verdicts were withheld because the thread is unknown.
  var threadRules: Set<RuleCode> = []
  /// The rules whose verdicts were withheld because the numbers of registrations are unknown.
  var registrationRules: Set<RuleCode> = []
}

extension ReplayState {
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

  /// Whether a deallocation, which another thread may be compared with, names its thread.
  mutating func saysThread(of deallocation: Evidence) -> Bool {
    if deallocation.thread != nil { return true }
    if unsaid.released == nil { unsaid.released = deallocation.event }
    return false
  }

  /// Whether some events name their thread and others do not.
  var namesSomeThreads: Bool { threads.hasNamed }

  // MARK: - Verdicts that rest on what is not said

  /// Withdraws the verdicts that rely on an assumption about missing keys.
  ///
  /// - Parameters:
  ///   - isAtEnd: whether the process has ended, so that no thread continues.
  ///   - isLast: whether there are no more events. Missed deliveries wait for that: see `RefutableMisses`.
  mutating func withholdUncertain(isAtEnd: Bool, isLast: Bool) {
    let isMixed = unsaid.thread != nil && namesSomeThreads
    verdicts.removeAll { verdict in
      if verdict.code == .missedDelivery, !isLast { return false }
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

  /// Whether `verdict` depends on whether two events were on the same thread.
  private static func needsThread(_ verdict: Verdict, isMixed: Bool, isAtEnd: Bool) -> Bool {
    switch verdict.code {
    case .removeDuringInitial, .callbackUnderLock, .concurrentChange, .concurrentRemoval:
      return isMixed || verdict.evidence.prefix(2).contains { $0.thread == nil }
    case .unbalancedChange:
      switch verdict.detail {
      case .change(.outOfOrder), .change(.crossed):
        return isMixed || verdict.evidence.contains { $0.thread == nil }
      default: return isMixed
      }
    case .missedDelivery, .registrationRace, .priorWithoutAfter:
      return isMixed || (!isAtEnd && verdict.evidence.first?.thread == nil)
    case .reentrantChange, .tokenDropped: return isMixed
    default: return false
    }
  }

  /// Whether `verdict` concerns a registration that may have ended: it has no number in the log, and an unknown number
  /// ended.
  private static func needsNumber(_ verdict: Verdict) -> Bool {
    switch verdict.code {
    // It may have been the earlier one of the two.
    case .duplicateRegistration, .contextCollision: return true
    case .ambiguousRemove, .observedDeinitWhileObserved, .observerDeinitWhileRegistered,
      .leakedRegistration, .registrationGrowth, .missedDelivery:
      // Numbers from the engine are assigned by the reader.
      return verdict.registration?.generation != nil
    default: return false
    }
  }

  // MARK: - Notifications

  /// The rules that judge by the absence of a `notify`.
  static let absenceRules: Set<RuleCode> = [
    .registrationRace, .missedDelivery, .tokenDropped,
  ]

  /// Withdraws the verdicts that rely on the absence of a `notify`, if the log's writer records none.
  mutating func dropAbsences() {
    verdicts.removeAll { Self.absenceRules.contains($0.code) }
  }
}
