import KVOTrace

// KVO024, KVO025 and KVO030: changes and removals that meet what another thread, or another library,
// does to the same object.
extension RuleEngine {
  // MARK: - KVO024

  /// A change begins: another thread may be in one of the same value.
  @inline(__always)
  mutating func judgeConcurrentChange(_ change: Change, _ evidence: Evidence, _ thread: Int) {
    if threads.busy.isEmpty || (threads.busy.count == 1 && threads.busy[0] == thread) { return }
    compareWithOtherThreads(change, evidence, thread)
  }

  private mutating func compareWithOtherThreads(
    _ change: Change,
    _ evidence: Evidence,
    _ thread: Int
  ) {
    var related: Set<StringID>?
    for other in threads.busy where other != thread && !threads[other].brackets.isEmpty {
      if related == nil {
        related = dependencies.related(to: change.key, in: change.subject.className)
      }
      let open = threads[other].brackets.open(of: change.subject.id) {
        $0 == change.key || related?.contains($0) == true
      }
      guard let open else { continue }
      let proof = [evidence, open.began.as(.changed)]
      verdicts += overlaps.found(
        Verdict(
          .concurrentChange,
          subject: change.subject,
          keyPath: change.key,
          evidence: proof,
          detail: .otherKey(open.change.key),
          confidence: droppedAt == nil ? Confidence(comparing: proof) : .low
        )
      )
      return
    }
  }

  // MARK: - KVO025

  /// A removal by name begins, which matched the registration at `slot`, or none (-1).
  mutating func judgeConcurrentRemoval(
    _ removal: Removal,
    _ slot: Int,
    _ evidence: Evidence,
    _ thread: Int
  ) {
    if !removals.isEmpty, let other = removals.overlapping(removal, slot, on: thread) {
      let verdict = overlap(
        .removal,
        removal,
        slot >= 0 ? slot : other.slot,
        [evidence.as(.failed), other.began.as(.removed)]
      )
      if removals.admit(verdict) { verdicts.append(verdict) }
    }
    if !deaths.isEmpty, slot >= 0, let death = deaths[removal.subject.id], !death.isOver,
      death.began.thread != evidence.thread
    {
      verdicts.append(overlap(.death, removal, slot, [evidence.as(.failed), death.began]))
    }
    removals.begin(removal, slot, on: thread, at: evidence)
  }

  mutating func beginDeath(of object: ObjectID, _ evidence: Evidence, _ place: Place) {
    deaths.set(object, Death(began: evidence.as(.deallocated)))
    if removals.isEmpty { return }
    for open in removals.removals(on: object, notOn: place.thread) where open.slot >= 0 {
      let verdict = overlap(
        .death,
        open.removal,
        open.slot,
        [open.began.as(.failed), evidence.as(.deallocated)]
      )
      if removals.admit(verdict) { verdicts.append(verdict) }
    }
  }

  private func overlap(
    _ overlap: Verdict.Overlap,
    _ removal: Removal,
    _ slot: Int,
    _ proof: [Evidence]
  ) -> Verdict {
    let registered = slot >= 0 ? [ledger.slots[slot].registered] : []
    return Verdict(
      .concurrentRemoval,
      subject: removal.subject,
      observer: removal.observer,
      keyPath: removal.keyPath,
      context: removal.context,
      registration: slot >= 0 ? ledger.slots[slot].registration.id : removal.registration,
      evidence: proof + registered,
      detail: .overlap(overlap),
      confidence: droppedAt == nil ? Confidence(comparing: proof) : .low
    )
  }

  // MARK: - KVO030

  /// The registration at `slot` was removed.
  mutating func judgeClass(_ slot: Int, _ evidence: Evidence) {
    let registration = ledger.slots[slot].registration
    let registered = ledger.slots[slot].registered
    guard let difference = classes.difference(since: registered, of: registration) else { return }
    verdicts.append(
      Verdict(
        .classChangedUnderObservation,
        of: registration,
        [evidence.as(.failed), difference.last.changed, registered],
        .classes(from: difference.from, to: difference.last.to)
      )
    )
  }
}
