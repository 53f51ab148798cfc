import KVORules
import KVOTrace

/// Objects that observe themselves (KVO020), which is worse if a registry holds them strongly as well.
struct SelfObservations: Sendable {
  private var holds = RegistryHolds()
  /// The live registrations with which objects observe themselves, as they were judged.
  private var observations: [ObjectID: [Verdict]] = [:]

  var isEmpty: Bool { observations.isEmpty }

  /// A note, or a warning if a strong registry holds the object as well: it is then never deallocated.
  mutating func observe(_ verdict: Verdict, _ log: inout ReplayState) {
    guard let object = verdict.subject?.id else { return }
    if let holder = holds.holder(of: object) {
      log.verdicts.append(verdict.heldBy(holder, at: nil))
    } else {
      log.verdicts.append(verdict)
      observations[object, default: []].append(verdict)
    }
  }

  /// A registry that may hold its objects strongly retains one.
  mutating func hold(_ reference: Reference, _ evidence: Evidence, _ log: inout ReplayState) {
    guard holds.hold(reference) else { return }
    let known = observations.removeValue(forKey: reference.to.id) ?? []
    log.verdicts += known.map { $0.heldBy(reference.from, at: evidence.at(reference.site)) }
  }

  mutating func drop(_ reference: Reference) { holds.drop(reference) }

  /// The registration at `slot` ended.
  mutating func end(of slot: Int, _ log: inout ReplayState) {
    let subject = log.ledger.slots[slot].registration.subject.id
    guard log.ledger.slots[slot].registration.observer?.id == subject else { return }
    let id = log.ledger.slots[slot].registration.id
    observations[subject]?.removeAll { $0.registration == id }
    if observations[subject]?.isEmpty == true { observations[subject] = nil }
  }

  /// The object was deallocated.
  mutating func forget(_ object: ObjectID) {
    holds.forget(object)
    if !observations.isEmpty { observations[object] = nil }
  }
}

extension Verdict {
  /// KVO020 with raised severity: `holder` keeps the object alive, and so the registration.
  fileprivate func heldBy(_ holder: ObjectRef, at evidence: Evidence?) -> Verdict {
    var copy = self
    copy.severity = .warning
    copy.detail = .heldBy(holder)
    if let evidence { copy.evidence.append(evidence.as(.changed)) }
    return copy
  }
}
