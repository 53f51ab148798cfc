/// A change that was handed to an actor, and what was lost on the way there.
///
/// The actor handles it after the change was made: the observed object may have changed again. A notification that was
/// requested before the change also arrives after it.
public struct HoppedChange<Value: Sendable>: Sendable {
  /// The change, with its values at the time of the change.
  public let change: ObservedChange<Value>
  /// How many changes before this one were left out because the actor was late; 0 unless
  /// ``HopBuffering/newest`` was asked for.
  public let skippedCount: Int
  /// Whether another thread was notifying this observation of a change at the same time, so that
  /// the order of the two is not that in which they were made.
  ///
  /// The log has details: overlapping changes are KVO024.
  public let isOrderUncertain: Bool
}

/// What happens to changes that an actor has not come to yet.
public enum HopBuffering: Hashable, Sendable {
  /// All are kept, and delivered one by one.
  case all
  /// Only the newest is kept; it has the number of those left out before it.
  case newest
}
