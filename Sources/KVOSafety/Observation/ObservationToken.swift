internal import KVORecorder
internal import KVOTrace

/// Ends an observation when it is invalidated or dies.
///
/// Mirrors `NSKeyValueObservation`. Keeps neither the observed object nor the handler's captures
/// alive once it is invalidated. Any thread may use it.
public final class ObservationToken: Sendable {
  private let id: RegistrationID?
  // Sendable: a weak reference is read and cleared atomically by the runtime, and never set again.
  private weak let storage: SubjectStorage?

  /// A token that ends the registration `id`; nil for one that was refused.
  init(id: RegistrationID?, storage: SubjectStorage?) {
    self.id = id
    self.storage = storage
  }

  deinit { end(by: .token) }

  /// Whether the observation is still there.
  public var isActive: Bool {
    guard let id, let storage else { return false }
    return storage.contains(id)
  }

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
    guard let id, let storage else { return }
    storage.waitForDeliveries(of: id)
  }

  private func end(by cause: CancelCause) {
    guard let id else { return }
    storage?.cancel(id, by: cause)
  }
}
