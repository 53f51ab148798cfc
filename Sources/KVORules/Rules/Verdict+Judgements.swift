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
      subject: registration.subject,
      observer: registration.observer,
      keyPath: registration.keyPath,
      context: registration.context,
      registration: registration.id,
      evidence: [
        evidence.as(.failed), notified?.as(.notified), registered?.as(.registered),
      ].compactMap(\.self)
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
      subject: registration.subject,
      observer: registration.observer,
      keyPath: registration.keyPath,
      context: registration.context,
      registration: registration.id,
      evidence: [evidence.as(.failed)],
      detail: .refusal(reason, part: part)
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
  }
}
