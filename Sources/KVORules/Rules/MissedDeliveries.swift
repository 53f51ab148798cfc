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
    /// The slots of the registrations that wait: one that ends is excused, so none is used again.
    var waiting: SmallSet
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

  /// A callback of the registration at `slot` was claimed for a change, or for one without a number.
  ///
  /// - Returns: whether it was waited for.
  mutating func deliver(_ slot: Int, _ change: ChangeID?) -> Bool {
    // It is almost always the last.
    var place = pending.count - 1
    while place >= 0 {
      let id = pending[place].change.id
      if change == nil || id == nil || change == id, pending[place].waiting.remove(slot) { break }
      place -= 1
    }
    if place < 0 { return false }
    guard pending[place].waiting.isEmpty else { return true }
    if place == pending.count - 1 { pending.removeLast() } else { pending.remove(at: place) }
    return true
  }

  /// The registration ended, or came to be, while the deliveries went on: both is allowed.
  mutating func excuse(_ slot: Int) {
    var isOver = false
    for place in pending.indices where pending[place].waiting.remove(slot) {
      if pending[place].waiting.isEmpty { isOver = true }
    }
    if isOver { pending.removeAll { $0.waiting.isEmpty } }
  }

  mutating func forget(_ subject: ObjectID) {
    pending.removeAll { $0.change.subject.id == subject }
  }

  /// The thread, inside `depth` callbacks, is about to do `event`.
  ///
  /// - Returns: the changes whose deliveries are over.
  mutating func conclude(before event: Event.Body, depth: Int) -> [Pending] {
    switch event {
    case .register, .refused, .remove, .willChange, .scopeBegin, .scopeEnd, .exit,
      .cancel(_, by: .user):
      break
    case .notifyEnd:
      // The callback around the change returns, and so did the change.
      if depth == 0 { return [] }
    case .notify, .cancel, .attach, .detach, .lock, .unlock, .registerEnd, .removeEnd, .live,
      .threadName, .module, .crash, .dropped, .process:
      return []
    case .didChange, .deinit, .deinitEnd, .write, .hold, .drop, .walkBegin, .walkEnd,
      .expectDeinit, .classChanged, .declares:
      for place in pending.indices where depth <= pending[place].depth {
        pending[place].hasLaterEvents = true
      }
      return []
    }
    var over: [Pending] = []
    for place in pending.indices.reversed() where depth <= pending[place].depth {
      over.append(pending.remove(at: place))
    }
    return over.isEmpty ? [] : over.reversed()
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
