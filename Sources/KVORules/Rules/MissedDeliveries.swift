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
    /// Whether the thread went on after the change.
    var hasLaterEvents = false
    /// The first slots of the registrations that wait: one that ends is excused, so none is used
    /// again.
    fileprivate var waiting = FewPlaces()
    fileprivate var waitingCount = 0
    /// Which of the crowds has those that found no room in `waiting`; -1: there are none.
    fileprivate var crowd = -1

    init(change: Change, began: Evidence, made: Evidence, depth: Int) {
      self.change = change
      self.began = began
      self.made = made
      self.depth = depth
    }
  }

  /// A change of which all is told that is going to be.
  struct Over: Sendable {
    var pending: Pending
    /// The slots of those that were not told, in no order.
    var waiting: [Int]
  }

  static let capacity = 256

  private(set) var pending: [Pending] = []
  /// By number; apart, so that the pending changes, of which there are many, are plain words.
  private var crowds: [Int: Set<Int32>] = [:]
  private var nextCrowd = 0

  var isEmpty: Bool { pending.isEmpty }

  /// A change was made: the registrations in `waiting`, all different, must be told.
  ///
  /// Beyond ``capacity`` the oldest change is no longer judged; a writer that logs no `notifyEnd`
  /// never leaves a callback.
  mutating func expect(_ new: Pending, by waiting: [Int32]) {
    if waiting.isEmpty { return }
    if pending.count == Self.capacity { drop(0) }
    var new = new
    new.waitingCount = waiting.count
    for slot in waiting.prefix(FewPlaces.capacity) { _ = new.waiting.insert(slot) }
    if waiting.count > FewPlaces.capacity {
      new.crowd = nextCrowd
      crowds[nextCrowd] = Set(waiting[FewPlaces.capacity...])
      nextCrowd += 1
    }
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
      if change == nil || id == nil || change == id, tell(slot, of: place) { break }
      place -= 1
    }
    if place < 0 { return false }
    if pending[place].waitingCount == 0 { drop(place) }
    return true
  }

  /// The registration ended, or came to be, while the deliveries went on: both is allowed.
  mutating func excuse(_ slot: Int) {
    for place in pending.indices.reversed() where tell(slot, of: place) {
      if pending[place].waitingCount == 0 { drop(place) }
    }
  }

  mutating func forget(_ subject: ObjectID) {
    for place in pending.indices.reversed() where pending[place].change.subject.id == subject {
      drop(place)
    }
  }

  /// Takes the registration at `slot` out of those that wait for a change.
  ///
  /// - Returns: whether it waited.
  private mutating func tell(_ slot: Int, of place: Int) -> Bool {
    let slot = Int32(truncatingIfNeeded: slot)
    let crowd = pending[place].crowd
    guard
      pending[place].waiting.remove(slot) || (crowd >= 0 && crowds[crowd]?.remove(slot) != nil)
    else { return false }
    pending[place].waitingCount -= 1
    return true
  }

  /// Takes a change out, with its crowd.
  private mutating func drop(_ place: Int) {
    if pending[place].crowd >= 0 { crowds[pending[place].crowd] = nil }
    if place == pending.count - 1 { pending.removeLast() } else { pending.remove(at: place) }
  }

  /// Takes a change out, as one that is over.
  private mutating func conclude(_ place: Int) -> Over {
    let crowd = crowds[pending[place].crowd] ?? []
    let waiting = pending[place].waiting.all + crowd.map { Int($0) }
    defer { drop(place) }
    return Over(pending: pending[place], waiting: waiting)
  }

  /// What can be concluded from the next event of the thread.
  enum Conclusion {
    /// Nothing: an observation layer does this while it delivers.
    case none
    /// The thread went on.
    case wentOn
    /// No change at this depth has any deliveries to come.
    case over
    /// As ``over``, where the event is inside a callback.
    case overInCallback
  }

  @inline(__always)
  static func conclusion(of event: UnsafePointer<Event>) -> Conclusion {
    switch event.pointee.body {
    case .register, .refused, .remove, .willChange, .scopeBegin, .scopeEnd, .exit,
      .cancel(_, by: .user):
      .over
    // The callback around the change returns, and so did the change.
    case .notifyEnd: .overInCallback
    case .notify, .cancel, .attach, .detach, .lock, .unlock, .registerEnd, .removeEnd, .live,
      .threadName, .module, .crash, .dropped, .process, .expects:
      .none
    case .didChange, .deinit, .deinitEnd, .write, .hold, .drop, .walkBegin, .walkEnd,
      .expectDeinit, .classChanged, .declares:
      .wentOn
    }
  }

  /// The thread, inside `depth` callbacks, is about to do what `conclusion` was drawn from.
  ///
  /// - Returns: the changes whose deliveries are over.
  mutating func conclude(_ conclusion: Conclusion, depth: Int) -> [Over] {
    switch conclusion {
    case .none: return []
    case .wentOn:
      for place in pending.indices where depth <= pending[place].depth {
        pending[place].hasLaterEvents = true
      }
      return []
    case .overInCallback: if depth == 0 { return [] }
    case .over: break
    }
    var over: [Over] = []
    for place in pending.indices.reversed() where depth <= pending[place].depth {
      over.append(conclude(place))
    }
    return over.isEmpty ? [] : over.reversed()
  }

  /// The log ends.
  ///
  /// - Parameters:
  ///   - isOrderly: whether the process went through its `exit`.
  ///   - depth: how many callbacks the thread was in.
  /// - Returns: the changes whose deliveries are over for certain, and whether there are others.
  mutating func finish(isOrderly: Bool, depth: Int) -> (over: [Over], isCut: Bool) {
    var over: [Over] = []
    for place in pending.indices.reversed() {
      guard isOrderly || pending[place].hasLaterEvents, depth <= pending[place].depth
      else { continue }
      over.append(conclude(place))
    }
    defer { self = MissedDeliveries() }
    return (over.reversed(), !pending.isEmpty)
  }
}
