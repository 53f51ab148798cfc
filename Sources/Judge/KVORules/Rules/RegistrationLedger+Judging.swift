package import KVOTrace

// KVO001 to KVO007, KVO010, KVO018 and KVO020: faults of each addition, removal and deallocation. Ended registrations
// are retained, and the caller releases them.
extension RegistrationLedger {
  /// How many contexts or earlier registrations one verdict lists at the most.
  package static let listLimit = 8

  /// Adds `registration`, whose number is set and not live.
  ///
  /// - KVO005: an equal observer, key path and context is live. Only registrations that name the observer can be equal:
  ///   two tokens or streams each have a handler, and are two observations.
  /// - KVO018 instead, if, by the log, the two were made at different call sites, and a context could have
  ///   distinguished them.
  /// - KVO020: the object observes itself, by name or through a controller.
  ///
  /// `isFinished` says whether the addition has returned, as ``finishAdding(_:)`` would.
  ///
  /// - Returns: the slot of the registration, and that of the one that it replaced, which ended;
  ///   -1: none.
  package mutating func add(
    _ registration: Registration,
    on subject: Int,
    at evidence: Evidence,
    isFinished: Bool = false,
    _ verdicts: inout [Verdict]
  ) -> (slot: Int, displaced: Int) {
    var displaced = -1
    if let observer = registration.observer {
      judgeCopy(registration, on: subject, at: evidence, &verdicts)
      // Only a registration by name replaces a registration by name, regardless of the context.
      if subjects[subject].semantics == .overwriting, registration.isClassic {
        displaced = newest(NamePair(registration), nil, on: subject).slot
        if displaced >= 0 {
          judgeDisplacement(displaced, by: registration, at: evidence, &verdicts)
          end(displaced, at: evidence, by: .runtime)
        }
      }
      // A closure of a token or a stream notifies no observer by name.
      if observer.id == registration.subject.id, registration.notifiesByName {
        verdicts.append(verdict(.selfObservation, registration, [evidence.as(.failed)]))
      }
    }
    let slot = insert(registration, on: subject, at: evidence, isBeingAdded: !isFinished)
    return (slot, displaced)
  }

  /// The registration that ``remove(_:from:at:matching:_:)`` would end now; -1: none.
  package mutating func match(
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

  /// Removes by name, and judges the result as `SubjectLedger.remove` documents.
  ///
  /// - Returns: the slot of the registration that it ended; -1: none.
  package mutating func remove(
    _ removal: Removal,
    from subject: Int,
    at evidence: Evidence,
    matching: SubjectLedger.Matching,
    _ verdicts: inout [Verdict]
  ) -> Int {
    let slot = match(for: removal, on: subject, matching)
    guard slot >= 0 else {
      if case .recorded(let id?) = matching {
        // Named by the log: a registration from before it began, unless it was removed already.
        let before = newestEnded(of: subject) { $0.registration.id == id && $0.cause == nil }
        if before >= 0 { verdicts.append(again(removal, before, subject, evidence)) }
      } else {
        if let verdict = unmatched(removal, subject, evidence) { verdicts.append(verdict) }
      }
      return -1
    }
    // Registrations that do not state their observer may have different ones.
    if removal.context == .unspecified, removal.observer != nil,
      hasSeveralContexts(NamePair(removal), on: subject)
    {
      verdicts.append(ambiguous(removal, slot, subject, evidence))
    }
    judgeRemovalDuringInitial(slot, at: evidence, &verdicts)
    end(slot, at: evidence, by: nil)
    return slot
  }

  /// Ends the live registration at `slot` otherwise than by name; judged as `SubjectLedger.cancel` documents.
  package mutating func cancel(
    _ slot: Int,
    by cause: CancelCause,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) {
    switch cause {
    case .subject:
      // A stream ends with its object, as its reader expects.
      if slots[slot].registration.form != .stream {
        verdicts.append(leftBehind(.observedDeinitWhileObserved, slot, evidence))
      }
    case .observer:
      if slots[slot].registration.isClassic {
        verdicts.append(leftBehind(.observerDeinitWhileRegistered, slot, evidence))
      }
    case .user, .owner, .token: judgeRemovalDuringInitial(slot, at: evidence, &verdicts)
    case .runtime: break
    }
    end(slot, at: evidence, by: cause)
  }

  /// The observed object was deallocated: one KVO006 for each remaining registration, all of which end.
  ///
  /// - Returns: the ended registrations, in order of addition.
  package mutating func subjectDeallocated(
    _ subject: Int,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) -> [Int] {
    if subjects[subject].count == 0 { return [] }
    let left = live(of: subject)
    for slot in left { cancel(slot, by: .subject, at: evidence, &verdicts) }
    return left
  }

  /// An observer was deallocated: one KVO007 for each of its registrations that only a removal by name would
  /// have ended.
  ///
  /// Controllers and streams end with their observer by design, without a verdict. A token's registration remains: the
  /// token may outlive the observer.
  ///
  /// - Returns: the ended registrations, in order of addition.
  package mutating func observerDeallocated(
    _ observer: ObjectID,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) -> [Int] {
    var ended = live(observedBy: observer)
    ended.removeAll { slots[$0].registration.form == .token }
    for slot in ended { cancel(slot, by: .observer, at: evidence, &verdicts) }
    return ended
  }

  /// KVO005 or KVO018, if an equal registration of the same form is live.
  private mutating func judgeCopy(
    _ registration: Registration,
    on subject: Int,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) {
    guard registration.notifiesByName, subjects[subject].count > 0 else { return }
    let pair = NamePair(registration)
    let earlier = newest(pair, registration.context.asAdded, on: subject)
    guard earlier.slot >= 0, slots[earlier.slot].registration.form == registration.form
    else { return }
    let first = slots[earlier.slot].registered
    // A controller's closures need no context to be distinguished: they are called twice either way.
    let hasContext = registration.isClassic || registration.context != .unspecified
    let isElsewhere = hasContext && evidence.isElsewhere(than: first)
    let hasSites = evidence.site != .none && first.site != .none
    verdicts.append(
      verdict(
        isElsewhere && hasSites ? .contextCollision : .duplicateRegistration,
        registration,
        [evidence.as(.failed), first],
        detail: isElsewhere && !hasSites
          ? .copiesElsewhere(earlier.count + 1) : .copies(earlier.count + 1)
      )
    )
  }

  /// Judges that the runtime, by the log, ends the live registration at `slot`: a later addition displaced it.
  ///
  /// In a runtime that is known to overwrite, that addition was judged when it was made, and left nothing to end.
  package mutating func judgeDisplacement(of slot: Int, _ verdicts: inout [Verdict]) {
    let registration = slots[slot].registration
    guard registration.observer != nil, registration.isClassic else { return }
    let latest = newest(NamePair(registration), nil, on: Int(slots[slot].subject)).slot
    guard latest >= 0, latest != slot else { return }
    let (later, added) = (slots[latest].registration, slots[latest].registered)
    judgeDisplacement(slot, by: later, at: added, &verdicts)
  }

  /// KVO038, if the runtime releases an observation under another context: the program requested both.
  private func judgeDisplacement(
    _ displaced: Int,
    by registration: Registration,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) {
    let context = slots[displaced].registration.context
    guard context.asAdded != registration.context.asAdded else { return }
    verdicts.append(
      verdict(
        .displacedRegistration,
        registration,
        [evidence.as(.failed), slots[displaced].registered],
        detail: .otherContexts([context])
      )
    )
  }

  /// KVO010, if the removal ran inside the registration's own initial delivery: on the thread
  /// that delivers it.
  ///
  /// It is a fault of the classic form alone: runtimes that add a registration after its initial delivery then remove
  /// one that does not exist yet. Tokens, controllers and streams end it once it does.
  private func judgeRemovalDuringInitial(
    _ slot: Int,
    at evidence: Evidence,
    _ verdicts: inout [Verdict]
  ) {
    guard slots[slot].registration.isClassic, slots[slot].isDeliveringInitial,
      slots[slot].isBeingAdded,
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
