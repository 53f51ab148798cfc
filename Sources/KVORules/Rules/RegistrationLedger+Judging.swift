import KVOTrace

// KVO001 to KVO007, KVO010, KVO018 and KVO020: what is wrong with each addition, removal and death. What
// ends is held, and the caller releases it.
extension RegistrationLedger {
  /// How many contexts or earlier registrations one verdict lists at the most.
  static let listLimit = 8

  /// Adds `registration`, whose number is set and not live.
  ///
  /// - KVO005: an equal observer, key path and context is live. Without an observer nothing is
  ///   equal: two tokens of a closure each are two observations.
  /// - KVO018 instead, where the log says that the two were made at different places.
  /// - KVO020: the object observes itself.
  ///
  /// `isFinished` says whether the addition has returned, as ``finishAdding(_:)`` would.
  ///
  /// - Returns: the slot of the registration, and that of the one whose place it took, which ended;
  ///   -1: none.
  mutating func add(
    _ registration: Registration,
    on subject: Int,
    at evidence: Evidence,
    isFinished: Bool = false,
    _ verdicts: inout [Verdict]
  ) -> (slot: Int, displaced: Int) {
    var displaced = -1
    if let observer = registration.observer {
      let earlier = newestEqual(to: registration, on: subject)
      if earlier.slot >= 0 {
        let sites = (evidence.site, slots[earlier.slot].registered.site)
        let isElsewhere = sites.0 != .none && sites.1 != .none && sites.0 != sites.1
        verdicts.append(
          verdict(
            isElsewhere ? .contextCollision : .duplicateRegistration,
            registration,
            [evidence.as(.failed), slots[earlier.slot].registered],
            detail: .copies(earlier.count + 1)
          )
        )
      }
      // Only what was added by name takes the place of what was added by name, whatever its context.
      if subjects[subject].semantics == .overwriting, registration.isClassic {
        displaced = newest(NamePair(registration), nil, on: subject).slot
        if displaced >= 0 { end(displaced, at: evidence, by: nil, isRemembered: false) }
      }
      if observer.id == registration.subject.id {
        verdicts.append(verdict(.selfObservation, registration, [evidence.as(.failed)]))
      }
    }
    let slot = insert(registration, on: subject, at: evidence, isBeingAdded: !isFinished)
    return (slot, displaced)
  }

  /// The registration that ``remove(_:from:at:matching:_:)`` would end now; -1: none.
  mutating func match(
    for removal: Removal,
    on subject: Int,
    _ matching: SubjectLedger.Matching
  ) -> Int {
    if case .recorded(let id) = matching {
      guard let id else { return -1 }
      let slot = liveSlot(of: id)
      return slot >= 0 && Int(slots[slot].subject) == subject ? slot : -1
    }
    let context = removal.context == .unspecified ? nil : removal.context
    return newest(NamePair(removal), context, on: subject).slot
  }

  /// Removes by name, and judges what it found; `SubjectLedger.remove` says how.
  ///
  /// - Returns: the slot of the registration that it ended; -1: none.
  mutating func remove(
    _ removal: Removal,
    from subject: Int,
    at evidence: Evidence,
    matching: SubjectLedger.Matching,
    _ verdicts: inout [Verdict]
  ) -> Int {
    let slot = match(for: removal, on: subject, matching)
    guard slot >= 0 else {
      if case .recorded(let id?) = matching {
        // Said by the log: a registration from before it began, unless it was removed already.
        let before = newestEnded(of: subject) { $0.registration.id == id && $0.cause == nil }
        if before >= 0 { verdicts.append(again(removal, before, subject, evidence)) }
      } else {
        verdicts.append(unmatched(removal, subject, evidence))
      }
      return -1
    }
    if removal.context == .unspecified, hasSeveralContexts(NamePair(removal), on: subject) {
      verdicts.append(ambiguous(removal, slot, subject, evidence))
    }
    judgeRemovalDuringInitial(slot, at: evidence, &verdicts)
    end(slot, at: evidence, by: nil)
    return slot
  }

  /// Ends the live registration at `slot` otherwise than by name; `SubjectLedger.cancel` says what is
  /// wrong with that.
  mutating func cancel(
    _ slot: Int,
    by cause: CancelCause,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) {
    switch cause {
    case .subject: verdicts.append(leftBehind(.observedDeinitWhileObserved, slot, evidence))
    case .observer:
      if slots[slot].registration.isClassic {
        verdicts.append(leftBehind(.observerDeinitWhileRegistered, slot, evidence))
      }
    case .user, .owner, .token: judgeRemovalDuringInitial(slot, at: evidence, &verdicts)
    }
    end(slot, at: evidence, by: cause)
  }

  /// The observed object is gone: one KVO006 for each registration left, which all end.
  ///
  /// - Returns: what ended, in order of addition.
  mutating func subjectDied(
    _ subject: Int,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) -> [Int] {
    if subjects[subject].count == 0 { return [] }
    let left = live(of: subject)
    for slot in left { cancel(slot, by: .subject, at: evidence, &verdicts) }
    return left
  }

  /// An observer is gone: one KVO007 for each registration of its that only a removal by name would
  /// have ended.
  ///
  /// Controllers and streams end with their observer by design, without a verdict. What a token
  /// holds stays: the token may live on.
  ///
  /// - Returns: what ended, in order of addition.
  mutating func observerDied(
    _ observer: ObjectID,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) -> [Int] {
    var ended = live(observedBy: observer)
    ended.removeAll { slots[$0].registration.form == .token }
    for slot in ended { cancel(slot, by: .observer, at: evidence, &verdicts) }
    return ended
  }

  /// The newest live registration of the same name, whatever form made it, and how many there are.
  private mutating func newestEqual(
    to registration: Registration,
    on subject: Int
  ) -> (slot: Int, count: Int) {
    if subjects[subject].count == 0 { return (-1, 0) }
    var pair = NamePair(registration)
    let context = registration.context.asAdded
    let sameForm = newest(pair, context, on: subject)
    pair.isClassic.toggle()
    let otherForm = newest(pair, context, on: subject)
    if otherForm.slot < 0 { return sameForm }
    if sameForm.slot < 0 { return otherForm }
    return (sameForm.slot, sameForm.count + otherForm.count)
  }

  /// KVO010, where the removal ran inside the registration's own initial delivery: on the thread
  /// that delivers it.
  private func judgeRemovalDuringInitial(
    _ slot: Int,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) {
    guard slots[slot].isDeliveringInitial, slots[slot].isBeingAdded,
      slots[slot].later.thread == evidence.thread
    else { return }
    verdicts.append(
      verdict(
        .removeDuringInitial,
        slots[slot].registration,
        [evidence.as(.failed), slots[slot].later.as(.notified), slots[slot].registered]
      )
    )
  }
}
