/// An observer in the classic form, for code that is being wrapped or ported.
///
/// ```swift
/// extension Screen: KeyValueObserver {
///   func observeValue(
///     forKeyPath keyPath: String,
///     of object: any KeyValueObservable,
///     change: ObservedChange<Any>,
///     context: ObservationContext?
///   ) -> NotificationHandling {
///     guard context == Self.context else { return .unhandled }
///     …
///     return .handled
///   }
/// }
/// ```
///
/// A class that is isolated to an actor conforms in isolation: `extension Screen: @MainActor
/// KeyValueObserver`. It is then called on that actor, and nowhere else.
///
/// Mirrors `observeValue(forKeyPath:of:change:context:)` of `NSObject`. There is no `super` to pass
/// an unknown notification to: the observer returns ``NotificationHandling/unhandled`` instead.
public protocol KeyValueObserver: AnyObject {
  /// Called for each change that the receiver was added for.
  ///
  /// It runs on the thread that makes the change, between that thread's assignment and its next
  /// statement, with no lock held: it may add and remove observers, this one too, and make changes.
  ///
  /// - Parameters:
  ///   - keyPath: the path as it was given when the observer was added.
  ///   - object: the observed object.
  ///   - change: what changed. A value that is nil is passed as nil.
  ///   - context: the context given when the observer was added.
  /// - Returns: whether the notification was the observer's own. ``NotificationHandling/unhandled``
  ///   is reported (KVO017): Foundation raises there.
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling
}

/// Whether an observer recognized a notification.
public enum NotificationHandling: Hashable, Sendable {
  /// The notification was the observer's own.
  case handled
  /// The observer does not recognize it. In Foundation's form: it would have called `super`.
  case unhandled
}

/// A context that distinguishes an observer's registrations from those of its superclass.
///
/// Each instance is a distinct context, equal to no other; keep one in a `static let`, as the
/// address of a static variable is kept in Objective-C, and compare with `==` or `===`.
public final class ObservationContext: Sendable {
  /// The name of the context in reports.
  public let name: String
  let number = ObjectTable.shared.nextNumber()

  /// A new context, different from every other, called `name` in reports.
  public init(_ name: String = "") { self.name = name }
}

extension ObservationContext: Hashable {
  /// Whether both are the same context; the name does not count.
  public static func == (left: ObservationContext, right: ObservationContext) -> Bool {
    left === right
  }

  /// Hashes the identity of the context.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
