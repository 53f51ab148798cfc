import KVOReplay
import KVORules
import KVOTrace
import TestSupport

/// Changes that are delivered at once, which a replay judges as a whole, among everything that must keep it from that:
/// faults in them, and what other events began.
struct MixedChanges {
  private var random: SplitMix64
  private var log: [Event] = []
  private var orders: [UInt64: UInt64] = [:]
  /// The registrations of each object.
  private var live: [UInt64: [UInt64]] = [:]
  private var lastID: UInt64 = 0
  private let threadCount: Int
  private let objectCount: Int
  /// How many of a hundred steps are not a whole change.
  private let otherShare: Int

  private static let key = StringID(rawValue: 1)
  private static let otherKey = StringID(rawValue: 2)

  /// Whether there is nothing but registrations and whole changes.
  var isFaultless: Bool { otherShare == 0 }

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    threadCount = Int.random(in: 1...3, using: &random)
    objectCount = Int.random(in: 1...4, using: &random)
    otherShare = [0, 5, 40].randomElement(using: &random) ?? 0
  }

  mutating func events() -> [Event] {
    for object in 0..<UInt64(objectCount) { register(on: object) }
    for _ in 0..<400 {
      let object = UInt64.random(in: 0..<UInt64(objectCount), using: &random)
      if Int.random(in: 0..<100, using: &random) >= otherShare {
        change(object)
      } else {
        doSomethingElse(object)
      }
    }
    return log
  }

  private mutating func doSomethingElse(_ object: UInt64) {
    let thread = anyThread()
    switch Int.random(in: 0..<20, using: &random) {
    case 0: register(on: object)
    case 1: register(on: object, key: Self.otherKey)
    case 2:
      guard let id = live[object]?.popLast() else { return }
      add(.cancel(RegistrationID(id), by: .user), thread, order: order(of: object))
    case 3: add(.lock(LockID(1)), thread)
    case 4: add(.unlock(LockID(1)), thread)
    case 5: add(.willChange(half(object, 1 << 40)), thread)
    case 6: add(.didChange(half(object, 1 << 40)), thread)
    case 7: add(.deinit(observer(object)), thread)
    case 8: add(.write(subject: subject(object), key: Self.key, fingerprint: Self.key), thread)
    case 9:
      let id = live[object]?.last ?? 1
      let delivery = Delivery(registration: RegistrationID(id), change: nil, phase: .prior)
      add(.notify(delivery), thread, order: order(of: object))
    case 10:
      guard Int.random(in: 0..<20, using: &random) == 0 else { return }
      add(.dropped(count: 1, why: .none), nil)
    case 11: add(.scopeBegin(Scope(id: ScopeID(1), name: Self.key)), thread)
    case 12: add(.scopeEnd(ScopeID(1)), thread)
    case 13:
      // An initial notification that does not end, so that what follows may be inside it.
      let delivery = Delivery(
        registration: RegistrationID(live[object]?.last ?? 1),
        change: nil,
        phase: .initial
      )
      add(.notify(delivery), thread, order: order(of: object))
    case 14:
      guard let id = live[object]?.last else { return }
      let removal = Removal(subject: subject(object), observer: observer(id), keyPath: Self.key)
      add(.remove(removal), thread, order: order(of: object))
    case 15:
      // One that comes late.
      let delivery = Delivery(
        registration: RegistrationID(live[object]?.last ?? 1),
        change: ChangeID(UInt64.random(in: 1...max(lastID, 1), using: &random)),
        phase: .after
      )
      add(.notify(delivery), thread, order: order(of: object))
    default: change(object, isSpoilt: true)
    }
  }

  private mutating func register(on object: UInt64, key: StringID = key) {
    lastID += 1
    live[object, default: []].append(lastID)
    let registration = Registration(
      id: RegistrationID(lastID),
      subject: subject(object),
      observer: observer(lastID),
      keyPath: key,
      executor: Int.random(in: 0..<20, using: &random) < otherShare / 40 ? Self.key : .none
    )
    let thread = anyThread()
    add(.register(registration), thread, order: order(of: object))
    add(.registerEnd(RegistrationID(lastID)), thread)
  }

  /// A change and its callback; if it is spoilt, one of the events is missing, twice there, or another.
  private mutating func change(_ object: UInt64, isSpoilt: Bool = false) {
    lastID += 1
    let thread = anyThread()
    let half = half(object, lastID)
    let ids = live[object] ?? []
    var events = [
      Event(.willChange(half), thread: thread), Event(.didChange(half), thread: thread),
    ]
    for id in ids {
      var delivery = Delivery(
        registration: RegistrationID(id),
        change: ChangeID(lastID),
        phase: .after
      )
      events.append(Event(.notify(delivery), thread: thread, order: order(of: object)))
      delivery.isHandled = true
      events.append(Event(.notifyEnd(delivery), thread: thread))
    }
    if isSpoilt, let at = events.indices.randomElement(using: &random) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: events.remove(at: at)
      case 1: events.insert(events[at], at: at)
      case 2: events[at].thread = anyThread()
      case 3: events[at].order = UInt64.random(in: 0..<100, using: &random)
      case 4: events.swapAt(at, events.count - 1)
      default:
        guard case .notifyEnd(var delivery) = events[at].body else { return log += events }
        delivery.isHandled = false
        events[at].body = .notifyEnd(delivery)
      }
    }
    log += events
  }

  private mutating func add(_ body: Event.Body, _ thread: ThreadID?, order: UInt64? = nil) {
    log.append(Event(body, thread: thread, order: order))
  }

  private mutating func anyThread() -> ThreadID {
    ThreadID(UInt64.random(in: 0..<UInt64(threadCount), using: &random))
  }

  private mutating func order(of object: UInt64) -> UInt64 {
    orders[object, default: 0] += 1
    return orders[object, default: 0]
  }

  private func half(_ object: UInt64, _ id: UInt64) -> Change {
    Change(subject: subject(object), key: Self.key, id: ChangeID(id))
  }

  private func subject(_ object: UInt64) -> ObjectRef {
    ObjectRef(id: ObjectID(object), className: .none)
  }

  private func observer(_ id: UInt64) -> ObjectRef {
    ObjectRef(id: ObjectID(1_000 + id), className: .none)
  }
}
