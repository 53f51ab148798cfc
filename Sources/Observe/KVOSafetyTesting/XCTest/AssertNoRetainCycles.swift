internal import KVORecorder
internal import XCTest

/// Fails the test if objects that are reached from `roots` keep each other alive.
///
/// ```swift
/// assertNoRetainCycles(from: screen)
/// ```
///
/// The failure draws each cycle, with the line of every closure in it. No other thread may change the objects during
/// the call. See `RetainSearch` for the references that are followed, and for memory that cannot be inspected.
///
/// A cycle through an observation is KVO019: the failure has the code, the message and the signature that
/// `KVO.findRetainCycles` reports and that an audit of the log finds, even if the cycle is broken later. A test that is
/// audited and expects KVO019 does not fail for it, and the audit of the test does not report it again. Other cycles,
/// and those between closures that observe nothing, break no rule: they are drawn, but are in no log.
///
/// If no cycle was found and something could not be inspected, the test passes, and a warning on standard error lists
/// it: the test proves less than it seems to. XCTest on Linux has no attachments; the list is only in the text.
///
/// - Parameters:
///   - roots: where to begin; they are alive until the call returns.
///   - failsIfInconclusive: whether that is a failure.
///   - file: the file that the failure is reported in.
///   - line: the line that the failure is reported at.
public func assertNoRetainCycles(
  from roots: AnyObject...,
  failsIfInconclusive: Bool = false,
  file: StaticString = #filePath,
  line: UInt = #line
) {
  switch RetainVerdict.ofCycles(from: roots, failsIfInconclusive: failsIfInconclusive) {
  case .passes: break
  case .warns(let warning): StandardError.write("\(file):\(line): warning: \(warning.text)\n")
  case .fails(let failure): XCTFail(failure.text, file: file, line: line)
  }
}

/// Fails the test if the object that `body` creates outlives it.
///
/// ```swift
/// assertDeallocates { Screen(account: account) }
/// ```
///
/// The failure draws the cycles that keep the object alive, if they can be seen from it. Those through an observation
/// are KVO019, as in ``assertNoRetainCycles(from:failsIfInconclusive:file:line:)``; if a test expects them and there is
/// no other cycle, it does not fail. An object that is kept alive by anything else breaks no rule: the failure has no
/// code, and a log has only the expectation.
///
/// - Parameters:
///   - file: the file that the failure is reported in.
///   - line: the line that the failure is reported at.
///   - body: creates the object and releases it; runs once, on the calling thread.
/// - Throws: what `body` throws.
public func assertDeallocates(
  file: StaticString = #filePath,
  line: UInt = #line,
  _ body: () throws -> AnyObject
) rethrows {
  weak let object = try body()
  if let failure = RetainVerdict.ofSurvivor(object) {
    XCTFail(failure.text, file: file, line: line)
  }
}

// Disfavored: a body without `await` in an asynchronous test is one of the form without `async`.

/// Fails the test if the object that the asynchronous `body` creates outlives it.
///
/// ```swift
/// try await assertDeallocates {
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
///   - file: the file that the failure is reported in.
///   - line: the line that the failure is reported at.
///   - body: creates the object and releases it; runs once, on the caller's actor.
/// - Throws: what `body` throws.
@_disfavoredOverload
public func assertDeallocates(
  within grace: Duration = .seconds(1),
  isolation: isolated (any Actor)? = #isolation,
  file: StaticString = #filePath,
  line: UInt = #line,
  _ body: () async throws -> AnyObject
) async rethrows {
  weak let object = try await body()
  if let failure = await RetainVerdict.ofSurvivor(within: grace, { object }) {
    XCTFail(failure.text, file: file, line: line)
  }
}

/// Fails the test if each repetition of `body` leaves more instances of a class alive.
///
/// ```swift
/// assertNoGrowth(of: Page.self, from: router) {
///   router.open(Page())
///   router.close()
/// }
/// ```
///
/// The failure has the counts, and the reason why the instances are alive: the path from one of `roots`, or the cycle.
/// See `RetainSearch.findGrowth` for the counted instances. If this process may not read its own memory, the test fails
/// too, and the failure says so.
///
/// Growth of a class breaks no rule: the failure has no code, and a log does not have it. (KVO022 counts observations,
/// not objects.) If the remaining instances keep themselves alive by observations that `body` made, the failure also
/// reports that as KVO019, as ``assertNoRetainCycles(from:failsIfInconclusive:file:line:)`` does.
///
/// - Parameters:
///   - classes: the classes whose instances, subclasses' included, are counted.
///   - roots: objects that may keep the remaining instances; they are alive until the call returns.
///   - repetitions: how often to count; fewer than two count as two.
///   - file: the file that the failure is reported in.
///   - line: the line that the failure is reported at.
///   - body: the work; runs once more than that, on the calling thread.
/// - Throws: what `body` throws.
public func assertNoGrowth<Failure: Error>(
  of classes: any AnyObject.Type...,
  from roots: AnyObject...,
  repetitions: Int = 4,
  file: StaticString = #filePath,
  line: UInt = #line,
  by body: () throws(Failure) -> Void
) throws(Failure) {
  if let failure = try RetainVerdict.ofGrowth(
    of: classes,
    from: roots,
    repetitions: repetitions,
    by: body
  ) {
    XCTFail(failure.text, file: file, line: line)
  }
}

/// Fails the test if each repetition of asynchronous work leaves more instances of a class alive.
///
/// ```swift
/// await assertNoGrowth(of: Page.self, from: router) {
///   await router.open(Page())
///   await router.close()
/// }
/// ```
///
/// Repetitions follow each other, and are counted when `body` has returned: wait in it for the
/// tasks that it starts.
///
/// - Parameters:
///   - classes: the classes whose instances, subclasses' included, are counted.
///   - roots: objects that may keep the remaining instances; they are alive until the call returns.
///   - repetitions: how often to count; fewer than two count as two.
///   - isolation: the actor that the work is done on: the caller's.
///   - file: the file that the failure is reported in.
///   - line: the line that the failure is reported at.
///   - body: the work; runs once more than that, on the caller's actor.
/// - Throws: what `body` throws.
public func assertNoGrowth<Failure: Error>(
  of classes: any AnyObject.Type...,
  from roots: AnyObject...,
  repetitions: Int = 4,
  isolation: isolated (any Actor)? = #isolation,
  file: StaticString = #filePath,
  line: UInt = #line,
  by body: () async throws(Failure) -> Void
) async throws(Failure) {
  if let failure = try await RetainVerdict.ofGrowth(
    of: classes,
    from: roots,
    repetitions: repetitions,
    isolation: isolation,
    by: body
  ) {
    XCTFail(failure.text, file: file, line: line)
  }
}
