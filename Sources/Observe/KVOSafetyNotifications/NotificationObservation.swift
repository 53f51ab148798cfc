#if NotificationAdapter
internal import Foundation
internal import KVOSafety
internal import KVOTrace

/// A block that a notification center calls, and its registration in the log.
///
/// Dropping it removes nothing.
public final class NotificationObservation: @unchecked Sendable {
  // Sendable: `token` is guarded by `lock`; everything else is set in init.
  private let registration: ForeignRegistration
  // The center keeps its block, and that keeps this object.
  private weak let center: NotificationCenter?
  private let lock = NSLock()
  private var token: (any NSObjectProtocol)?

  init(_ registration: ForeignRegistration, center: NotificationCenter) {
    self.registration = registration
    self.center = center
  }

  /// Whether the block is still called.
  public var isActive: Bool { registration.isActive }

  func take(_ token: any NSObjectProtocol) { lock.withLock { self.token = token } }

  /// Ends the observation, if it is one of `center`.
  func end(on center: NotificationCenter) {
    guard center === self.center else { return }
    registration.end(by: .user)
    leaveCenter()
  }

  /// Removes the block from the center; no lock is held while the center does so.
  func leaveCenter() {
    let token = lock.withLock {
      defer { self.token = nil }
      return self.token
    }
    if let token { center?.removeObserver(token) }
  }
}

extension NotificationObservation: Hashable {
  /// Whether both are the same object.
  public static func == (left: NotificationObservation, right: NotificationObservation) -> Bool {
    left === right
  }

  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
