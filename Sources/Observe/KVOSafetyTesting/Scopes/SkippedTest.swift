internal import XCTest

/// Whether `error`, which the body of a scope threw just now, skips the rest of the test.
///
/// `XCTSkip` skips one of XCTest. `Test.cancel` of Swift Testing cancels the task of the test before it throws.
func isSkip(_ error: any Error) -> Bool { error is XCTSkip || Task.isCancelled }
