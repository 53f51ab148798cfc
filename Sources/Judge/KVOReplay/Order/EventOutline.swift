import KVORules
package import KVOTrace

/// What a replay needs to know of some events before their turn: which of them are whole changes, and the objects and
/// registrations that each of them looks up.
///
/// Taken from the events alone, so that another thread can prepare it. The judging thread need not read the events of
/// whole changes: those are most events of most logs, and reading them from the caches of another processor takes as
/// long as judging them.
package struct EventOutline: Sendable {
  /// How many events a whole change has.
  static let wholeChangeCount = 4

  /// One event, or the ``wholeChangeCount`` events of a whole change.
  struct Step: Sendable {
    enum Kind: Sendable {
      /// A change and its only callback, with nothing between them.
      case wholeChange
      case addition
      case removal
      case change
      case other
    }

    /// The index of the event, or of the first of them.
    fileprivate(set) var offset: Int32
    // The identifiers; ``WordTable/none``: none, or one that an earlier step has.
    fileprivate(set) var subject = WordTable.none
    fileprivate(set) var registration = WordTable.none
    /// Of an addition or a removal.
    fileprivate(set) var observer = WordTable.none
    // Of a whole change.
    fileprivate(set) var thread = ThreadID(0)
    fileprivate(set) var order: UInt64 = 0
    fileprivate(set) var key = StringID.none
    fileprivate(set) var hasOrder = false
    fileprivate(set) var kind = Kind.other
  }

  private(set) var steps: [Step] = []
  /// How many events it is of.
  package private(set) var eventCount = 0
  /// Whether an event describes the process or the log: ``Event/isDescription``.
  package private(set) var describes = false

  /// The outline of no events.
  package init() {}

  /// Becomes the outline of `events`.
  ///
  /// Complexity: O(events); allocates only if it was never of as many.
  package mutating func update(from events: Span<Event>) {
    steps.removeAll(keepingCapacity: true)
    eventCount = events.count
    describes = false
    events.withUnsafeBufferPointer { events in
      guard let first = events.baseAddress else { return }
      var at = 0
      while at < events.count {
        if events.count - at >= Self.wholeChangeCount, let change = Step(wholeChange: first, at: at)
        {
          steps.append(change)
          at += Self.wholeChangeCount
        } else {
          describes = describes || (first + at).pointee.isDescription
          steps.append(Step(first, at: at))
          at += 1
        }
      }
    }
  }
}

extension EventOutline.Step {
  /// The four events from `offset` on, if they are a change and its only callback.
  ///
  /// Only the callback has an order: with one, the change would have to be compared with the orders of its object.
  @inline(__always)
  fileprivate init?(wholeChange first: UnsafePointer<Event>, at offset: Int) {
    let events = first + offset
    guard case .willChange(let begun) = events.pointee.body,
      case .didChange(let ended) = (events + 1).pointee.body,
      case .notify(let claimed) = (events + 2).pointee.body,
      case .notifyEnd(let returned) = (events + 3).pointee.body,
      case .after = claimed.phase, case .after = returned.phase
    else { return nil }
    guard let id = begun.id, ended.id == id, claimed.change == id, returned.change == id,
      ended.subject.id == begun.subject.id, ended.key == begun.key,
      returned.registration == claimed.registration, returned.isHandled == true,
      returned.exception == .none
    else { return nil }
    guard let thread = events.pointee.thread, (events + 1).pointee.thread == thread,
      (events + 2).pointee.thread == thread, (events + 3).pointee.thread == thread,
      events.pointee.order == nil, (events + 1).pointee.order == nil,
      (events + 3).pointee.order == nil
    else { return nil }
    self.offset = Int32(truncatingIfNeeded: offset)
    subject = begun.subject.id.rawValue
    registration = claimed.registration.rawValue
    self.thread = thread
    if let order = (events + 2).pointee.order { (self.order, hasOrder) = (order, true) }
    key = begun.key
    kind = .wholeChange
  }

  /// The event at `offset`.
  ///
  /// Looks at it through its pointer: the compiler copies an element that it takes from a buffer.
  @inline(__always)
  fileprivate init(_ first: UnsafePointer<Event>, at offset: Int) {
    let event = first + offset
    self.offset = Int32(truncatingIfNeeded: offset)
    switch event.pointee.body {
    case .register(let added):
      kind = .addition
      subject = added.subject.id.rawValue
      registration = added.id?.rawValue ?? WordTable.none
      observer = added.observer?.id.rawValue ?? WordTable.none
    case .remove(let removal):
      kind = .removal
      subject = removal.subject.id.rawValue
      registration = removal.registration?.rawValue ?? WordTable.none
      observer = removal.observer?.id.rawValue ?? WordTable.none
    case .willChange(let change):
      kind = .change
      subject = change.subject.id.rawValue
    case .notify(let delivery):
      // Right after its change it is that of the newest registration of the object, or near it.
      if offset > 0, case .didChange = (event - 1).pointee.body { return }
      registration = delivery.registration.rawValue
    case .cancel(let id, _): registration = id.rawValue
    default: break
    }
  }
}

extension Event {
  /// Whether it describes the process or the log, and not what the program observes.
  ///
  /// True for those that `ProcessReplay` takes more from than the rules do.
  @inline(__always)
  fileprivate var isDescription: Bool {
    switch body {
    case .process, .module, .threadName, .dropped, .crash, .exit, .keep: true
    default: false
    }
  }
}
