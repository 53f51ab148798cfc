/// Which values a stream keeps until they are taken.
public enum StreamBuffering: Hashable, Sendable {
  /// All of them: nothing is lost, and memory grows while they are not taken.
  case unbounded
  /// The newest values, up to this number; older ones are dropped, and counted.
  case newest(Int)
  /// The oldest values, up to this number; newer ones are dropped, and counted.
  case oldest(Int)

  func policy<Element>(
    of type: Element.Type
  ) -> AsyncStream<Element>.Continuation.BufferingPolicy {
    switch self {
    case .unbounded: .unbounded
    case .newest(let count): .bufferingNewest(count)
    case .oldest(let count): .bufferingOldest(count)
    }
  }
}
