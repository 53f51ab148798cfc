package import KVOTrace

/// A callback that changes its observed value, and so is called recursively (KVO027).
///
/// A few levels are legitimate: a value is corrected, and corrected again. More than ``limit`` of them overflow the
/// stack eventually.
@usableFromInline
package enum ReentrantDelivery {
  /// How deeply a callback may be nested in itself.
  @inlinable package static var limit: Int { 8 }

  /// Whether a chain of callbacks is reported now: once, when it passes the limit.
  ///
  /// - Parameter depth: how many callbacks of the registration the thread is in, the one that begins
  ///   included.
  /// - Returns: whether it exceeds the limit.
  @inline(__always)
  package static func isTooDeep(_ depth: Int) -> Bool { depth == limit + 1 }

  /// The verdict about `registration`.
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
