import KVORules
package import KVOTrace

/// Puts the events of a log into an order in which they can have happened.
///
/// The lines of a log are in the order in which they were written. Within one thread that is the order in which things
/// happened; across threads it need not be: the `order` of the events of one subject states the true order. The
/// sequencer holds back a bounded number of events. When an event is released while another of the same subject with a
/// smaller `order` is still held, the other one goes first, after earlier events of its thread. If `order` and the
/// lines of a thread contradict each other, the lines take precedence. Lines that do not state their thread may be of
/// several: they keep their order, unless `order` contradicts it. Events keep their numbers.
///
/// Complexity: O(1) amortized for an event that arrives in order, else O(log n), n events of its subject being held,
/// whatever the orders are. Memory is bounded by the window.
package struct EventSequencer: Sendable {
  /// An event and its number in the input.
  private struct Item: Sendable {
    var event: Event
    var number: Int
    var subject: ObjectID?
    var isEmitted = false
    /// Whether it is on ``EventSequencer/path``.
    var isOnPath = false
  }

  /// Where a search for the event that must go first ended.
  private enum SearchEnd {
    /// Nothing held must go before the event at this position.
    case first(Int)
    /// Orders and lines contradict each other; by its line order, the event at this position may go.
    case contradiction(Int)
    /// The limit was reached.
    case tooFar
  }

  /// The positions of held events, the next one first: those of a thread, or of a registration.
  private struct Queue: Sendable {
    var indices: [Int] = []
    var head = 0

    var first: Int? { head < indices.count ? indices[head] : nil }
    var rest: ArraySlice<Int> { indices[head...] }

    mutating func dropFirst() {
      head += 1
      if head > 32, head * 2 > indices.count {
        indices.removeFirst(head)
        head = 0
      }
    }
  }

  private static let longestWay = 256
  /// How many waiting lines without a thread are passed over to find one that must go first.
  private static let mostPassedOver = 256

  private let window: Int
  private var items: [Item] = []
  /// The position of `items[0]`; positions count up and are never reused.
  private var base = 0
  /// How many items at the front of the window have been released.
  private var head = 0
  private var threads: [ThreadID?: Queue] = [:]
  private var subjects: [ObjectID: HeldOrders] = [:]
  /// The observed objects of the newest registrations.
  private var subjectOf: BoundedMap<RegistrationTag, ObjectID>
  /// Held events of registrations whose `register` has not arrived yet; one that leaves before the first of its
  /// registration stays until that leaves.
  private var unresolved: [RegistrationID: Queue] = [:]

  /// The held event that ``release(while:emit:)`` waits for; nil: search again.
  private var blocked: Int?
  /// The events on the path of the current search, each of which must wait for the next; empty between searches.
  private var path: [Int] = []

  /// A sequencer that holds nothing.
  ///
  /// - Parameter window: how many events are held back.
  package init(window: Int = 4_096) {
    self.window = max(1, window)
    subjectOf = BoundedMap(capacity: max(4_096, window))
  }

  /// Whether nothing is held back.
  package var isEmpty: Bool { head == items.count }
  /// How many events and registrations are kept; lets a test see that churn does not add to them.
  package var keptCount: Int { items.count + subjectOf.count + unresolved.count }
  /// How many events are kept by their orders, those included that have left before their turn.
  package var orderedCount: Int { subjects.values.reduce(0) { $0 + $1.count } }

  /// How many held events were examined to find the next; lets a test see that it does not loop.
  package private(set) var stepCount = 0

  /// Takes the next event of the input, and passes on the events that leave the window.
  ///
  /// - Parameters:
  ///   - event: the event.
  ///   - number: its number in the input.
  ///   - subject: the object that the registration of the event is on, if the caller knows it and the event does not
  ///     state it. The sequencer remembers it only for the newest registrations that it has seen, and never less than
  ///     the window.
  ///   - emit: is called with the events that leave, before this returns.
  package mutating func push(
    _ event: Event,
    number: Int,
    subject: ObjectID? = nil,
    emit: (Event, Int) throws -> Void
  ) rethrows {
    let index = base + items.count
    items.append(Item(event: event, number: number, subject: nil))
    threads[event.thread, default: Queue()].indices.append(index)
    resolve(index, subject)
    if let blocked, mayFree(blocked, index) { self.blocked = nil }
    if items.count - head > window { try release(base + head, emit) }
  }

  /// The input has ended: passes on everything that is held.
  package mutating func flush(emit: (Event, Int) throws -> Void) rethrows {
    while head < items.count { try release(base + head, emit) }
  }

  /// Passes on the held events, in order, up to one whose turn has not come.
  ///
  /// - Parameters:
  ///   - isNext: whether no event that is still to come can belong before this one.
  ///   - emit: is called with the events that leave, before this returns.
  package mutating func release(
    while isNext: (Event) -> Bool,
    emit: (Event, Int) throws -> Void
  ) rethrows {
    guard blocked == nil else { return }
    while head < items.count {
      let end = findFirst(before: base + head, limit: Self.longestWay)
      leavePath()
      guard case .first(let index) = end else { return blocked = base + head }
      guard isNext(items[index - base].event) else { return blocked = index }
      try go(index, emit)
      advance()
    }
  }

  // MARK: - Coming in

  /// Whether the arrival of the event at `index` may unblock the one at `blocked`.
  private func mayFree(_ blocked: Int, _ index: Int) -> Bool {
    guard blocked >= base, let subject = items[blocked - base].subject,
      let other = items[index - base].subject
    else { return true }
    return subject == other
  }

  private mutating func resolve(_ index: Int, _ known: ObjectID?) {
    let event = items[index - base].event
    switch event.body {
    case .register(let registration), .live(let registration):
      if let id = registration.id {
        subjectOf.set(id, registration.subject.id)
        for waiting in unresolved.removeValue(forKey: id)?.rest ?? [] where waiting >= base {
          enqueue(waiting, of: registration.subject.id)
        }
      }
      enqueue(index, of: registration.subject.id)
    default:
      if let object = event.body.object {
        enqueue(index, of: object.id)
      } else if let id = event.body.registration {
        enqueue(index, ofSubjectOf: id, known)
      }
    }
  }

  private mutating func enqueue(_ index: Int, ofSubjectOf id: RegistrationID, _ known: ObjectID?) {
    guard items[index - base].event.order != nil else { return }
    if let subject = known ?? subjectOf[id] {
      enqueue(index, of: subject)
    } else {
      unresolved[id, default: Queue()].indices.append(index)
    }
  }

  private mutating func enqueue(_ index: Int, of subject: ObjectID) {
    guard let order = items[index - base].event.order, !items[index - base].isEmitted
    else { return }
    items[index - base].subject = subject
    subjects[subject, default: HeldOrders()].insert(index, order: order)
  }

  // MARK: - Going out

  /// Finds the held event that must go before all others, if `target` is to go.
  ///
  /// The search follows ``predecessor(of:)`` and continues from the end of ``path``, if that is not empty.
  ///
  /// - Parameters:
  ///   - target: the event to release.
  ///   - limit: how many events the path may have. Its length depends on how often threads and objects alternate.
  /// - Returns: the event, which is then the last one of the path, unless there is a contradiction.
  private mutating func findFirst(before target: Int, limit: Int = .max) -> SearchEnd {
    if path.isEmpty { enter(target) }
    while let index = path.last {
      stepCount += 1
      guard let next = predecessor(of: index) else { return .first(index) }
      if items[next.index - base].isOnPath {
        // A cycle: the event whose order closes it is released by line order, and is the first of its thread.
        return .contradiction(next.isOfThread ? next.index : index)
      }
      if path.count == limit { break }
      enter(next.index)
    }
    return .tooFar
  }

  /// The held event that must go right before the one at `index`: the first one of its thread, or else the one of
  /// its subject with the smallest order; nil if there is none.
  private mutating func predecessor(of index: Int) -> (index: Int, isOfThread: Bool)? {
    if let thread = items[index - base].event.thread {
      if let first = firstOfThread(thread), first != index { return (first, true) }
    } else if let first = firstWithoutThread(before: index) {
      return (first, true)
    }
    guard let subject = items[index - base].subject, let first = firstOfSubject(subject),
      first.index != index, first.order < items[index - base].event.order ?? 0
    else { return nil }
    return (first.index, false)
  }

  private mutating func enter(_ index: Int) {
    items[index - base].isOnPath = true
    path.append(index)
  }

  /// Removes the last event from the path.
  private mutating func leave(_ last: Int) {
    items[last - base].isOnPath = false
    path.removeLast()
  }

  /// Ends a search.
  private mutating func leavePath() {
    while let last = path.last { leave(last) }
  }

  /// Emits the event at `target`, preceded by what must come first.
  ///
  /// An event whose order contradicts the lines of a thread is released by line order alone.
  private mutating func release(
    _ target: Int,
    _ emit: (Event, Int) throws -> Void
  ) rethrows {
    defer { leavePath() }
    while !items[target - base].isEmitted {
      switch findFirst(before: target) {
      case .first(let index): try go(index, emit)
      case .contradiction(let index):
        while let last = path.last, last != index { leave(last) }
        try go(index, emit)
      case .tooFar: preconditionFailure("a search without a limit ended early")
      }
      while let last = path.last, items[last - base].isEmitted { leave(last) }
    }
    leavePath()
    advance()
  }

  private mutating func go(_ index: Int, _ emit: (Event, Int) throws -> Void) rethrows {
    items[index - base].isEmitted = true
    let item = items[index - base]
    try emit(item.event, item.number)
    settle(item, index)
  }

  private mutating func firstOfThread(_ thread: ThreadID?) -> Int? {
    threads[thread]?.first
  }

  /// The first held event without a thread before the one at `index`, which has none either.
  ///
  /// Passes over events that must wait for the one at `index` by their orders: the lines are not evidence against them.
  private func firstWithoutThread(before index: Int) -> Int? {
    guard let queue = threads[nil] else { return nil }
    let item = items[index - base]
    for other in queue.rest.prefix(Self.mostPassedOver) where isHeld(other) {
      if other >= index { return nil }
      let earlier = items[other - base]
      if earlier.isOnPath { continue }
      if let subject = item.subject, subject == earlier.subject, let order = item.event.order,
        let earlierOrder = earlier.event.order, earlierOrder > order
      {
        continue
      }
      if mustFollowPath(earlier) { continue }
      return other
    }
    return nil
  }

  /// Whether `item` comes, by its order, after an event that waits on the path of the current search.
  private func mustFollowPath(_ item: Item) -> Bool {
    guard let subject = item.subject, let first = subjects[subject]?.first, isHeld(first.index)
    else { return false }
    return items[first.index - base].isOnPath && first.order < item.event.order ?? 0
  }

  private mutating func firstOfSubject(_ subject: ObjectID) -> HeldOrders.Held? {
    while let first = subjects[subject]?.first {
      if isHeld(first.index) { return first }
      subjects[subject]?.removeFirst(isGone: true)
    }
    subjects[subject] = nil
    return nil
  }

  private func isHeld(_ index: Int) -> Bool { index >= base && !items[index - base].isEmitted }

  private mutating func settle(_ item: Item, _ index: Int) {
    if item.event.thread == nil {
      dropReleasedWithoutThread()
    } else {
      threads[item.event.thread]?.dropFirst()
    }
    if let queue = threads[item.event.thread], queue.first == nil {
      threads[item.event.thread] = nil
    }
    if let subject = item.subject { leave(subject, index) }
    if !unresolved.isEmpty, let id = item.event.body.registration { giveUp(id) }
    if blocked == index { blocked = nil }
  }

  /// Events without a thread may be released out of turn.
  private mutating func dropReleasedWithoutThread() {
    while let first = firstOfThread(nil), !isHeld(first) { threads[nil]?.dropFirst() }
  }

  /// The event at `index` is no longer one of the held ones of its subject.
  private mutating func leave(_ subject: ObjectID, _ index: Int) {
    guard let first = subjects[subject]?.first else { return }
    if first.index == index {
      subjects[subject]?.removeFirst(isGone: false)
      _ = firstOfSubject(subject)
    } else {
      let (items, base) = (items, base)
      subjects[subject]?.noteGone { $0 >= base && !items[$0 - base].isEmitted }
    }
  }

  /// An event of the registration was released before its `register` was seen.
  ///
  /// Complexity: O(1) amortized: all events of a log that lacks the `register` may be held.
  private mutating func giveUp(_ id: RegistrationID) {
    guard unresolved[id] != nil else { return }
    while let first = unresolved[id]?.first, !isHeld(first) { unresolved[id]?.dropFirst() }
    if unresolved[id]?.first == nil { unresolved[id] = nil }
  }

  private mutating func advance() {
    while head < items.count, items[head].isEmitted { head += 1 }
    if head == items.count || head > window {
      items.removeFirst(head)
      base += head
      head = 0
    }
  }
}
