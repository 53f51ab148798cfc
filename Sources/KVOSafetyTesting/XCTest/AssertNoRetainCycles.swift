internal import XCTest

/// Fails the test where objects that are reached from `roots` keep each other alive.
///
/// ```swift
/// assertNoRetainCycles(from: screen)
/// ```
///
/// The failure draws each cycle, with the line of every closure in it. No other thread may change the
/// objects meanwhile. See `RetainSearch` for what is followed, and for what cannot be looked into.
///
/// - Parameters:
///   - roots: where to begin; they are alive until the call returns.
///   - failsIfInconclusive: whether it is a failure that something could not be looked into and no cycle
///     was found.
///   - file: the file that the failure is reported in.
///   - line: the line that the failure is reported at.
public func assertNoRetainCycles(
  from roots: AnyObject...,
  failsIfInconclusive: Bool = false,
  file: StaticString = #filePath,
  line: UInt = #line
) {
  if let failure = RetainVerdict.ofCycles(from: roots, failsIfInconclusive: failsIfInconclusive) {
    XCTFail(failure, file: file, line: line)
  }
}

/// Fails the test where the object that `body` makes outlives it.
///
/// ```swift
/// assertDeallocates { Screen(account: account) }
/// ```
///
/// The failure draws the cycles that keep the object alive, as far as they can be seen from it.
///
/// - Parameters:
///   - file: the file that the failure is reported in.
///   - line: the line that the failure is reported at.
///   - body: makes the object and lets go of it; runs once, on the calling thread.
/// - Throws: what `body` throws.
public func assertDeallocates(
  file: StaticString = #filePath,
  line: UInt = #line,
  _ body: () throws -> AnyObject
) rethrows {
  weak let object = try body()
  if let failure = RetainVerdict.ofSurvivor(object) { XCTFail(failure, file: file, line: line) }
}
