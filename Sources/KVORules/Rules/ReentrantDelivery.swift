package import KVOTrace

/// A callback that changes what it observes, and is told of that inside itself (KVO027).
///
/// Many of them settle down by themselves: a value is corrected, and corrected again. More than ``limit`` of
/// them are reported while the program runs, because nothing can be reported when the stack has overflowed. Whether
/// they end is known afterwards: as long as nothing says that they did not, it is a warning.
package enum ReentrantDelivery {
  /// How often a callback may be inside itself.
  ///
  /// A level takes one to five kilobytes of stack, the handler's own variables aside. A thread other than the
  /// main one may have 512 KB, which is then full after a hundred to some hundreds of them.
  package static let limit = 100

  /// Whether a chain of callbacks is told of now: once, when it passes the limit.
  ///
  /// - Parameter depth: how many callbacks of the registration the thread is in, the one that begins
  ///   included.
  /// - Returns: whether it is one too many.
  @inline(__always)
  package static func isTooDeep(_ depth: Int) -> Bool { depth == limit + 1 }

  /// The verdict about `registration`, whose callbacks may still end.
  ///
  /// - Parameters:
  ///   - registration: whose callback it is.
  ///   - evidence: where the callback that passes the limit began.
  ///   - first: where the outermost began, if that is known.
  ///   - registered: where the observation was made, if that is known.
  /// - Returns: the verdict.
  package static func verdict(
    of registration: Registration,
    at evidence: Evidence,
    first: Evidence? = nil,
    registered: Evidence? = nil
  ) -> Verdict {
    Verdict(
      .reentrantChange,
      of: registration,
      [evidence.as(.failed), first?.as(.notified), registered?.as(.registered)]
        .compactMap(\.self),
      .depth(limit + 1),
      confidence: .high
    )
  }
}
