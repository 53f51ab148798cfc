internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// A registration that is asked for: checked, named, added, and told its initial value.
struct ObservationRequest {
  var subject: any KeyValueObservable
  /// The path as the caller gave it; nil is refused.
  var keyPath: String?
  var options: ObservingOptions
  var form: Registration.Form
  var observer: AnyObject?
  var context: ObservationContext?
  var site: CallSite
  var executor: String?
  var expectedToLive: String?
  /// What the form hands out, as logs name it.
  var token: ObjectRef?
  /// Reads the value as the handler wants it; nil: the end of the path, without optionals around.
  var read: ((AnyObject) -> Any?)?
  var deliver: Observation.Callback
  /// Told of the registration when it is in the table, before any notification.
  var didAdd: ((RegistrationID, SubjectStorage) -> Void)?

  /// Adds the observation, or refuses it and reports why (KVO029).
  ///
  /// - Returns: the number of the registration and where it is, nil where it was refused.
  func add() -> (id: RegistrationID, storage: SubjectStorage)? {
    if let obstacle = obstacle {
      refuse(obstacle)
      return nil
    }
    let storage = subject.storage
    let keys = (keyPath ?? "").split(separator: ".").map { Recorder.shared.id(of: String($0)) }
    let record = observer.map { ObjectTable.shared.record(of: $0) }
    if let record, let observer { ObjectTable.shared.watch(record, of: observer) }
    // Whoever holds the token or the controller may be destroyed with the object, after its registrar.
    if form != .classic { ObjectTable.shared.watch(storage.record, of: subject) }
    let observation = Observation(
      registration: registration(of: storage.record.ref, observer: record?.ref),
      keys: keys,
      observer: record,
      root: storage,
      read: read ?? { KeyPathWalk.value(of: keys, from: $0) },
      deliver: deliver
    )
    storage.add(observation, stack: Recorder.shared.captureStack())
    didAdd?(observation.id, storage)
    observation.chain?.rebuild(observation, from: subject)
    if options.contains(.initial) {
      let value = Observation.Change(
        kind: .setting,
        old: nil,
        new: options.contains(.new) ? observation.read(subject) : nil,
        isPrior: false
      )
      storage.deliver(observation, to: subject, phase: .initial, change: nil, value: value)
    }
    storage.finishAdding(observation)
    return (observation.id, storage)
  }

  private var obstacle: KeyPathWalk.Obstacle? {
    guard let keyPath else { return .init(reason: .nilKeyPath, part: "") }
    guard !keyPath.isEmpty else { return .init(reason: .emptyKeyPath, part: "") }
    let parts = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    do {
      try KeyPathWalk.check(parts, from: subject)
      return nil
    } catch {
      return error
    }
  }

  private func refuse(_ obstacle: KeyPathWalk.Obstacle) {
    let storage = subject.storage
    let record = observer.map { ObjectTable.shared.record(of: $0) }
    let registration = registration(of: storage.record.ref, observer: record?.ref)
    storage.refuse(registration, reason: obstacle.reason, part: obstacle.part)
  }

  private func registration(of subject: ObjectRef, observer: ObjectRef?) -> Registration {
    let recorder = Recorder.shared
    return Registration(
      id: RegistrationID(ObjectTable.shared.nextNumber()),
      subject: subject,
      observer: observer,
      keyPath: recorder.id(of: keyPath ?? ""),
      context: context.map { $0.traceContext } ?? .null,
      options: Registration.Options(options),
      form: form,
      token: token,
      site: site.id,
      executor: recorder.id(of: executor ?? ""),
      expectedToLive: recorder.id(of: expectedToLive ?? "")
    )
  }
}

extension Registration.Options {
  init(_ options: ObservingOptions) {
    self = []
    if options.contains(.new) { insert(.new) }
    if options.contains(.old) { insert(.old) }
    if options.contains(.initial) { insert(.initial) }
    if options.contains(.prior) { insert(.prior) }
  }
}

extension ObservationContext {
  /// The context in events: its name, and a number that no other context has.
  var traceContext: Context {
    .named(Recorder.shared.id(of: "\(name.isEmpty ? "context" : name)#\(number)"))
  }
}
