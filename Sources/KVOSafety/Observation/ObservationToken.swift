internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// Ends an observation when it is invalidated or deallocated.
///
/// Mirrors `NSKeyValueObservation`. Keeps neither the observed object alive nor, once it is
/// invalidated, the handler's captures. Any thread may use it.
public final class ObservationToken: Sendable {
  // `isEnded` is set by the call that ends the observation through this token, and never cleared. relaxed: it only
  // spares later calls the work. Two threads that race here both go on, and the lock of the registrations lets one of
  // them find the observation. `cell` is set in init, or once by `found(_:)`. relaxed: what it points to is read under
  // the lock of the registrations.
  private let id: RegistrationID
  /// The address of the cell that deliveries are claimed in; 0 while it is not known.
  private let cell: Atomic<UInt>
  /// The registrations on the observed object, which outlive it; nil if this one was refused.
  ///
  /// Owned: released in deinit, so that a call here need not count references.
  private let storage: Unmanaged<SubjectStorage>?
  private let isEnded = Atomic<Bool>(false)

  /// A token that ends `observation`; nil for one that was refused.
  @usableFromInline
  convenience init(_ observation: Observation?) {
    self.init(
      observation?.id ?? RegistrationID(0),
      in: observation?.cell,
      on: observation?.root
    )
  }

  /// A token that ends the registration `id` on `storage`, whose deliveries are claimed in `cell`.
  init(_ id: RegistrationID, in cell: DeliveryCellReference?, on storage: SubjectStorage?) {
    self.id = id
    self.cell = Atomic(UInt(bitPattern: cell?.pointer))
    self.storage = storage.map(Unmanaged.passRetained)
  }

  deinit {
    end(by: .token)
    storage?.release()
  }

  /// Whether the observation has not ended.
  public var isActive: Bool { registrations?.contains(id) ?? false }

  /// Ends the observation.
  ///
  /// A second call does nothing.
  ///
  /// After it returns no new call of the handler begins on any thread, even for a change that is under way. One that
  /// began before may still be running: see ``invalidateAndWait()``.
  public func invalidate() { end(by: .user) }

  /// Ends the observation, and returns when no call of the handler is running on another thread.
  ///
  /// A call that is running on this very thread, around this one, is not waited for. Do not call it while holding a
  /// lock that the handler takes: this would deadlock.
  public func invalidateAndWait() {
    // A handler may get the token before the call that adds the observation has returned, and noted the cell.
    let cell = knownCell ?? registrations?.observation(id)?.cell
    end(by: .user)
    guard let registrations, let cell else { return }
    registrations.waitForDeliveries(of: id, in: cell)
  }

  /// The object that is observed; nil after its deallocation has begun, and if nothing was ever observed.
  ///
  /// Not kept alive by the token. Mirrors the property of this name of `PMKVObserver`.
  public var object: AnyObject? { registrations?.record.object }

  /// The key path as it was registered, such as `owner.name`; nil if the observation has ended.
  public var keyPath: String? {
    registrations?.observation(id).map { Recorder.shared.text(of: $0.registration.keyPath) }
  }

  /// Notes the cell in which deliveries are claimed, for a token that was made before its
  /// registration.
  func found(_ cell: DeliveryCellReference?) {
    self.cell.store(UInt(bitPattern: cell?.pointer), ordering: .relaxed)
  }

  /// Ends the observation because the object it was bound to is deallocated.
  func endWithOwner() { end(by: .owner) }

  /// The number of the observed object; nil for a token that was refused.
  var subject: ObjectID? { registrations?.record.ref.id }

  private var knownCell: DeliveryCellReference? {
    UnsafeMutablePointer(bitPattern: cell.load(ordering: .relaxed))
      .map(DeliveryCellReference.init(pointer:))
  }

  /// Its reference in logs; nil if its observation has ended.
  var reference: ObjectRef? { registrations?.observation(id)?.registration.token }

  /// The address of its observation, or nil if that has ended.
  var keptAddress: UInt? { registrations?.address(of: id) }

  private var registrations: SubjectStorage? { storage?.takeUnretainedValue() }

  private func end(by cause: CancelCause) {
    guard let storage, !isEnded.load(ordering: .relaxed) else { return }
    isEnded.store(true, ordering: .relaxed)
    storage._withUnsafeGuaranteedRef { $0.cancel(id, by: cause) }
  }
}

extension ObservationToken: Hashable {
  /// Whether both are the same object.
  public static func == (left: ObservationToken, right: ObservationToken) -> Bool {
    left === right
  }

  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
