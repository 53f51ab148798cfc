#if NotificationAdapter
public import Foundation
internal import KVOSafety
internal import KVOTrace

extension NotificationCenter {
  /// Adds a block as `addObserver(forName:object:queue:using:)` does, and records it in the log.
  ///
  /// The observation is in ``KVOSafety/KVO/census()`` as an observation of the center, under the notification's name,
  /// until it is removed. As with Foundation's method, dropping the result removes nothing: a forgotten observer is
  /// found when its scope ends (KVO021), or when its owner is deallocated (KVO007), which also removes it. A center is
  /// deallocated with its observers, which is not reported: Foundation's center frees their blocks. An owner that adds
  /// the same observer twice is reported (KVO005).
  ///
  /// - Parameters:
  ///   - name: which notifications; nil: all.
  ///   - object: the object that posts the notifications; nil: any. Not kept alive.
  ///   - queue: where the block runs; nil: where the notification is posted.
  ///   - owner: on whose behalf, so that a duplicate or a forgotten one can be reported. Not kept
  ///     alive.
  ///   - expectedToLive: why the observation is meant to outlive the test scope it is made in, if so.
  ///   - isolation: the actor of the caller, where notifications are expected unless `queue` is given.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  ///   - block: called for each notification.
  /// - Returns: the argument for ``removeRecordedObserver(_:)``.
  public func addRecordedObserver(
    forName name: Notification.Name?,
    object: Any? = nil,
    queue: OperationQueue? = nil,
    owner: AnyObject? = nil,
    expectedToLive: String? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> NotificationObservation {
    let registration = ForeignRegistration(
      on: self,
      observer: owner,
      key: name?.rawValue ?? "any notification",
      form: owner == nil ? .token : .classic,
      endsWithSubject: true,
      expectedToLive: expectedToLive,
      isolation: queue == nil ? isolation : nil,
      fileID: fileID,
      line: line,
      function: function
    ) { notification in
      if let notification = notification as? Notification { block(notification) }
    }
    let observation = NotificationObservation(registration, center: self)
    observation.take(
      addObserver(forName: name, object: object, queue: queue) { notification in
        // Ended by its owner's deallocation: the block leaves the center only now.
        guard registration.isActive else { return observation.leaveCenter() }
        registration.deliver(notification)
      }
    )
    return observation
  }

  /// Removes an observer that ``addRecordedObserver`` added to this center; a second call does nothing.
  ///
  /// An observer of another center stays, as with Foundation's method: it is forgotten unless its own center removes it.
  ///
  /// Mirrors `removeObserver(_:)`.
  public func removeRecordedObserver(_ observation: NotificationObservation) {
    observation.end(on: self)
  }

  /// Removes an observer that ``addRecordedObserver`` added to this center, as Foundation's method of that name would.
  ///
  /// Foundation's takes any object, and would do nothing with this one.
  public func removeObserver(_ observation: NotificationObservation) { observation.end(on: self) }
}
#endif
