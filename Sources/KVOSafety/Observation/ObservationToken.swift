internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// Ends an observation when it is invalidated or dies.
///
/// Mirrors `NSKeyValueObservation`. Keeps neither the observed object alive nor, once it is
/// invalidated, the handler's captures. Any thread may use it.
public final class ObservationToken: Sendable {
  // `isEnded` is set once, by whoever ends the observation through this token. relaxed: only one
  // thread is to do it; what it does takes locks of its own.
  private let id: RegistrationID
  private let cell: DeliveryCellReference?
  /// The registrations on the observed object, which outlive it; nil where this one was refused.
  private let storage: SubjectStorage?
  private let isEnded = Atomic<Bool>(false)

  /// A token that ends `observation`; nil for one that was refused.
  @usableFromInline
  init(_ observation: Observation?) {
    id = observation?.id ?? RegistrationID(0)
    cell = observation?.cell
    storage = observation?.root
  }

  deinit { end(by: .token) }

  /// Whether the observation is still there.
  public var isActive: Bool { storage?.contains(id) ?? false }

  /// Ends the observation.
  ///
  /// A second call does nothing.
  ///
  /// After it returns no new call of the handler begins, on any thread, for a change that is under
  /// way included. One that began before may still be running: see ``invalidateAndWait()``.
  public func invalidate() { end(by: .user) }

  /// Ends the observation, and returns when no call of the handler is running on another thread.
  ///
  /// A call that is running on this very thread, around this one, is not waited for. Do not call it
  /// while holding a lock that the handler takes: both would wait for ever.
  public func invalidateAndWait() {
    end(by: .user)
    guard let storage, let cell else { return }
    storage.waitForDeliveries(of: id, in: cell)
  }

  /// What it is in logs; nil where its observation has ended.
  var reference: ObjectRef? { storage?.observation(id)?.registration.token }

  /// Where its observation is, or nil where that has ended.
  var keptAddress: UInt? { storage?.address(of: id) }

  private func end(by cause: CancelCause) {
    guard let storage, !isEnded.exchange(true, ordering: .relaxed) else { return }
    storage.cancel(id, by: cause)
  }
}
