import KVORules
import KVOTrace

// A recorder that has a budget records all events of some objects and leaves out the others. Events of objects that are
// recorded are as good as in a whole log. Of objects that are left out, the log has the deallocations, which may be
// those of observers, and what other threads recorded before they noticed: those events prove nothing, and are not
// judged.
//
// When the recorder begins to leave out objects that it recorded before, events are missing from then on as in a loss:
// a change of such an object may have ended, and its registrations may be gone.

/// The objects that a log has.
struct Sampling: Sendable {
  var sample: ObjectSample
  /// The event that says so; nil: the beginning of the log does.
  var since: Int?

  init(share: UInt64, since: Int?) {
    sample = ObjectSample(share: share)
    self.since = since
  }

  /// The reason why no rule was judged for all objects.
  var why: String {
    let share = "\(sample.share) of \(ObjectSample.all)"
    let from = since.map { "from event \($0) on" } ?? "from the beginning on"
    return "the recorder kept within its budget and recorded a sample of the objects, \(share), "
      + "\(from): nothing is known of the others"
  }
}

extension ReplayState {
  /// Whether `event` is about an object that is not recorded, and so must not be judged.
  mutating func isLeftOut(_ event: UnsafePointer<Event>, _ target: EventTarget) -> Bool {
    guard let sample = sampling?.sample else { return false }
    switch event.pointee.body {
    // The observer of a recorded object, perhaps.
    case .deinit, .deinitEnd, .expectDeinit: return false
    default: break
    }
    if let object = event.pointee.body.object { return !sample.contains(object.id) }
    guard event.pointee.body.registration != nil else { return false }
    return target.slot < 0
      || !sample.contains(ledger.slots[target.slot].registration.subject.id)
  }

  /// Whether `event` names an object that is not recorded.
  func isOfLeftOut(_ event: UnsafePointer<Event>) -> Bool {
    guard let sample = sampling?.sample, let object = event.pointee.body.object else {
      return false
    }
    return !sample.contains(object.id)
  }

  /// Whether the registration at `slot` is of an object that is recorded to the end.
  func isRecorded(_ slot: Int) -> Bool {
    sampling?.sample.contains(ledger.slots[slot].registration.subject.id) ?? true
  }

  /// Withdraws the verdicts that hold only if the changes of other objects are recorded, too.
  mutating func withholdUnsampled() {
    guard sampling != nil else { return }
    verdicts.removeAll { verdict in
      // A path may hang itself on another object because of a change of one that is not recorded.
      if verdict.code == .mutationWithoutNotification, case .links = verdict.detail { return true }
      return !(verdict.subject.map { sampling?.sample.contains($0.id) ?? true } ?? true)
    }
  }
}
