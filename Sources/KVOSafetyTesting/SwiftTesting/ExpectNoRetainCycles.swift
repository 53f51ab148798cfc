public import Testing

/// Records an issue where objects that are reached from `roots` keep each other alive.
///
/// The form for Swift Testing of `assertNoRetainCycles`.
///
/// - Parameters:
///   - roots: where to begin; they are alive until the call returns.
///   - failsIfInconclusive: whether it is an issue that something could not be looked into and no cycle
///     was found.
///   - sourceLocation: where the issue is recorded.
public func expectNoRetainCycles(
  from roots: AnyObject...,
  failsIfInconclusive: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if let failure = RetainVerdict.ofCycles(from: roots, failsIfInconclusive: failsIfInconclusive) {
    Issue.record("\(failure)", sourceLocation: sourceLocation)
  }
}

/// Records an issue where the object that `body` makes outlives it.
///
/// The form for Swift Testing of `assertDeallocates`.
///
/// - Parameters:
///   - sourceLocation: where the issue is recorded.
///   - body: makes the object and lets go of it; runs once, on the calling thread.
/// - Throws: what `body` throws.
public func expectDeallocates(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> AnyObject
) rethrows {
  weak let object = try body()
  if let failure = RetainVerdict.ofSurvivor(object) {
    Issue.record("\(failure)", sourceLocation: sourceLocation)
  }
}
