import KVORules
import KVOTrace

/// The ledger's index of the object or registration of an event; -1: none.
struct EventTarget {
  var subject = -1
  var slot = -1
  /// The index of its thread in the table of threads.
  var thread = -1
  /// The innermost scope that its thread was in.
  var scope: ScopeID?
  /// Whether the log does not state the scope.
  var isScopeInferred = false
  /// The number of the event.
  var event = 0
}

// Finds the object and the registration of an event, and whether its turn has come.
//
// Methods that only read the state for every event are mutating too: the compiler would copy a large value for a
// nonmutating method.
extension ReplayState {
  /// Looks up the object and the registration of `event`.
  ///
  /// Done once for each event, before anything else: all rules use the same indices.
  mutating func target(of event: UnsafePointer<Event>) -> EventTarget {
    switch event.pointee.body {
    case .live(let registration), .register(let registration):
      return EventTarget(
        subject: subjects.find(registration.subject.id.rawValue),
        slot: registration.id.map { ledger.slot(of: $0) } ?? -1
      )
    case .registerEnd(let id), .cancel(let id, _): return target(of: id)
    case .notify(let delivery), .notifyEnd(let delivery): return target(of: delivery.registration)
    case .remove(let removal), .removeEnd(let removal): return target(of: removal.subject)
    case .willChange(let change), .didChange(let change): return target(of: change.subject)
    default:
      if let object = event.pointee.body.object { return target(of: object) }
      if let id = event.pointee.body.registration { return target(of: id) }
      return EventTarget()
    }
  }

  @inline(__always)
  private mutating func target(of object: ObjectRef) -> EventTarget {
    EventTarget(subject: subjects.find(object.id.rawValue))
  }

  @inline(__always)
  private mutating func target(of id: RegistrationID) -> EventTarget {
    let slot = ledger.slot(of: id)
    return EventTarget(subject: slot < 0 ? -1 : ledger.subject(of: slot), slot: slot)
  }

  /// Whether no event that is still to come can belong before `event`, whose target is `target`.
  ///
  /// True if the order of the event follows the last one of its object without a gap, or if
  /// it has none. An event of a registration that is unknown may have to wait for it.
  @inline(__always)
  mutating func isNext(_ event: UnsafePointer<Event>, _ target: EventTarget) -> Bool {
    guard let order = event.pointee.order, order > 1 else { return true }
    if target.subject >= 0, order - 1 <= ledger.subjects[target.subject].lastOrder { return true }
    // What comes before an event of an object that is left out is not in the log.
    if sampling != nil, isOfLeftOut(event) { return true }
    return target.subject < 0 && isNextUnobserved(event, order)
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
    withUnsafePointer(to: event) { isNext($0, target(of: $0)) }
  }

  /// The object that the registration of `event` is on, if the event does not name it.
  func home(of event: Event) -> ObjectID? {
    guard let id = event.body.registration else { return nil }
    let slot = ledger.slot(of: id)
    return slot < 0 ? nil : ledger.slots[slot].registration.subject.id
  }

  /// Remembers the order of `event`, which is judged now.
  @inline(__always)
  mutating func note(_ order: UInt64, of event: UnsafePointer<Event>, _ target: EventTarget) {
    if target.subject >= 0 {
      ledger.note(order, of: target.subject)
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
  /// The object that the event names as the subject of its order.
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
      .declares, .crash, .dropped, .exit, .expects, .keep, .sample, .consumerBegin, .parked,
      .consumerEnd:
      nil
    }
  }

  /// The registration through which the event names the subject of its order.
  var registration: RegistrationID? {
    switch self {
    case .registerEnd(let id), .cancel(let id, _): id
    case .notify(let delivery), .notifyEnd(let delivery): delivery.registration
    case .attach(let attachment), .detach(let attachment): attachment.registration
    default: nil
    }
  }
}
