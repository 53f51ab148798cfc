internal import KVORules
internal import KVOTrace

/// One registration: what it asks for, and how to notify its observer.
///
/// The observed object's storage retains it until it ends; nothing else does beyond a call.
@usableFromInline
final class Observation: @unchecked Sendable {
  // Sendable: every property is set in init and never again, except for `tree`, which has a lock,
  // `cell`, which is set once, under the lock of `root`, before any thread can find the
  // observation, and `linkIndex`, which is read and written under that lock. `deliver` need not be
  // Sendable: it runs on the thread that makes a change, as KVO's callbacks do, and `didEnd` on the
  // one that ends the registration.

  /// Properties that are known when the observation is registered.
  let registration: Registration
  /// The first key of the path, which is a key of the observed object.
  let key: StringID
  /// All keys of a path with several; nil for a single key, so that there is nothing to destroy.
  private let parts: [StringID]?
  /// The properties of a single key; nil for a path with several.
  ///
  /// Nearly always owned by the keys of `root`. The observation releases any other, which belongs to a class that makes
  /// a new table on each request.
  private let single: Unmanaged<ResolvedKey>?
  private let ownsSingle: Bool
  /// Whether the observed value is the value of `key` that its setters know: a single key whose getter overrides no
  /// other.
  let isDirect: Bool
  /// The observer whose deallocation ends the observation; nil in the token form.
  let observer: ObjectRecord?
  /// The observed object's registrations, which hold this one until it ends.
  let root: SubjectStorage
  /// The type of values that the handler takes; nil: any, with optionals unwrapped.
  let valueType: Any.Type?
  /// The same for a path with several keys, if it is an optional of what is not one; nil: it is not, or has not been looked
  /// up.
  ///
  /// The value at the end of a path that leads through an optional has one optional less.
  let optional: OptionalLayout?
  /// The options, as a change asks for them.
  let wantsOld: Bool
  let wantsNew: Bool
  let wantsPrior: Bool
  /// Whether a change of some elements of a collection is reported as a change of the whole, as in a stream of values.
  let wantsWhole: Bool
  /// Whether the observation is meant to end with the observed object, as a stream is, so that this is not a fault.
  let endsWithObject: Bool
  /// Calls the observer.
  ///
  /// Returns whether it handled the change, or nil if that is unknown.
  let deliver: Callback
  /// The keys of the observed object that affect the observed key, if each is unaffected itself; nil if there are none,
  /// or the links to them are in `tree`.
  ///
  /// The links to them have the numbers 1, 2 and so on, in their order.
  let affecting: [StringID]?
  /// The observation's other links: on the other objects of a deep path, and to keys that affect a key; nil if there
  /// are none.
  let tree: WatchTree?
  /// Called when the registration has ended, without a lock; nil if no code has to be called.
  let didEnd: (() -> Void)?
  /// The actor that callbacks are expected on; nil if any thread is allowed.
  let expected: ExpectedExecutor?
  /// Whether neither the observer's existence nor the actor has to be checked.
  let isPlain: Bool
  /// The cell in which deliveries are claimed.
  private(set) var cell: DeliveryCellReference?
  /// The index of its first link among those of its key.
  var linkIndex = -1

  /// Calls an observer, which is nil in the token form.
  @usableFromInline
  typealias Callback = (AnyObject, AnyObject?, DeliveredChange) -> Bool?

  init(
    registration: Registration,
    key: StringID,
    path: [StringID] = [],
    single: ResolvedKey?,
    observer: ObjectRecord?,
    root: SubjectStorage,
    valueType: Any.Type?,
    optional: OptionalLayout? = nil,
    wantsWhole: Bool = false,
    endsWithObject: Bool = false,
    affecting: [StringID]? = nil,
    tree: WatchTree? = nil,
    expected: ExpectedExecutor? = nil,
    didEnd: (() -> Void)? = nil,
    deliver: @escaping Callback
  ) {
    self.registration = registration
    self.key = key
    parts = path.isEmpty ? nil : path
    let isOwned = single.map { !root.keys.owns($0) } ?? false
    self.single = single.map { isOwned ? .passRetained($0) : .passUnretained($0) }
    ownsSingle = isOwned
    isDirect = path.isEmpty && single?.isReadByGetter != true
    self.observer = observer
    self.root = root
    self.valueType = valueType
    self.optional = optional.flatMap { TypeMetadata.isOptional($0.wrappedType) ? nil : $0 }
    self.affecting = affecting
    self.tree = tree
    let options = ObservingOptions(rawValue: UInt(registration.options.rawValue))
    wantsOld = options.contains(.old)
    wantsNew = options.contains(.new)
    wantsPrior = options.contains(.prior)
    self.wantsWhole = wantsWhole
    self.endsWithObject = endsWithObject || registration.form == .stream
    self.expected = expected
    isPlain = observer == nil && expected == nil
    self.didEnd = didEnd
    self.deliver = deliver
  }

  deinit { if ownsSingle { single?.release() } }

  /// The number of the registration.
  ///
  /// The library numbers all of its registrations; one without a number was refused before this.
  var id: RegistrationID { registration.id ?? RegistrationID(0) }

  /// The keys of the path, the observed object's first.
  var keys: [StringID] { parts ?? [key] }

  /// All keys of a path with several; empty for a single key.
  var path: [StringID] { parts ?? [] }

  /// Whether the path is a single key.
  var isSingle: Bool { parts == nil }

  /// Whether the observation is notified when an object that `key`, at the end of its path, references weakly is
  /// deallocated, as a stream is.
  func follows(_ key: KeyDeclared) -> Bool { registration.form == .stream && key.isWeak }

  /// Whether the observation is a stream.
  var isStream: Bool {
    guard case .stream = registration.form else { return false }
    return true
  }

  /// Whether it ``follows(_:)`` the single key of its path.
  var followsSingle: Bool {
    isStream && single?._withUnsafeGuaranteedRef { $0.newest.isWeak } == true
  }

  /// Whether the observation needs to act before a change is made, beyond what every setter knows.
  ///
  /// `isDirect` says whether the value that changes is the observed one.
  func isConcernedBefore(isDirect: Bool) -> Bool { wantsPrior || (!isDirect && wantsOld) }

  /// Notes the cell in which deliveries are claimed; once, under the lock of `root`.
  func take(_ cell: DeliveryCellReference) { self.cell = cell }

  /// Reads the observed value: the end of the path, from the observed object on.
  ///
  /// Runs getters of the program: no lock may be held.
  func read(from subject: AnyObject) -> Any? {
    let value =
      single.map { $0.takeUnretainedValue().read(subject) }
      ?? KeyPathWalk.value(of: path, from: subject)
    return valueType == nil ? value.flattened : value
  }

  /// Reads the observed value, and calls `body` with its address: in the handler's type if `isBoxed` is false, else as
  /// `Any?`.
  ///
  /// Runs getters of the program: no lock may be held. `body` is called once.
  func read(
    from subject: AnyObject,
    end: PathEnd = .unknown,
    _ body: (_ value: UnsafeRawPointer, _ isBoxed: Bool) -> Void
  ) {
    guard single == nil, let valueType else {
      let isRead =
        single?._withUnsafeGuaranteedRef { key in
          key.newest.valueType == valueType && key.newest.visit(subject) { body($0, false) }
        } ?? false
      if !isRead { withUnsafePointer(to: read(from: subject)) { body($0, true) } }
      return
    }
    switch end {
    case .at(let key, let object): return read(key, of: object, as: valueType, body)
    case .unknown:
      if let (key, object) = KeyPathWalk.end(of: path, from: subject, in: root.keys) {
        return read(key, of: object, as: valueType, body)
      }
    case .nowhere: break
    }
    withUnsafePointer(to: Any?.none) { body($0, true) }
  }

  /// The same for the key at the end of a path.
  private func read(
    _ key: ResolvedKey,
    of object: AnyObject,
    as valueType: Any.Type,
    _ body: (_ value: UnsafeRawPointer, _ isBoxed: Bool) -> Void
  ) {
    let isRead =
      key.newest.valueType == valueType
      ? key.newest.visit(object) { body($0, false) }
      : isOptional(of: key.newest.valueType)
        && key.newest.visit(object) { value in
          optional?.wrap(value) { if let value = $0 { body(value, false) } }
        }
    if !isRead { withUnsafePointer(to: key.read(object).flattened) { body($0, true) } }
  }

  /// Whether the handler takes an optional of `type`, which is not an optional itself.
  func isOptional(of type: Any.Type) -> Bool {
    optional?.wrappedType == type
  }
}

/// A key of one object that an observation listens to.
struct ObservationLink: Sendable {
  let observation: Observation
  /// Distinguishes the links of one observation; 0 is the link to the first key of its path.
  let number: Int32
  let key: StringID
  /// Whether the value of this key of this object is the observed value.
  let isDirect: Bool
  /// Whether this key leads to other objects, or to one whose deallocation is awaited, so that they must be looked up
  /// again after a change.
  let isIntermediate: Bool

  /// Whether the observation needs to act before a change is made, beyond what every setter knows.
  var isConcernedBefore: Bool { observation.isConcernedBefore(isDirect: isDirect) }

  /// Whether the path of the observation still leads here.
  var isHung: Bool { number == 0 || observation.tree?.isHung(number) != false }
}
