public import Testing

/// Records an issue if objects that are reached from `roots` keep each other alive.
///
/// The form for Swift Testing of `assertNoRetainCycles`: a cycle through an observation is KVO019, with the signature
/// of the live report and of the audit; other cycles have no code. If no cycle was found and something could not be
/// inspected, a warning lists it: the test passes, but proves less than it seems to. An issue and a warning have the list
/// as an attachment, too: `not-inspected.txt`.
///
/// - Parameters:
///   - roots: where to begin; they are alive until the call returns.
///   - failsIfInconclusive: whether that is an issue that fails the test.
///   - sourceLocation: where the issue is recorded.
public func expectNoRetainCycles(
  from roots: AnyObject...,
  failsIfInconclusive: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  switch RetainVerdict.ofCycles(from: roots, failsIfInconclusive: failsIfInconclusive) {
  case .passes: break
  case .warns(let warning): warning.record(.warning, at: sourceLocation)
  case .fails(let failure): failure.record(at: sourceLocation)
  }
}

/// Records an issue if the object that `body` creates outlives it.
///
/// The form for Swift Testing of `assertDeallocates`: a cycle through an observation is KVO019; an object that is kept
/// alive by anything else breaks no rule, and the issue has no code. What could not be inspected is in the issue, and in
/// the attachment `not-inspected.txt`.
///
/// - Parameters:
///   - sourceLocation: where the issue is recorded.
///   - body: creates the object and releases it; runs once, on the calling thread.
/// - Throws: what `body` throws.
public func expectDeallocates(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> AnyObject
) rethrows {
  weak let object = try body()
  if let failure = RetainVerdict.ofSurvivor(object) {
    failure.record(at: sourceLocation)
  }
}

// Disfavored: a body without `await` in an asynchronous test is one of the form without `async`.

/// Records an issue if the object that the asynchronous `body` creates outlives it.
///
/// ```swift
/// try await expectDeallocates {
///   let screen = Screen(account: account)
///   try await screen.load()
///   return screen
/// }
/// ```
///
/// Works as the form without `async`. Wait in `body` for the tasks that it starts: what they hold is alive. Other threads
/// may still release what they held while `body` ran, such as the queue that resumed it, so the object has a short time
/// for its deallocation.
///
/// - Parameters:
///   - grace: how long the object may stay alive after `body`; used up only if it does.
///   - isolation: the actor that the work is done on: the caller's.
///   - sourceLocation: where the issue is recorded.
///   - body: creates the object and releases it; runs once, on the caller's actor.
/// - Throws: what `body` throws.
@_disfavoredOverload
public func expectDeallocates(
  within grace: Duration = .seconds(1),
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> AnyObject
) async rethrows {
  weak let object = try await body()
  if let failure = await RetainVerdict.ofSurvivor(within: grace, { object }) {
    failure.record(at: sourceLocation)
  }
}

/// Records an issue if each repetition of `body` leaves more instances of a class alive.
///
/// The form for Swift Testing of `assertNoGrowth`: growth breaks no rule, and the issue has no
/// code, except for the cycles of observations that `body` made (KVO019). If it is not known what keeps
/// instances, the issue lists what could not be inspected, and so does the attachment `not-inspected.txt`.
///
/// Instances of the whole process are counted, and tests run side by side. Give classes that no other test uses at the
/// same time, or serialize the suite: instances that another test releases between two repetitions hide the growth, and
/// those that it creates look like one.
///
/// - Parameters:
///   - classes: the classes whose instances, subclasses' included, are counted.
///   - roots: objects that may keep the remaining instances; they are alive until the call returns.
///   - repetitions: how often to count; fewer than two count as two.
///   - sourceLocation: where the issue is recorded.
///   - body: the work; runs once more than that, on the calling thread.
/// - Throws: what `body` throws.
public func expectNoGrowth<Failure: Error>(
  of classes: any AnyObject.Type...,
  from roots: AnyObject...,
  repetitions: Int = 4,
  sourceLocation: SourceLocation = #_sourceLocation,
  by body: () throws(Failure) -> Void
) throws(Failure) {
  if let failure = try RetainVerdict.ofGrowth(
    of: classes,
    from: roots,
    repetitions: repetitions,
    by: body
  ) {
    failure.record(at: sourceLocation)
  }
}

/// Records an issue if each repetition of asynchronous work leaves more instances of a class alive.
///
/// Repetitions follow each other, and are counted when `body` has returned: wait in it for the
/// tasks that it starts. Give classes that no other test uses at the same time, as in the form without `async`.
///
/// - Parameters:
///   - classes: the classes whose instances, subclasses' included, are counted.
///   - roots: objects that may keep the remaining instances; they are alive until the call returns.
///   - repetitions: how often to count; fewer than two count as two.
///   - isolation: the actor that the work is done on: the caller's.
///   - sourceLocation: where the issue is recorded.
///   - body: the work; runs once more than that, on the caller's actor.
/// - Throws: what `body` throws.
public func expectNoGrowth<Failure: Error>(
  of classes: any AnyObject.Type...,
  from roots: AnyObject...,
  repetitions: Int = 4,
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  by body: () async throws(Failure) -> Void
) async throws(Failure) {
  if let failure = try await RetainVerdict.ofGrowth(
    of: classes,
    from: roots,
    repetitions: repetitions,
    isolation: isolation,
    by: body
  ) {
    failure.record(at: sourceLocation)
  }
}

extension RetainVerdict.Report {
  /// Records an issue, and attaches what could not be inspected.
  fileprivate func record(_ severity: Issue.Severity = .error, at sourceLocation: SourceLocation) {
    if !uninspected.isEmpty {
      Attachment.record(uninspected, named: "not-inspected.txt", sourceLocation: sourceLocation)
    }
    Issue.record("\(text)", severity: severity, sourceLocation: sourceLocation)
  }
}
