import KVORules
import KVOTrace

extension RuleEngine {
  /// The rules that judge by the absence of events.
  private static let absence: [RuleCode] = [
    .registrationRace, .priorWithoutAfter, .leakedRegistration, .registrationGrowth,
    .tokenDropped, .missedDelivery, .unbalancedChange,
  ]

  /// The rules that depend on which observers were notified.
  private static let deliveryRules: [RuleCode] = [
    .deliveryAfterRemove, .registrationRace, .priorWithoutAfter, .missedDelivery,
  ]

  /// The rules that were not judged, or not everywhere, each with one reason, ordered by code.
  ///
  /// Complete after ``finish()``.
  package var notJudged: [NotJudged] {
    var why: [RuleCode: String] = [:]
    func say(_ code: RuleCode, _ sentence: String) {
      if why[code] == nil { why[code] = sentence }
    }
    if let droppedAt = log.droppedAt {
      for code in Self.absence {
        say(
          code,
          "events are missing at event \(droppedAt), and absence proves nothing from there"
        )
      }
    }
    if let droppedAt = log.droppedAt, consumers.hasLeft {
      for code in [RuleCode.parkedConsumer, .consumerGrowth] {
        say(code, "events are missing at event \(droppedAt): a task that waited may have ended")
      }
    }
    if log.notifiesOthers {
      for code in Self.deliveryRules {
        say(
          code,
          "recorded on \(log.recordedProfile.rawValue), which keeps registrations otherwise than "
            + "\(log.profile.rawValue): who is notified differs"
        )
      }
    }
    for (code, sentence) in log.whyLost { say(code, sentence) }
    if log.process?.isComplete == false {
      let codes: [RuleCode] = [
        .doubleRemove, .removeUnregistered, .removeWrongContext, .duplicateRegistration,
      ]
      for code in codes { say(code, log.whyBeginningLacks) }
    }
    for (code, sentence) in missing { say(code, sentence) }
    for (code, sentence) in openDeallocations { say(code, sentence) }
    for (code, sentence) in missingKeys { say(code, sentence) }
    if let incompleteWalk = graphs.incompleteWalk {
      say(
        .observationRetainCycle,
        "the walk that ended at event \(incompleteWalk) could not inspect everything that it reached"
      )
    }
    for code in nested.undecided {
      say(code, "no notifyEnd events in this log, which show where a callback returned")
    }
    if log.cutRules.contains(.unbalancedChange) {
      say(
        .unbalancedChange,
        log.hasEnded
          ? "the process ended inside a callback, or while another thread changed a value: changes open then do not count"
          : "the log ends without an exit: changes open at its end do not count"
      )
    }
    if changes.lacksBeginnings {
      say(.unbalancedChange, "the log lacks its beginning: a change may have begun before it")
    }
    if log.cutRules.contains(.missedDelivery) {
      say(.missedDelivery, "the log ends in the middle of the deliveries of a change")
    }
    if log.cutRules.contains(.registrationRace) {
      say(
        .registrationRace,
        log.hasEnded
          ? "the process ended inside a callback or a change: what was still owed is not judged"
          : "the log ends without an exit: what was still owed may have come"
      )
    }
    if let event = obligations.undecidedRace {
      say(
        .registrationRace,
        "a registration ended after the change at event \(event), before the thread of the change did anything else: "
          + "whether it was still to be notified is not known"
      )
    }
    if log.cutRules.contains(.priorWithoutAfter) {
      say(.priorWithoutAfter, "the log ends in the middle of a change")
    }
    if let sampling = log.sampling {
      for code in RuleCode.allCases { say(code, sampling.why) }
    }
    return why.map { NotJudged(code: $0.key, why: $0.value) }.sorted { $0.code < $1.code }
  }

  /// The rules whose events are not in the log.
  private var missing: [(code: RuleCode, why: String)] {
    var missing: [(RuleCode, String)] = []
    func need(_ need: ReplayState.Need, _ codes: [RuleCode], _ why: String) {
      if !log.seen.contains(need) { missing += codes.map { ($0, why) } }
    }
    if !(options.judgesLeaksAtExit && log.hasEnded) {
      need(.scopeEnd, [.leakedRegistration], "no scope ended in this log")
    }
    need(
      .change,
      [.registrationRace, .unbalancedChange, .concurrentChange, .missedDelivery],
      "no changes in this log"
    )
    need(
      .callback,
      [
        .deliveryToDead, .deliveryAfterRemove, .removeDuringInitial, .unhandledNotification,
        .reentrantChange, .callbackRaised,
      ],
      "no notify events in this log"
    )
    need(
      .callbackEnd,
      [.unhandledNotification, .callbackRaised],
      "no notifyEnd events in this log, which say how a callback ended"
    )
    need(.prior, [.priorWithoutAfter], "no prior notifications in this log")
    if log.seen.contains(.prior) { need(.change, [.priorWithoutAfter], "no changes in this log") }
    need(.write, [.mutationWithoutNotification], "no write events in this log")
    need(
      .attachment,
      [.deepPathIntermediateDeath, .weakLinkSilentlyNil],
      "no attach events in this log"
    )
    need(.site, [.contextCollision], "no registration in this log says its site or its stack")
    need(.reference, [.observationRetainCycle], "no hold events in this log")
    if !scopes.hasRuns {
      missing.append((.registrationGrowth, "no scope was run three times in this log"))
    }
    need(
      .expectedExecutor,
      [.offExecutorDelivery],
      "no registration in this log says its executor"
    )
    need(.executor, [.offExecutorDelivery], "no notification in this log says its executor")
    if !concurrency.hasEndsOfRemovals {
      missing.append((.concurrentRemoval, "no removeEnd events in this log"))
    }
    need(.lock, [.callbackUnderLock], "no lock events in this log")
    need(.declaration, [.dependencyCycle], "no declares events in this log")
    need(.classChange, [.classChangedUnderObservation], "no class events in this log")
    return missing
  }
}
