#if ObservationAdapter
internal import KVOSafety
internal import KVOTrace
public import Observation

/// Tracks what `apply` reads as `withObservationTracking` does, and says so in the log.
///
/// The tracking is in the census as an observation of `model`, under `key`, until the one change that it
/// waits for. What waits for ever is found where its scope ends (KVO021); an owner that waits for the
/// same twice is told (KVO005).
///
/// - Parameters:
///   - model: whose properties `apply` reads; where it reads several objects, the one to name. Not kept
///     alive by the log.
///   - key: what to call that which is read.
///   - owner: on whose behalf.
///   - expectedToLive: why the tracking is meant to outlive the test scope it is made in, if so.
///   - isolation: the actor of the caller, where the change is expected.
///   - fileID: where the call is, for reports.
///   - line: where the call is, for reports.
///   - function: where the call is, for reports.
///   - apply: reads what is to be tracked.
///   - onChange: called once, before the first change, on the thread that makes it.
/// - Returns: what `apply` returns.
public func withRecordedObservationTracking<Model: Observable & AnyObject, Result>(
  of model: Model,
  _ key: String,
  owner: AnyObject? = nil,
  expectedToLive: String? = nil,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  function: StaticString = #function,
  _ apply: () -> Result,
  onChange: @escaping @Sendable () -> Void
) -> Result {
  let registration = ForeignRegistration(
    on: model,
    observer: owner,
    key: key,
    form: .token,
    expectedToLive: expectedToLive,
    isolation: isolation,
    fileID: fileID,
    line: line,
    function: function
  ) { _ in onChange() }
  return withObservationTracking(apply) {
    registration.deliver(nil, isBefore: true)
    registration.end(by: .user)
  }
}
#endif
