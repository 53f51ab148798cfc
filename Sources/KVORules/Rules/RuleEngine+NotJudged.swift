import KVOTrace

extension RuleEngine {
  /// The rules whose machines are not written yet.
  package static let unimplemented: [RuleCode] = [
    .deliveryAfterRemove, .registrationRace, .priorWithoutAfter, .mutationWithoutNotification,
    .deepPathIntermediateDeath, .weakLinkSilentlyNil, .contextCollision, .observationRetainCycle,
    .registrationGrowth, .offExecutorDelivery, .concurrentChange, .concurrentRemoval,
    .callbackUnderLock, .reentrantChange, .dependencyCycle, .classChangedUnderObservation,
  ]

  /// The rules that judge by the absence of events.
  private static let absence: [RuleCode] = [
    .registrationRace, .priorWithoutAfter, .leakedRegistration, .registrationGrowth,
    .tokenDropped, .missedDelivery,
  ]

  /// The rules that were not judged, or not everywhere, each with one reason, ordered by code.
  ///
  /// Complete after ``finish()``.
  package var notJudged: [NotJudged] {
    var why: [RuleCode: String] = [:]
    func say(_ code: RuleCode, _ sentence: String) {
      if why[code] == nil { why[code] = sentence }
    }
    for code in Self.unimplemented { say(code, "not implemented in this version") }
    if let droppedAt {
      for code in Self.absence {
        say(
          code,
          "events were dropped at event \(droppedAt), and absence proves nothing from there"
        )
      }
    }
    if process?.isComplete == false {
      for code in [RuleCode.doubleRemove, .removeUnregistered, .duplicateRegistration] {
        say(code, "recording began after the first observation: only objects of live lines count")
      }
    }
    if !seen.contains(.scopeEnd), !(options.judgesLeaksAtExit && hasEnded) {
      say(.leakedRegistration, "no scope ended in this log")
    }
    if !seen.contains(.change) {
      say(.unbalancedChange, "no changes in this log")
      say(.missedDelivery, "no changes in this log")
    }
    if cutRules.contains(.unbalancedChange) {
      say(.unbalancedChange, "the log ends without an exit: changes open at its end do not count")
    }
    if cutRules.contains(.missedDelivery) {
      say(.missedDelivery, "the log ends in the middle of the deliveries of a change")
    }
    return why.map { NotJudged(code: $0.key, why: $0.value) }.sorted { $0.code < $1.code }
  }
}
