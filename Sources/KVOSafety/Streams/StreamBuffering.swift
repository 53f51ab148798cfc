/// What a stream keeps of the values that nobody has taken yet.
public enum StreamBuffering: Hashable, Sendable {
  /// All of them: nothing is lost, and memory grows while nobody takes them.
  case unbounded
  /// The newest so many; older ones are dropped, and counted.
  case newest(Int)
  /// The oldest so many; newer ones are dropped, and counted.
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
