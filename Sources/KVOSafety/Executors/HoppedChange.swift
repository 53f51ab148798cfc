/// A change that was handed to an actor, and what was lost on the way there.
///
/// The actor comes to it later than the change was made: the observed object has gone on, and may have
/// changed again. A notification that was asked for before the change comes after it as well.
public struct HoppedChange<Value: Sendable>: Sendable {
  /// The change, with the values of its own time.
  public let change: ObservedChange<Value>
  /// How many changes before this one were left out because the actor was late; 0 unless
  /// ``HopBuffering/newest`` was asked for.
  public let skippedCount: Int
  /// Whether another thread was telling this observation of a change at the same time, so that the
  /// order of the two is not that in which they were made.
  ///
  /// The log says more: changes that overlap are KVO024.
  public let isOrderUncertain: Bool
}

/// What happens to changes that an actor has not come to yet.
public enum HopBuffering: Hashable, Sendable {
  /// All are kept, and handed over one by one.
  case all
  /// The newest is kept; it says how many it stands for.
  case newest
}
