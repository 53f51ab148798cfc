package import KVOTrace

/// Judgments that need no memory: one event is sufficient proof.
extension Verdict {
  /// KVO017: the observer did not recognize a notification.
  ///
  /// - Parameters:
  ///   - registration: the registration that was notified.
  ///   - evidence: where the callback returned.
  ///   - notified: where the callback began, if that is known.
  ///   - registered: where the observation was made.
  /// - Returns: the verdict.
  package static func unhandled(
    _ registration: Registration,
    at evidence: Evidence,
    notified: Evidence? = nil,
    registered: Evidence? = nil
  ) -> Verdict {
    Verdict(
      .unhandledNotification,
      of: registration,
      [evidence.as(.failed), notified?.as(.notified), registered?.as(.registered)]
        .compactMap(\.self),
      confidence: .high
    )
  }

  /// KVO023: a callback was to run on `found`, but another executor was expected.
  ///
  /// - Parameters:
  ///   - registration: the registration that was notified.
  ///   - found: the actual executor.
  ///   - evidence: where the callback began, or would have.
  ///   - registered: where the observation was made, if that is known.
  /// - Returns: the verdict.
  package static func offExecutor(
    _ registration: Registration,
    found: StringID,
    at evidence: Evidence,
    registered: Evidence?
  ) -> Verdict {
    Verdict(
      .offExecutorDelivery,
      of: registration,
      [evidence.as(.failed), registered?.as(.registered)].compactMap(\.self),
      .executors(expected: registration.executor, found: .named(found)),
      confidence: .high
    )
  }

  /// KVO026: something was done while its thread held a lock.
  ///
  /// - Parameters:
  ///   - held: the lock.
  ///   - act: the action.
  ///   - registration: the registration concerned.
  ///   - evidence: where it was done.
  ///   - registered: where the observation was made, if that is known.
  ///   - confidence: how sure it is that the lock was held.
  /// - Returns: the verdict.
  package static func underLock(
    _ held: HeldLocks.Held,
    _ act: Act,
    of registration: Registration,
    at evidence: Evidence,
    registered: Evidence?,
    confidence: Confidence = .high
  ) -> Verdict {
    let registered = act == .addition ? nil : registered?.as(.registered)
    return Verdict(
      .callbackUnderLock,
      of: registration,
      [evidence.as(.failed), held.taken, registered].compactMap(\.self),
      .underLock(held.lock, act),
      confidence: confidence
    )
  }

  /// KVO029: an addition or a removal was not carried out.
  ///
  /// - Parameters:
  ///   - registration: the requested registration.
  ///   - reason: the reason for the refusal.
  ///   - part: the part of the key path that was refused.
  ///   - evidence: where it was requested.
  /// - Returns: the verdict.
  package static func refused(
    _ registration: Registration,
    reason: RefusalReason,
    part: StringID,
    at evidence: Evidence
  ) -> Verdict {
    Verdict(
      .uncompliantPath,
      of: registration,
      [evidence.as(.failed)],
      .refusal(reason, part: part),
      confidence: .high
    )
  }
}

extension Verdict {
  /// KVO043: a continuation was released without being resumed.
  ///
  /// - Parameters:
  ///   - awaited: its name.
  ///   - evidence: where it was made.
  /// - Returns: the verdict.
  package static func dropped(_ awaited: StringID, at evidence: Evidence) -> Verdict {
    Verdict(
      .continuationDropped,
      subject: nil,
      evidence: [evidence.as(.failed)],
      detail: .consumer(awaited: awaited, scope: .none)
    )
  }

  /// KVO044: a continuation was resumed a second time.
  ///
  /// - Parameters:
  ///   - awaited: its name.
  ///   - evidence: where it was resumed.
  ///   - first: where it had been resumed before.
  /// - Returns: the verdict.
  package static func resumedAgain(
    _ awaited: StringID,
    at evidence: Evidence,
    first: Evidence
  ) -> Verdict {
    Verdict(
      .continuationResumedTwice,
      subject: nil,
      evidence: [evidence.as(.failed), first.as(.resumed)],
      detail: .consumer(awaited: awaited, scope: .none)
    )
  }
}

extension Confidence {
  /// Low if the first event and another of the proof happened on different threads and their order is unknown: lines of
  /// two threads may be in the wrong order in the log.
  ///
  /// The orders must belong to one subject.
  package init(comparing evidence: [Evidence]) {
    guard let failed = evidence.first else {
      self = .high
      return
    }
    let isCertain = evidence.dropFirst().allSatisfy {
      $0.thread == failed.thread || ($0.order != nil && failed.order != nil)
    }
    self = isCertain ? .high : .low
  }
}

extension Verdict {
  /// KVO019: an observation keeps itself alive.
  ///
  /// - Parameters:
  ///   - cycle: the references, and the observation if it is known.
  ///   - confidence: how sure it is that nothing breaks it.
  ///   - isWhole: whether no missing event may have broken it.
  /// - Returns: the verdict; a note if one may have, or if a reference is only suspected, a warning if the log does not
  ///   show that an observation is part of the cycle.
  package static func retainCycle(
    _ cycle: OwnedCycle,
    confidence: Confidence,
    isWhole: Bool
  ) -> Verdict {
    let references = cycle.edges.map(\.reference)
    let weakened = references.indexToWeaken.map { index in
      let edge = cycle.edges[index]
      return edge.held.at(edge.reference.site).as(.failed)
    }
    var verdict = Verdict(
      .observationRetainCycle,
      subject: cycle.registration?.subject,
      observer: cycle.registration?.observer,
      keyPath: cycle.registration?.keyPath ?? .none,
      context: cycle.registration?.context ?? .unspecified,
      registration: cycle.registration?.id,
      evidence: [weakened, cycle.registered].compactMap(\.self),
      detail: .cycle(references),
      confidence: confidence
    )
    verdict.form = cycle.registration?.form
    if !references.hasObservation {
      verdict.severity = .warning
      verdict.confidence = .low
    }
    if !isWhole || references.contains(where: { $0.certainty == .suspected }) {
      verdict.severity = .note
      verdict.confidence = .low
    }
    return verdict
  }
}

extension [Reference] {
  /// Whether a token, a closure or a registry is known to be part of the cycle.
  package var hasObservation: Bool { contains { $0.from.kind != .object } }

  /// The reference of a cycle that is best made weak, or nil if there is none.
  ///
  /// A capture of a closure is written by the programmer, who can write `[weak …]`.
  package var indexToWeaken: Int? {
    firstIndex { $0.from.kind == .closure } ?? indices.last
  }

  /// That reference.
  package var weakened: Reference? { indexToWeaken.map { self[$0] } }
}

extension Verdict {
  /// A verdict about one registration.
  package init(
    _ code: RuleCode,
    of registration: Registration,
    _ evidence: [Evidence],
    _ detail: Detail = .none,
    confidence: Confidence? = nil
  ) {
    self.init(
      code,
      subject: registration.subject,
      observer: registration.observer,
      keyPath: registration.keyPath,
      context: registration.context,
      registration: registration.id,
      evidence: evidence,
      detail: detail,
      confidence: confidence ?? Confidence(comparing: evidence)
    )
    form = registration.form
  }
}
