import KVORules
import KVOTrace

// The keys whose absence kept rules from being judged.
extension RuleEngine {
  private static let deepPathRules: Set<RuleCode> = [
    .deepPathIntermediateDeath, .weakLinkSilentlyNil,
  ]

  /// The rules that were not judged everywhere because a key is missing, with that key, ordered by code.
  package var lackedKeys: [NotJudged] {
    missingKeys.map { NotJudged(code: $0.code, why: $0.why) }.sorted { $0.code < $1.code }
  }

  /// The rules that were not judged everywhere because a key is missing, with that key.
  var missingKeys: [(code: RuleCode, why: String)] {
    var missing: [(RuleCode, String)] = []
    func say(_ codes: some Sequence<RuleCode>, _ event: Int?, _ why: (Int) -> String) {
      guard let event else { return }
      missing += codes.map { ($0, why(event)) }
    }
    var threadRules = log.unsaid.threadRules.union([.concurrentChange, .concurrentRemoval])
    if log.namesSomeThreads {
      threadRules.formUnion([
        .removeDuringInitial, .registrationRace, .unbalancedChange, .priorWithoutAfter,
        .reentrantChange, .tokenDropped, .missedDelivery,
      ])
      if log.seen.contains(.attachment) { threadRules.formUnion(Self.deepPathRules) }
      say([.observationRetainCycle], log.unsaid.hold) {
        "event \($0) does not say its \"thread\", by which the references of one walk belong together"
      }
      say(Self.deepPathRules, log.unsaid.deallocation) {
        "the deallocation at event \($0) does not say its \"thread\", which shows what belongs to it"
      }
    }
    say(threadRules, log.unsaid.thread) {
      "event \($0) does not say its \"thread\", which this rule compares"
    }
    say([.concurrentRemoval], log.unsaid.released) {
      "the deallocation at event \($0) does not say its \"thread\", which this rule compares"
    }
    if log.seen.contains(.lock) {
      say([.callbackUnderLock], log.unsaid.thread) {
        "event \($0) does not say its \"thread\", which this rule compares"
      }
    }
    say([.leakedRegistration, .registrationGrowth, .tokenDropped], log.unsaid.scope) {
      "event \($0) may be in one of several scopes, or in none; it does not say its \"scope\""
    }
    say([.tokenDropped], log.unsaid.time) {
      "event \($0), or the addition of its token, does not say its \"t\", by which a token that is dropped at once is known"
    }
    say([.tokenDropped], log.unsaid.dropped) {
      "the addition at event \($0) does not say its \"registration\", which notifications name"
    }
    let removals: [RuleCode] = [
      .doubleRemove, .removeUnregistered, .removeWrongContext, .ambiguousRemove,
      .duplicateRegistration, .observedDeinitWhileObserved, .observerDeinitWhileRegistered,
    ]
    say(removals, log.unsaid.observer) {
      "the removal at event \($0), or an addition before it, does not say its \"observer\""
    }
    let ofObservers: [RuleCode] = [
      .duplicateRegistration, .observerDeinitWhileRegistered, .deliveryToDead, .contextCollision,
      .selfObservation,
    ]
    say(ofObservers, log.unsaid.unnamed) {
      "the addition at event \($0) does not say its \"observer\""
    }
    let ofEnded: [RuleCode] = [
      .deliveryAfterRemove, .removeDuringInitial, .registrationRace, .priorWithoutAfter,
      .missedDelivery,
    ]
    say(ofEnded, log.unsaid.removed) {
      "the removal at event \($0) may have ended any of several equal registrations; it does not say its "
        + "\"registration\""
    }
    say([.contextCollision], log.unsaid.copy) {
      "the addition at event \($0), or the equal one before it, does not say its \"site\""
    }
    if log.seen.contains(.site), scopes.hasRuns {
      say([.registrationGrowth], log.unsaid.saysSites ? log.unsaid.site : log.unsaid.location) {
        "the addition at event \($0) does not say its \"site\", as others do"
      }
    }
    say([.unhandledNotification], log.unsaid.handled) {
      "the end of a notification at event \($0) does not say whether it was \"handled\""
    }
    say(Self.deepPathRules, log.unsaid.attached) {
      "event \($0) belongs to a \"registration\" that no addition has"
    }
    if log.seen.contains(.change) {
      say([.registrationRace, .missedDelivery], log.unsaid.registration) {
        "the addition at event \($0) does not say its \"registration\", which notifications name"
      }
    }
    if log.process?.omitsNotifications == true {
      missing += ReplayState.absenceRules.map {
        ($0, "no notify events in this log (\"omitsNotifications\" in its process line)")
      }
    }
    let deliveryRules: [RuleCode] = [
      .deliveryToDead, .deliveryAfterRemove, .removeDuringInitial, .priorWithoutAfter,
      .unhandledNotification, .offExecutorDelivery, .callbackUnderLock, .reentrantChange,
      .callbackRaised,
    ]
    say(deliveryRules, log.unsaid.notified) {
      "event \($0) notifies a \"registration\" that no addition has"
    }
    let left: [RuleCode] = [
      .observedDeinitWhileObserved, .observerDeinitWhileRegistered, .tokenDropped,
    ]
    say(log.unsaid.registrationRules.union(left), log.unsaid.ended) {
      "event \($0) ends a \"registration\" that no addition has"
    }
    return missing
  }
}
