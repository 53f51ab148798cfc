internal import KVORules
internal import KVOTrace

/// One registration: what it asks for, and how to tell its observer.
///
/// The observed object's storage holds it until it ends; nobody else does for longer than a call.
@usableFromInline
final class Observation: @unchecked Sendable {
  // Sendable: every property is set in init and never again, but for `tree`, which has a lock, `cell`, which
  // is set once, under the lock of `root`, before anybody can find the observation, and `place`, which is read
  // and written under that lock.
  // `deliver` need not be Sendable: it runs on the thread that makes a change, as KVO's callbacks do, and
  // `didEnd` on the one that ends the registration.

  /// What is known of the observation when it is registered.
  let registration: Registration
  /// The first key of the path, which is a key of the observed object.
  let key: StringID
  /// All keys of a path with several; nil for a single key, which leaves nothing to be destroyed.
  private let parts: [StringID]?
  /// What is known of a single key; nil for a path with several.
  ///
  /// Nearly always one that the keys of `root` own. Another, of a class that makes its table anew each time
  /// it is asked, is the observation's to release.
  private let single: Unmanaged<ResolvedKey>?
  private let ownsSingle: Bool
  /// Whether the observed value is that of `key` as its setters know it: of a single key, without a getter that
  /// overrides another.
  let isDirect: Bool
  /// The observer whose death ends the observation; nil in the token form.
  let observer: ObjectRecord?
  /// The observed object's registrations, which hold this one until it ends.
  let root: SubjectStorage
  /// The type of values that the handler takes; nil: any, without optionals around.
  let valueType: Any.Type?
  /// The options, as a change asks for them.
  let wantsOld: Bool
  let wantsNew: Bool
  let wantsPrior: Bool
  /// Whether a change of some elements of a collection comes as one of the whole, as in a stream of values.
  let wantsWhole: Bool
  /// Calls the observer.
  ///
  /// Returns whether it knew what to do, or nil where it cannot say.
  let deliver: Callback
  /// Where else the observation listens: on the other objects of a deep path, and to what affects a
  /// key; nil where there is nothing of the kind.
  let tree: WatchTree?
  /// Called when the registration has ended, without a lock; nil where nobody has to know.
  let didEnd: (() -> Void)?
  /// The actor that callbacks are expected on; nil where any thread is right.
  let expected: ExpectedExecutor?
  /// Whether neither an observer must be alive nor an actor be compared.
  let isPlain: Bool
  /// Where deliveries are claimed.
  private(set) var cell: DeliveryCellReference?
  /// Where its first link is among those of its key.
  var place = -1

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
    wantsWhole: Bool = false,
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
    self.tree = tree
    let options = ObservingOptions(rawValue: UInt(registration.options.rawValue))
    wantsOld = options.contains(.old)
    wantsNew = options.contains(.new)
    wantsPrior = options.contains(.prior)
    self.wantsWhole = wantsWhole
    self.expected = expected
    isPlain = observer == nil && expected == nil
    self.didEnd = didEnd
    self.deliver = deliver
  }

  deinit { if ownsSingle { single?.release() } }

  /// The number of the registration.
  ///
  /// The layer numbers all of its registrations; one without a number was refused before this.
  var id: RegistrationID { registration.id ?? RegistrationID(0) }

  /// The keys of the path, the observed object's first.
  var keys: [StringID] { parts ?? [key] }

  /// All keys of a path with several; empty for a single key.
  var path: [StringID] { parts ?? [] }

  /// Whether the path is a single key.
  var isSingle: Bool { parts == nil }

  /// Whether the observation wants to know when an object dies that `key`, at the end of its path, refers
  /// to weakly: a stream does.
  func follows(_ key: KeyDeclared) -> Bool { registration.form == .stream && key.isWeak }

  /// Whether it ``follows(_:)`` the single key of its path.
  var followsSingle: Bool {
    guard case .stream = registration.form else { return false }
    return single?._withUnsafeGuaranteedRef { $0.newest.isWeak } == true
  }

  /// Whether the observation has to do with a change before it is made, beyond what every setter knows.
  ///
  /// `isDirect` says whether the value that changes is the observed one.
  func isConcernedBefore(isDirect: Bool) -> Bool { wantsPrior || (!isDirect && wantsOld) }

  /// Notes where deliveries are claimed; once, under the lock of `root`.
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
}

/// A place where an observation listens: a key of one object.
struct ObservationLink: Sendable {
  let observation: Observation
  /// Tells the links of one observation apart; 0 is that to the first key of its path.
  let number: Int32
  let key: StringID
  /// Whether the value of this key of this object is the observed value.
  let isDirect: Bool
  /// Whether other objects are found through this key, or one whose death is waited for, so that a change
  /// means to look for them anew.
  let isIntermediate: Bool

  /// Whether the observation has to do with a change before it is made, beyond what every setter
  /// knows.
  var isConcernedBefore: Bool { observation.isConcernedBefore(isDirect: isDirect) }

  /// Whether the path of the observation still leads here.
  var isHung: Bool { number == 0 || observation.tree?.isHung(number) == true }
}
