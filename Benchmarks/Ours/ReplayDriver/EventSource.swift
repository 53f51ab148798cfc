import KVOTrace

/// Generates the events of a program that keeps a number of observations live, and ends and creates
/// one now and then.
///
/// Every observation is of a separate object; the next one is chosen at random, with a fixed seed.
/// Seven times of eight the object changes and its observer is notified: `willChange`, `didChange`,
/// `notify`, `notifyEnd`. The eighth time the observation is removed and registered again:
/// `remove`, `removeEnd`, `register`, `registerEnd`. The events contain no fault. All are of one
/// thread; every event on a subject has its order.
struct EventSource {
  private let className: StringID
  private let observerName: StringID
  private let keyPath: StringID
  private let liveCount: Int
  private let thread = ThreadID(1)
  /// The next order and the live registration of each object.
  private var orders: [UInt64]
  private var registrations: [UInt64]
  private var lastRegistration: UInt64
  private var lastChange: UInt64 = 0
  private var time: UInt64 = 0
  private var random: UInt64 = 88_172_645_463_325_252

  /// A source that keeps `liveCount` observations live.
  ///
  /// - Parameters:
  ///   - liveCount: the number, above 0.
  ///   - name: returns the ids of names in the events.
  init(liveCount: Int, name: (String) -> StringID) {
    self.liveCount = liveCount
    className = name("Account")
    observerName = name("Screen")
    keyPath = name("balance")
    orders = Array(repeating: 2, count: liveCount)
    registrations = (0..<UInt64(liveCount)).map { $0 + 1 }
    lastRegistration = UInt64(liveCount)
  }

  /// The first events: the process, and the registration of each observation.
  mutating func begin(_ emit: (Event) -> Void) {
    emit(Event(.process(ProcessInfo(pid: 1, runtime: .swift, started: "2026-01-01T00:00:00Z"))))
    for object in 0..<liveCount {
      let registration = registration(of: object)
      emit(event(.register(registration), order: 1))
      if let id = registration.id { emit(event(.registerEnd(id))) }
    }
  }

  /// The next four events.
  mutating func next(_ emit: (Event) -> Void) {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    let object = Int(random % UInt64(liveCount))
    if random >> 60 < 14 {
      change(object, emit)
    } else {
      renew(object, emit)
    }
  }

  private mutating func change(_ object: Int, _ emit: (Event) -> Void) {
    lastChange += 1
    let change = Change(subject: subject(object), key: keyPath, id: ChangeID(lastChange))
    let delivery = Delivery(
      registration: RegistrationID(registrations[object]),
      change: ChangeID(lastChange),
      phase: .after
    )
    var end = delivery
    end.isHandled = true
    emit(event(.willChange(change)))
    emit(event(.didChange(change)))
    emit(event(.notify(delivery), order: order(of: object)))
    emit(event(.notifyEnd(end)))
  }

  private mutating func renew(_ object: Int, _ emit: (Event) -> Void) {
    let old = registration(of: object)
    let removal = Removal(
      subject: old.subject,
      observer: old.observer,
      keyPath: keyPath,
      context: .null,
      registration: old.id
    )
    emit(event(.remove(removal), order: order(of: object)))
    emit(event(.removeEnd(removal)))
    lastRegistration += 1
    registrations[object] = lastRegistration
    emit(event(.register(registration(of: object)), order: order(of: object)))
    emit(event(.registerEnd(RegistrationID(lastRegistration))))
  }

  private mutating func event(_ body: Event.Body, order: UInt64? = nil) -> Event {
    time += 100
    return Event(body, time: time, thread: thread, order: order)
  }

  private mutating func order(of object: Int) -> UInt64 {
    defer { orders[object] += 1 }
    return orders[object]
  }

  private func subject(_ object: Int) -> ObjectRef {
    ObjectRef(id: ObjectID(UInt64(object) + 1_000), className: className)
  }

  private func registration(of object: Int) -> Registration {
    Registration(
      id: RegistrationID(registrations[object]),
      subject: subject(object),
      // A screen observes 16 accounts.
      observer: ObjectRef(id: ObjectID(UInt64(object >> 4) + 1 << 40), className: observerName),
      keyPath: keyPath,
      context: .null,
      options: [.new]
    )
  }
}
