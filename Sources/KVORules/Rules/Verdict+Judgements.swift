package import KVOTrace

/// Judgements that need no memory: one event is the whole proof.
extension Verdict {
  /// KVO017: the observer said that a notification was not its own.
  ///
  /// - Parameters:
  ///   - registration: whose notification it was.
  ///   - evidence: where the callback returned.
  ///   - notified: where the callback began, where that is known.
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

  /// KVO023: a callback was to run on `found`, and is expected elsewhere.
  ///
  /// - Parameters:
  ///   - registration: whose notification it was.
  ///   - found: where it came.
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
  ///   - act: what was done.
  ///   - registration: what it was done with.
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
  ///   - registration: what was asked for.
  ///   - reason: why it was refused.
  ///   - part: the part of the key path that was refused.
  ///   - evidence: where it was asked for.
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

extension Confidence {
  /// Low where the first event and another of the proof happened on different threads and their
  /// order is not known: lines of two threads may stand in the log the wrong way round.
  ///
  /// The orders must be of one subject.
  init(comparing evidence: [Evidence]) {
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
  ///   - cycle: the references, and the observation where it is known.
  ///   - confidence: how sure it is that nobody breaks it.
  ///   - isWhole: whether the log lacks nothing that may have broken it.
  /// - Returns: the verdict; a note where it does, or where a reference is suspected only, a warning where
  ///   the log does not say that an observation is part of the cycle.
  static func retainCycle(
    _ cycle: RetainCycles.Cycle,
    confidence: Confidence,
    isWhole: Bool
  ) -> Verdict {
    let references = cycle.edges.map(\.reference)
    let weakened = references.placeToWeaken.map { place in
      let edge = cycle.edges[place]
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

  /// The reference of a cycle that is best made weak, or nil where there is none.
  ///
  /// What a closure captures is what the programmer wrote, and says so with `[weak …]`.
  package var placeToWeaken: Int? {
    firstIndex { $0.from.kind == .closure } ?? indices.last
  }
}

extension Verdict {
  /// A verdict about one registration.
  init(
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
