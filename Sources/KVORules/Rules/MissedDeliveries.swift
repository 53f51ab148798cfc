import KVOTrace

/// The changes of one thread that were made and of which not everybody has been told yet (KVO032).
///
/// Deliveries follow their `didChange` on the same thread, and whatever a callback does lies deeper
/// than they do. So a delivery is missing for certain once the thread, back at the depth of the
/// change, does something that no observation layer does while it delivers.
struct MissedDeliveries: Sendable {
  struct Pending: Sendable {
    var change: Change
    var began: Evidence
    var made: Evidence
    /// How many callbacks the thread was in.
    var depth: Int
    var waiting: [RegistrationID: Confidence]
    /// Whether the thread went on after the change.
    var hasLaterEvents = false
  }

  static let capacity = 256

  private(set) var pending: [Pending] = []

  var isEmpty: Bool { pending.isEmpty }

  /// A change was made: everybody in `new.waiting` must be told.
  ///
  /// Beyond ``capacity`` the oldest change is no longer judged; a writer that logs no `notifyEnd`
  /// never leaves a callback.
  mutating func expect(_ new: Pending) {
    if new.waiting.isEmpty { return }
    if pending.count == Self.capacity { pending.removeFirst() }
    pending.append(new)
  }

  /// A callback of `registration` was claimed for a change, or for one without a number.
  ///
  /// - Returns: whether it was waited for.
  mutating func deliver(_ registration: RegistrationID, _ change: ChangeID?) -> Bool {
    let place = pending.lastIndex {
      $0.waiting[registration] != nil
        && (change == nil || $0.change.id == nil || change == $0.change.id)
    }
    guard let place else { return false }
    pending[place].waiting[registration] = nil
    if pending[place].waiting.isEmpty { pending.remove(at: place) }
    return true
  }

  /// The registration ended, or came to be, while the deliveries went on: both is allowed.
  mutating func excuse(_ registration: RegistrationID) {
    for place in pending.indices { pending[place].waiting[registration] = nil }
    pending.removeAll { $0.waiting.isEmpty }
  }

  mutating func forget(_ subject: ObjectID) {
    pending.removeAll { $0.change.subject.id == subject }
  }

  /// The thread, inside `depth` callbacks, is about to do `event`.
  ///
  /// - Returns: the changes whose deliveries are over.
  mutating func conclude(before event: Event.Body, depth: Int) -> [Pending] {
    var over: [Pending] = []
    for place in pending.indices.reversed() where depth <= pending[place].depth {
      switch event {
      case .register, .refused, .remove, .willChange, .scopeBegin, .scopeEnd, .exit,
        .cancel(_, by: .user):
        over.append(pending.remove(at: place))
      case .notifyEnd:
        // The callback around the change returns, and so did the change.
        if depth > 0 { over.append(pending.remove(at: place)) }
      case .notify, .cancel, .attach, .detach, .lock, .unlock, .registerEnd, .removeEnd, .live,
        .threadName, .module, .crash, .dropped, .process:
        break
      case .didChange, .deinit, .deinitEnd, .write, .hold, .drop, .walkBegin, .walkEnd,
        .expectDeinit, .classChanged, .declares:
        pending[place].hasLaterEvents = true
      }
    }
    return over.reversed()
  }

  /// The log ends.
  ///
  /// - Parameters:
  ///   - isOrderly: whether the process went through its `exit`.
  ///   - depth: how many callbacks the thread was in.
  /// - Returns: the changes whose deliveries are over for certain, and whether there are others.
  mutating func finish(isOrderly: Bool, depth: Int) -> (over: [Pending], isCut: Bool) {
    let over = pending.filter { (isOrderly || $0.hasLaterEvents) && depth <= $0.depth }
    let isCut = over.count < pending.count
    pending = []
    return (over, isCut)
  }
}
