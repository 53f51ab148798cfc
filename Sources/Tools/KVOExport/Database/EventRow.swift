import KVOTrace

/// What the table of events says of one.
struct EventRow {
  private let event: Event
  private let names: TraceNames
  private var subject: ObjectRef?
  private var observer: ObjectRef?
  private var keyPath = StringID.none
  private var registration: RegistrationID?
  private var change: ChangeID?

  init(_ event: Event, _ names: TraceNames) {
    self.event = event
    self.names = names
    switch event.body {
    case .register(let one), .live(let one), .refused(let one, _, _):
      (subject, observer, keyPath, registration) = (one.subject, one.observer, one.keyPath, one.id)
    case .remove(let one), .removeEnd(let one):
      (subject, observer, keyPath) = (one.subject, one.observer, one.keyPath)
      registration = one.registration
    case .registerEnd(let id), .cancel(let id, _): registration = id
    case .willChange(let one), .didChange(let one):
      (subject, keyPath, change) = (one.subject, one.key, one.id)
    case .notify(let one), .notifyEnd(let one):
      (registration, change) = (one.registration, one.change)
    case .attach(let one), .detach(let one):
      (subject, keyPath, registration) = (one.object, one.key, one.registration)
    case .deinit(let object), .deinitEnd(let object), .expectDeinit(let object, _),
      .classChanged(let object, _, _):
      subject = object
    case .write(let object, let key, _): (subject, keyPath) = (object, key)
    case .hold(let reference), .drop(let reference):
      (subject, observer) = (reference.from, reference.to)
    default: break
    }
  }

  /// The columns after input and number.
  var values: [DatabaseFile.Value] {
    [
      event.time.map { .integer(Int64(clamping: $0)) } ?? .null,
      .text(event.thread.map { names.text(of: $0) }), .text(event.body.name),
      .text(subject.map { names[$0.className] }), .text(subject.map { names.text(of: $0.id) }),
      .text(observer.map { names[$0.className] }), .text(observer.map { names.text(of: $0.id) }),
      .text(keyPath == .none ? nil : names[keyPath]),
      .text(registration.map { names.text(of: $0) }), .text(change.map { names.text(of: $0) }),
    ]
  }
}
