internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// A requested registration: checked, named, added, and sent its initial value.
struct ObservationRequest {
  /// The number that the registration gets; nil: the next one.
  var id: RegistrationID?
  var subject: any KeyValueObservable
  /// The path as the caller gave it; nil is refused.
  ///
  /// Not requested if `key` is known.
  var keyPath: String?
  /// The same, if it was taken apart already.
  var path: ObservedPath?
  /// The key, if the path is a single one that was found already.
  var key: ResolvedKey?
  var options: ObservingOptions
  var form: Registration.Form
  var observer: AnyObject?
  var context: ObservationContext?
  var site: CallSite
  /// The actor that callbacks are expected on; its name is recorded as the executor of the registration.
  var expected: ExpectedExecutor?
  var expectedToLive: String?
  /// The object that the form returns to its caller, as logs name it.
  var token: ObjectRef?
  /// The type of values that the handler takes; nil: any, with optionals unwrapped.
  var valueType: Any.Type?
  /// Whether a change of some elements of a collection is reported as a change of the whole.
  var wantsWhole = false
  /// Whether the observation is meant to end with the observed object; a stream always is.
  var endsWithObject = false
  var deliver: Observation.Callback
  /// Called with the registration once it is in the table, before any notification.
  var didAdd: ((RegistrationID, SubjectStorage) -> Void)?

  /// Adds the observation, or refuses it and reports why (KVO029).
  ///
  /// - Returns: the observation, nil if it was refused.
  func add() -> Observation? {
    let path: Path
    do throws(KeyPathWalk.Obstacle) {
      path = try resolve()
    } catch {
      refuse(error)
      return nil
    }
    let storage = subject.storage
    let record = observer.map { ObjectTable.shared.watchedRecord(of: $0) }
    // The holder of the token or the controller may be destroyed with the object, after its
    // registrar.
    if form != .classic { ObjectTable.shared.watch(storage.record, of: subject) }
    let isFollowed = form == .stream && path.first.newest.isWeak
    let isAlone = path.keys.isEmpty && path.first.isAlone && !isFollowed
    let isFinished = isAlone && didAdd == nil && !options.contains(.initial)
    let affecting =
      isAlone || form == .stream || !path.keys.isEmpty ? nil : storage.keys.affecting(path.first)
    let observation = Observation(
      registration: registration(path.name, of: storage.record.ref, observer: record?.ref),
      key: path.first.id,
      path: path.keys,
      single: path.keys.isEmpty ? path.first : nil,
      observer: record,
      root: storage,
      valueType: valueType,
      optional: path.optional,
      wantsWhole: wantsWhole,
      endsWithObject: endsWithObject,
      affecting: affecting,
      tree: isAlone || affecting != nil ? nil : WatchTree(),
      expected: expected,
      deliver: deliver
    )
    storage.add(observation, stack: Recorder.shared.captureStack(), isFinished: isFinished)
    if record != nil, DuplicateCoalescing.shared.isEnabled,
      let original = storage.original(of: observation.registration)
    {
      if !isFinished { storage.finishAdding(observation) }
      storage.cancel(observation.id, by: .user)
      DuplicateCoalescing.shared.note(original, of: storage)
      return nil
    }
    if isFinished { return observation }
    didAdd?(observation.id, storage)
    if !isAlone { KeyDeclarations.record(path.first, of: subject) }
    observation.tree?.rebuild(observation, from: subject)
    if options.contains(.initial) {
      observation.notifyOfReading(subject, .initial, of: nil)
    }
    storage.finishAdding(observation)
    return observation
  }

  /// A path whose parts are known, as far as there are objects.
  private struct Path {
    /// The path as events have it.
    var name: StringID
    var first: ResolvedKey
    /// All keys; empty if there is only one.
    var keys: [StringID]
    var optional: OptionalLayout?
  }

  private func resolve() throws(KeyPathWalk.Obstacle) -> Path {
    if let key { return Path(name: key.id, first: key, keys: []) }
    guard let keyPath else { throw .init(reason: .nilKeyPath, part: "") }
    guard !keyPath.isEmpty else { throw .init(reason: .emptyKeyPath, part: "") }
    let keys = type(of: subject).observableKeys
    let path = path ?? ThreadChanges.namesOfThisThread.path(named: keyPath)
    // A typed path of several parts is not a key: no key has a dot in its name.
    if path.parts.count == 1, let key = path.key(0, in: keys) {
      // Known to consist of keys from here on.
      _ = path.names
      return Path(name: key.id, first: key, keys: [])
    }
    try KeyPathWalk.check(path, from: subject)
    let names = path.names
    guard let first = keys.key(names.keys[0]) else {
      throw .init(reason: .unknownKey, part: path.parts[0])
    }
    return Path(name: names.path, first: first, keys: names.keys, optional: path.optional)
  }

  private func refuse(_ obstacle: KeyPathWalk.Obstacle) {
    let storage = subject.storage
    // The deinit of the observer may contain the removal, which is known to pair with this addition by the number of the
    // observer.
    let record = observer.map { ObjectTable.shared.watchedRecord(of: $0) }
    let name = Recorder.id(of: keyPath ?? "")
    let refused = registration(name, of: storage.record.ref, observer: record?.ref)
    if form == .classic { storage.noteRefusal(of: refused) }
    storage.refuse(refused, reason: obstacle.reason, part: obstacle.part)
  }

  private func registration(
    _ name: StringID,
    of subject: ObjectRef,
    observer: ObjectRef?
  ) -> Registration {
    Registration(
      id: id ?? RegistrationID(ObjectTable.shared.nextNumber()),
      subject: subject,
      observer: observer,
      keyPath: name,
      context: context.map { $0.traceContext } ?? .null,
      options: Registration.Options(options),
      form: form,
      token: token,
      site: ThreadChanges.namesOfThisThread.names(of: site).id,
      executor: expected?.name ?? .none,
      expectedToLive: expectedToLive.map { Recorder.id(of: $0) } ?? .none
    )
  }
}

extension Registration.Options {
  /// The options, which have the same bits in events.
  init(_ options: ObservingOptions) {
    self.init(rawValue: UInt8(truncatingIfNeeded: options.rawValue & 15))
  }
}

extension ObservationContext {
  /// The context in events: its name, and a unique number.
  var traceContext: Context {
    .named(Recorder.shared.id(of: "\(name.isEmpty ? "context" : name)#\(number)"))
  }
}
