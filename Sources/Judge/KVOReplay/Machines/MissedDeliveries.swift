import KVORules
import KVOTrace

/// The completed changes of one thread of which some observers have not been notified yet (KVO032).
///
/// Deliveries follow their `didChange` on the same thread, and events inside a callback are nested deeper. So a
/// delivery is missing for certain once the thread, back at the depth of the change, does something that no KVO
/// implementation does while it delivers.
struct MissedDeliveries: Sendable {
  struct Pending: Sendable {
    var change: Change
    var began: Evidence
    var made: Evidence
    /// How many callbacks the thread was in.
    var depth: Int
    /// Whether one of them was for the same object and key.
    var isInsideOwn: Bool
    /// Whether the thread continued after the change.
    var hasLaterEvents = false
    /// The first slots of the waiting registrations: one that ends is excused, so no slot is reused.
    fileprivate var waiting = FewSlots()
    fileprivate var waitingCount = 0
    /// The index of the overflow list for registrations that do not fit in `waiting`; -1: none.
    fileprivate var crowd = -1

    init(change: Change, began: Evidence, made: Evidence, depth: Int, isInsideOwn: Bool = false) {
      self.change = change
      self.began = began
      self.made = made
      self.depth = depth
      self.isInsideOwn = isInsideOwn
    }
  }

  /// A change that has been delivered to every registration that will receive it.
  struct Over: Sendable {
    var pending: Pending
    /// The slots of those that were not notified, in no order.
    var waiting: [Int]
  }

  static let capacity = 256

  private(set) var pending: [Pending] = []
  /// By number; stored separately, so that the many pending changes are plain words.
  private var crowds: [Int: Set<Int32>] = [:]
  private var nextCrowd = 0

  var isEmpty: Bool { pending.isEmpty }

  /// A change was made: the registrations in `waiting`, all different, must be notified.
  ///
  /// Beyond ``capacity`` the oldest change is no longer judged; a writer that logs no `notifyEnd`
  /// never leaves a callback.
  mutating func expect(_ new: Pending, by waiting: [Int32]) {
    if waiting.isEmpty { return }
    if pending.count == Self.capacity { drop(0) }
    var new = new
    new.waitingCount = waiting.count
    for slot in waiting.prefix(FewSlots.capacity) { _ = new.waiting.insert(slot) }
    if waiting.count > FewSlots.capacity {
      new.crowd = nextCrowd
      crowds[nextCrowd] = Set(waiting[FewSlots.capacity...])
      nextCrowd += 1
    }
    pending.append(new)
  }

  /// A callback of the registration at `slot` was claimed for a change, or for one without a number.
  ///
  /// - Returns: whether it was waited for.
  mutating func deliver(_ slot: Int, _ change: ChangeID?) -> Bool {
    // It is almost always the last one.
    var index = pending.count - 1
    while index >= 0 {
      let id = pending[index].change.id
      if change == nil || id == nil || change == id, deliver(slot, of: index) { break }
      index -= 1
    }
    if index < 0 { return false }
    if pending[index].waitingCount == 0 { drop(index) }
    return true
  }

  /// The registration ended, or began, during the deliveries: both are allowed.
  mutating func excuse(_ slot: Int) {
    for index in pending.indices.reversed() where deliver(slot, of: index) {
      if pending[index].waitingCount == 0 { drop(index) }
    }
  }

  mutating func forget(_ subject: ObjectID) {
    for index in pending.indices.reversed() where pending[index].change.subject.id == subject {
      drop(index)
    }
  }

  /// Removes the registration at `slot` from those that wait for a change.
  ///
  /// - Returns: whether it waited.
  private mutating func deliver(_ slot: Int, of index: Int) -> Bool {
    let slot = Int32(truncatingIfNeeded: slot)
    let crowd = pending[index].crowd
    guard
      pending[index].waiting.remove(slot) || (crowd >= 0 && crowds[crowd]?.remove(slot) != nil)
    else { return false }
    pending[index].waitingCount -= 1
    return true
  }

  /// Removes a change, with its overflow list.
  private mutating func drop(_ index: Int) {
    if pending[index].crowd >= 0 { crowds[pending[index].crowd] = nil }
    if index == pending.count - 1 { pending.removeLast() } else { pending.remove(at: index) }
  }

  /// Removes a change that has ended.
  private mutating func conclude(_ index: Int) -> Over {
    let crowd = crowds[pending[index].crowd] ?? []
    let waiting = pending[index].waiting.all + crowd.map { Int($0) }
    defer { drop(index) }
    return Over(pending: pending[index], waiting: waiting)
  }

  /// A conclusion from the next event of the thread.
  enum Conclusion {
    /// None: a KVO implementation does this while it delivers.
    case none
    /// The thread continued.
    case wentOn
    /// No change at this depth has any pending deliveries.
    case over
    /// As ``over``, when the event is inside a callback.
    case overInCallback
  }

  @inline(__always)
  static func conclusion(of event: UnsafePointer<Event>) -> Conclusion {
    switch event.pointee.body {
    // It may be of another thread, and ends what the delivery is awaited for.
    case .remove where event.pointee.thread == nil,
      .cancel where event.pointee.thread == nil:
      .none
    case .register, .remove, .willChange, .scopeBegin, .scopeEnd, .exit, .cancel(_, by: .user):
      .over
    // The callback around the change returns, and so did the change.
    case .notifyEnd: .overInCallback
    // A path that is followed to another object may be refused there.
    case .notify, .cancel, .refused, .attach, .detach, .lock, .unlock, .registerEnd, .removeEnd,
      .live, .threadName, .module, .crash, .dropped, .process, .expects, .keep, .sample,
      .consumerBegin, .parked, .consumerEnd,
      // A probe looks at the value between the change and its deliveries.
      .write:
      .none
    case .didChange, .deinit, .deinitEnd, .hold, .drop, .walkBegin, .walkEnd,
      .expectDeinit, .classChanged, .declares:
      .wentOn
    }
  }

  /// The thread, inside `depth` callbacks, is about to perform the event that led to `conclusion`.
  ///
  /// - Returns: the changes whose deliveries are over.
  mutating func conclude(_ conclusion: Conclusion, depth: Int) -> [Over] {
    switch conclusion {
    case .none: return []
    case .wentOn:
      for index in pending.indices where depth <= pending[index].depth {
        pending[index].hasLaterEvents = true
      }
      return []
    case .overInCallback: if depth == 0 { return [] }
    case .over: break
    }
    var over: [Over] = []
    for index in pending.indices.reversed() where depth <= pending[index].depth {
      over.append(conclude(index))
    }
    return over.isEmpty ? [] : over.reversed()
  }

  /// The log ends.
  ///
  /// - Parameters:
  ///   - isOrderly: whether the process went through its `exit`.
  ///   - depth: how many callbacks the thread was in.
  ///   - lastAct: if it did, the deliveries of changes that were made before this event are over.
  /// - Returns: the changes whose deliveries are over for certain, and whether there are others.
  mutating func finish(
    isOrderly: Bool,
    depth: Int,
    before lastAct: Int
  ) -> (over: [Over], isCut: Bool) {
    var over: [Over] = []
    for index in pending.indices.reversed() where depth <= pending[index].depth {
      let isOver = isOrderly && pending[index].made.event < lastAct
      guard isOver || pending[index].hasLaterEvents else { continue }
      over.append(conclude(index))
    }
    defer { self = MissedDeliveries() }
    return (over.reversed(), !pending.isEmpty)
  }
}
