internal import CKVORecorder
internal import KVOTrace

/// Puts events into the log, and maintains the list of live registrations with which a crash record and the next log
/// file begin.
///
/// Runs on threads of the program; nothing here locks, except for the list.
enum LogEvents {
  /// Records one half of a change.
  @inline(__always)
  static func record(
    _ change: Change,
    isEnd: Bool,
    order: UInt64?,
    stack: StackID,
    scope: UInt64
  ) {
    guard let id = change.id else {
      return general(isEnd ? .didChange(change) : .willChange(change), order, stack, scope)
    }
    kvos_record_change(
      UInt32(isEnd ? KVOS_KIND_DID_CHANGE : KVOS_KIND_WILL_CHANGE),
      order ?? UInt64.max,
      stack.rawValue,
      scope,
      change.shape,
      number(change.subject.id),
      UInt64(change.subject.className.rawValue) << 2 | change.subject.kind.binaryNumber,
      UInt64(change.key.rawValue),
      number(id)
    )
  }

  /// Records one half of a change that a setter makes to an object: writes the same as the general
  /// function, without its checks.
  @inline(__always)
  static func recordSetting(
    of key: StringID,
    _ subject: ObjectRef,
    _ id: ChangeID,
    isEnd: Bool,
    order: UInt64,
    scope: UInt64
  ) {
    // Of kind setting (0), of an object (0). Spelled out, because a constant that is computed costs a call
    // each time.
    kvos_record_change(
      UInt32(isEnd ? KVOS_KIND_DID_CHANGE : KVOS_KIND_WILL_CHANGE),
      order,
      0,
      scope,
      UInt64(KVOS_CHANGE_HAS_CHANGE),
      number(subject.id),
      UInt64(subject.className.rawValue) << 2,
      UInt64(key.rawValue),
      number(id)
    )
  }

  /// Records the beginning or the end of a callback that follows such a change, likewise.
  @inline(__always)
  static func recordPlainDelivery(
    _ registration: RegistrationID,
    of change: ChangeID,
    isEnd: Bool,
    order: UInt64,
    scope: UInt64
  ) {
    // The phase after (2).
    kvos_record_delivery(
      UInt32(isEnd ? KVOS_KIND_NOTIFY_END : KVOS_KIND_NOTIFY),
      order,
      0,
      scope,
      2 | UInt64(KVOS_DELIVERY_HAS_CHANGE),
      number(registration),
      number(change)
    )
  }

  /// Records the beginning or the end of a callback.
  @inline(__always)
  static func record(
    _ delivery: Delivery,
    isEnd: Bool,
    order: UInt64?,
    stack: StackID,
    scope: UInt64
  ) {
    guard delivery.lacksTexts else {
      return general(isEnd ? .notifyEnd(delivery) : .notify(delivery), order, stack, scope)
    }
    var change: UInt64 = 0
    if let id = delivery.change { change = number(id) }
    kvos_record_delivery(
      UInt32(isEnd ? KVOS_KIND_NOTIFY_END : KVOS_KIND_NOTIFY),
      order ?? UInt64.max,
      stack.rawValue,
      scope,
      delivery.shape,
      number(delivery.registration),
      change
    )
  }

  /// A crash no longer lists the registration.
  static func forget(_ id: RegistrationID) { kvos_live_remove(number(id)) }

  /// A crash no longer lists the registration that `body`, which is not recorded, ends.
  static func forgetEnded(by body: Event.Body) {
    switch body {
    case .remove(let removal): if let id = removal.registration { forget(id) }
    case .cancel(let id, _): forget(id)
    default: break
    }
  }

  /// Records an event of the calling thread, now; a lost one is counted.
  static func record(_ body: Event.Body, order: UInt64?, stack: StackID, scope: UInt64) {
    switch body {
    case .notify(let delivery):
      record(delivery, isEnd: false, order: order, stack: stack, scope: scope)
    case .notifyEnd(let delivery):
      record(delivery, isEnd: true, order: order, stack: stack, scope: scope)
    case .willChange(let change):
      record(change, isEnd: false, order: order, stack: stack, scope: scope)
    case .didChange(let change):
      record(change, isEnd: true, order: order, stack: stack, scope: scope)
    case .register(let registration), .live(let registration):
      let fields = EventFields(body)
      if let id = registration.id {
        _ = fields.withPointer { kvos_live_add(number(id), stack.rawValue, $0, $1) }
      }
      put(fields, body, order, stack, scope)
    case .remove(let removal):
      if let id = removal.registration { forget(id) }
      general(body, order, stack, scope)
    case .cancel(let id, _):
      forget(id)
      general(body, order, stack, scope)
    default: general(body, order, stack, scope)
    }
  }

  /// Whether this many events of the calling thread would be lost; if so, they are counted.
  static func loses(_ count: UInt64) -> Bool { kvos_lose_at_once(count) }

  private static func general(
    _ body: Event.Body,
    _ order: UInt64?,
    _ stack: StackID,
    _ scope: UInt64
  ) {
    if loses(1) { return }
    put(EventFields(body), body, order, stack, scope)
  }

  private static func put(
    _ fields: EventFields,
    _ body: Event.Body,
    _ order: UInt64?,
    _ stack: StackID,
    _ scope: UInt64
  ) {
    let kind = UInt32(BinaryFormat.Record(of: body).rawValue)
    _ = fields.withPointer {
      kvos_record(kind, order ?? UInt64.max, stack.rawValue, scope, $0, $1)
    }
  }

  /// The id as the log has it.
  @_transparent
  static func number<Tag>(_ id: Identifier<Tag>) -> UInt64 {
    id.rawValue >> 62 == 0 ? id.rawValue << 2 : encoded(id)
  }

  @inline(never)
  private static func encoded<Tag>(_ id: Identifier<Tag>) -> UInt64 {
    var fields = EventFields()
    return fields.encoded(id)
  }
}
