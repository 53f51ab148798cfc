package import KVOTrace

/// Puts the events of a log into an order in which they can have happened.
///
/// Lines stand in a log in the order in which they were written. Within one thread that is the
/// order in which things happened; across threads it need not be, and the `order` that events of
/// one subject carry says how it was. The sequencer holds back a bounded number of events. When one
/// leaves while an event of the same subject with a smaller `order` is still held, that one goes
/// first, after whatever its thread did before it. Where `order` and the lines of a thread
/// contradict each other, the lines win. Events keep the numbers that they had.
///
/// Complexity: O(1) amortised for an event that comes in its turn, else O(log n), n events of its subject being
/// held, whatever the orders are. Memory is bounded by the window.
package struct EventSequencer: Sendable {
  /// An event and its number in the input.
  private struct Item: Sendable {
    var event: Event
    var number: Int
    var subject: ObjectID?
    var isEmitted = false
  }

  /// The places of the held events of one thread, the next one first.
  private struct Queue: Sendable {
    var places: [Int] = []
    var head = 0

    mutating func dropFirst() {
      head += 1
      if head > 32, head * 2 > places.count {
        places.removeFirst(head)
        head = 0
      }
    }
  }

  private static let longestWay = 256

  private let window: Int
  private var items: [Item] = []
  /// The place of `items[0]`; places count up and are never used twice.
  private var base = 0
  /// How many items at the front of the window are through.
  private var head = 0
  private var threads: [ThreadID?: Queue] = [:]
  private var subjects: [ObjectID: HeldOrders] = [:]
  /// Which objects the newest registrations are on.
  private var subjectOf: BoundedMap<RegistrationTag, ObjectID>
  /// Held events of registrations whose `register` has not come yet.
  private var unresolved: [RegistrationID: [Int]] = [:]

  /// The held event that ``release(while:emit:)`` waits for; nil: look again.
  private var blocked: Int?

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

  /// How many held events were looked at to find the next; lets a test see that it does not go round in circles.
  package private(set) var stepCount = 0

  /// Takes the next event of the input, and gives on what leaves the window.
  ///
  /// - Parameters:
  ///   - event: the event.
  ///   - number: its number in the input.
  ///   - subject: the object that the registration of the event is on, where the caller knows it and
  ///     the event does not say it. The sequencer remembers it only for the newest registrations that
  ///     it has seen, and never less than the window.
  ///   - emit: is called with the events that leave, before this returns.
  package mutating func push(
    _ event: Event,
    number: Int,
    subject: ObjectID? = nil,
    emit: (Event, Int) throws -> Void
  ) rethrows {
    let place = base + items.count
    items.append(Item(event: event, number: number, subject: nil))
    threads[event.thread, default: Queue()].places.append(place)
    resolve(place, subject)
    if let blocked, mayFree(blocked, place) { self.blocked = nil }
    if items.count - head > window { try release(base + head, emit) }
  }

  /// The input is over: gives on everything that is held.
  package mutating func flush(emit: (Event, Int) throws -> Void) rethrows {
    while head < items.count { try release(base + head, emit) }
  }

  /// Gives on the held events, in order, up to one whose turn has not come.
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
      guard let place = firstToGo(before: base + head), isNext(items[place - base].event) else {
        blocked = firstToGo(before: base + head) ?? base + head
        return
      }
      try go(items[place - base], place, emit)
      advance()
    }
  }

  // MARK: - Coming in

  /// Whether the arrival of the event at `place` can be what the one at `blocked` waits for.
  private func mayFree(_ blocked: Int, _ place: Int) -> Bool {
    guard blocked >= base, let subject = items[blocked - base].subject,
      let other = items[place - base].subject
    else { return true }
    return subject == other
  }

  private mutating func resolve(_ place: Int, _ known: ObjectID?) {
    let event = items[place - base].event
    switch event.body {
    case .register(let registration), .live(let registration):
      if let id = registration.id {
        subjectOf.set(id, registration.subject.id)
        for waiting in unresolved.removeValue(forKey: id) ?? [] where waiting >= base {
          enqueue(waiting, of: registration.subject.id)
        }
      }
      enqueue(place, of: registration.subject.id)
    default:
      if let object = event.body.object {
        enqueue(place, of: object.id)
      } else if let id = event.body.registration {
        enqueue(place, ofSubjectOf: id, known)
      }
    }
  }

  private mutating func enqueue(_ place: Int, ofSubjectOf id: RegistrationID, _ known: ObjectID?) {
    guard items[place - base].event.order != nil else { return }
    if let subject = known ?? subjectOf[id] {
      enqueue(place, of: subject)
    } else {
      unresolved[id, default: []].append(place)
    }
  }

  private mutating func enqueue(_ place: Int, of subject: ObjectID) {
    guard let order = items[place - base].event.order, !items[place - base].isEmitted
    else { return }
    items[place - base].subject = subject
    subjects[subject, default: HeldOrders()].insert(place, order: order)
  }

  // MARK: - Going out

  /// The held event that must go before all others, if `target` is to go; nil where the orders and
  /// the lines contradict each other.
  private mutating func firstToGo(before target: Int) -> Int? {
    var place = target
    // Orders and lines that contradict each other lead round in a circle. It is found within three times its length:
    // the mark stands still for twice as many steps each time.
    var mark = target
    // The way is as long as threads and objects take turns.
    for step in 1...Self.longestWay {
      stepCount += 1
      let item = items[place - base]
      if let first = firstOfThread(item.event.thread), first != place {
        place = first
      } else if let subject = item.subject, let first = firstOfSubject(subject),
        first.place != place, first.order < item.event.order ?? 0
      {
        place = first.place
      } else {
        return place
      }
      if place == mark { return nil }
      if step & (step - 1) == 0 { mark = place }
    }
    return nil
  }

  /// Emits the event at `target`, preceded by what must come first.
  private mutating func release(
    _ target: Int,
    _ emit: (Event, Int) throws -> Void
  ) rethrows {
    if let item = next(at: target) {
      try go(item, target, emit)
      return advance()
    }
    var waiting = [target]
    var isWaiting: Set<Int> = [target]
    // Events whose order contradicts the lines of a thread: they go by their lines alone.
    var forced: Set<Int> = []
    while let place = waiting.last {
      if place < base + head || items[place - base].isEmitted {
        waiting.removeLast()
        isWaiting.remove(place)
        continue
      }
      let item = items[place - base]
      if let first = firstOfThread(item.event.thread), first != place {
        if isWaiting.insert(first).inserted {
          waiting.append(first)
        } else {
          while let last = waiting.last, last != first {
            waiting.removeLast()
            isWaiting.remove(last)
          }
          forced.insert(first)
        }
        continue
      }
      if !forced.contains(place), let subject = item.subject,
        let first = firstOfSubject(subject), first.place != place,
        first.order < item.event.order ?? 0, isWaiting.insert(first.place).inserted
      {
        waiting.append(first.place)
        continue
      }
      waiting.removeLast()
      isWaiting.remove(place)
      try go(item, place, emit)
    }
    advance()
  }

  /// The event at `place`, where nothing must come before it; that is so for almost every event.
  private mutating func next(at place: Int) -> Item? {
    let item = items[place - base]
    guard !item.isEmitted, firstOfThread(item.event.thread) == place else { return nil }
    guard let subject = item.subject, let first = firstOfSubject(subject), first.place != place
    else { return item }
    return first.order < item.event.order ?? 0 ? nil : item
  }

  private mutating func go(
    _ item: Item,
    _ place: Int,
    _ emit: (Event, Int) throws -> Void
  ) rethrows {
    items[place - base].isEmitted = true
    try emit(item.event, item.number)
    settle(item, place)
  }

  private mutating func firstOfThread(_ thread: ThreadID?) -> Int? {
    guard let queue = threads[thread], queue.head < queue.places.count else { return nil }
    return queue.places[queue.head]
  }

  private mutating func firstOfSubject(_ subject: ObjectID) -> HeldOrders.Held? {
    while let first = subjects[subject]?.first {
      if isHeld(first.place) { return first }
      subjects[subject]?.removeFirst(isGone: true)
    }
    subjects[subject] = nil
    return nil
  }

  private func isHeld(_ place: Int) -> Bool { place >= base && !items[place - base].isEmitted }

  private mutating func settle(_ item: Item, _ place: Int) {
    threads[item.event.thread]?.dropFirst()
    if let queue = threads[item.event.thread], queue.head == queue.places.count {
      threads[item.event.thread] = nil
    }
    if let subject = item.subject { leave(subject, place) }
    if !unresolved.isEmpty, let id = item.event.body.registration { giveUp(place, id) }
    if blocked == place { blocked = nil }
  }

  /// The event at `place` is not one of the held ones of its subject any more.
  private mutating func leave(_ subject: ObjectID, _ place: Int) {
    guard let first = subjects[subject]?.first else { return }
    if first.place == place {
      subjects[subject]?.removeFirst(isGone: false)
      _ = firstOfSubject(subject)
    } else {
      let (items, base) = (items, base)
      subjects[subject]?.noteGone { $0 >= base && !items[$0 - base].isEmitted }
    }
  }

  /// The event went without its registration having been seen.
  private mutating func giveUp(_ place: Int, _ id: RegistrationID) {
    guard var waiting = unresolved[id] else { return }
    waiting.removeAll { $0 == place }
    unresolved[id] = waiting.isEmpty ? nil : waiting
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
