import KVOTrace

// Which object and which registration an event is about, and whether its turn has come.
//
// What reads the engine for every event is mutating all the same: the compiler copies a large value
// for a method that only reads it.
extension RuleEngine {
  /// Where the ledger has what an event is about; -1: not at all.
  struct Place {
    var subject = -1
    var slot = -1
    /// The place of its thread in the table of threads.
    var thread = -1
    /// The innermost scope that its thread was in.
    var scope: ScopeID?
    /// Whether the log does not say the scope.
    var isScopeInferred = false
    /// The number of the event.
    var event = 0
  }

  /// Looks up what `event` is about.
  ///
  /// Done once for each event, before all else: what it is about is judged by the same places.
  mutating func place(of event: UnsafePointer<Event>) -> Place {
    switch event.pointee.body {
    case .live(let registration), .register(let registration):
      return Place(
        subject: subjects.find(registration.subject.id.rawValue),
        slot: registration.id.map { ledger.slot(of: $0) } ?? -1
      )
    case .registerEnd(let id), .cancel(let id, _): return place(of: id)
    case .notify(let delivery), .notifyEnd(let delivery): return place(of: delivery.registration)
    case .remove(let removal), .removeEnd(let removal): return place(of: removal.subject)
    case .willChange(let change), .didChange(let change): return place(of: change.subject)
    default:
      if let object = event.pointee.body.object { return place(of: object) }
      if let id = event.pointee.body.registration { return place(of: id) }
      return Place()
    }
  }

  private mutating func place(of object: ObjectRef) -> Place {
    Place(subject: subjects.find(object.id.rawValue))
  }

  private mutating func place(of id: RegistrationID) -> Place {
    let slot = ledger.slot(of: id)
    return slot < 0 ? Place() : Place(subject: ledger.subject(of: slot), slot: slot)
  }

  /// Whether no event that is still to come can belong before `event`, which is at `place`.
  ///
  /// True where the order of the event follows the last one of its object without a gap, or where
  /// it has none. An event of a registration that is unknown may have to wait for it.
  @inline(__always)
  mutating func isNext(_ event: UnsafePointer<Event>, _ place: Place) -> Bool {
    guard let order = event.pointee.order, order > 1 else { return true }
    if place.subject >= 0 { return order - 1 <= ledger.subjects[place.subject].lastOrder }
    return isNextUnobserved(event, order)
  }

  private mutating func isNextUnobserved(
    _ event: UnsafePointer<Event>,
    _ order: UInt64
  ) -> Bool {
    if let object = event.pointee.body.object {
      return order - 1 <= unobservedOrders[object.id] ?? 0
    }
    return event.pointee.body.registration == nil
  }

  /// Whether no event that is still to come can belong before `event`.
  mutating func isNext(_ event: Event) -> Bool {
    withUnsafePointer(to: event) { isNext($0, place(of: $0)) }
  }

  /// The object that the registration of `event` is on, where the event does not name it.
  func home(of event: Event) -> ObjectID? {
    guard let id = event.body.registration else { return nil }
    let slot = ledger.slot(of: id)
    return slot < 0 ? nil : ledger.slots[slot].registration.subject.id
  }

  /// Remembers the order of `event`, which is judged now.
  @inline(__always)
  mutating func note(_ order: UInt64, of event: UnsafePointer<Event>, _ place: Place) {
    if place.subject >= 0 {
      ledger.note(order, of: place.subject)
    } else {
      noteUnobserved(order, of: event)
    }
  }

  private mutating func noteUnobserved(_ order: UInt64, of event: UnsafePointer<Event>) {
    if let object = event.pointee.body.object {
      unobservedOrders.set(object.id, max(order, unobservedOrders[object.id] ?? 0))
    }
  }
}

extension Event.Body {
  /// The object that the event names as the one that its order is of.
  var object: ObjectRef? {
    switch self {
    case .live(let registration), .register(let registration), .refused(let registration, _, _):
      registration.subject
    case .remove(let removal), .removeEnd(let removal): removal.subject
    case .willChange(let change), .didChange(let change): change.subject
    case .write(let subject, _, _): subject
    case .deinit(let object), .deinitEnd(let object), .expectDeinit(let object, _),
      .classChanged(let object, _, _):
      object
    case .registerEnd, .cancel, .notify, .notifyEnd, .attach, .detach, .process, .module,
      .threadName, .hold, .drop, .walkBegin, .walkEnd, .scopeBegin, .scopeEnd, .lock, .unlock,
      .declares, .crash, .dropped, .exit, .expects:
      nil
    }
  }

  /// The registration by which the event names the object that its order is of.
  var registration: RegistrationID? {
    switch self {
    case .registerEnd(let id), .cancel(let id, _): id
    case .notify(let delivery), .notifyEnd(let delivery): delivery.registration
    case .attach(let attachment), .detach(let attachment): attachment.registration
    default: nil
    }
  }
}
