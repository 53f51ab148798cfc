#if ObservationAdapter
internal import KVOSafety
internal import KVOTrace
public import Observation

/// Tracks what `apply` reads as `withObservationTracking` does, and records it in the log.
///
/// The tracking is in the census as an observation of `model`, under `key`, until the one change that it waits for. A
/// tracking that never completes is found when its scope ends (KVO021); an owner that tracks the same value twice is
/// reported (KVO005).
///
/// - Parameters:
///   - model: the object whose properties `apply` reads; if it reads several objects, the one to
///     name. Not kept alive by the log.
///   - key: the name of the observed value.
///   - owner: on whose behalf.
///   - expectedToLive: why the tracking is meant to outlive the test scope it is made in, if so.
///   - isolation: the actor of the caller, where the change is expected.
///   - fileID: where the call is, for reports.
///   - line: where the call is, for reports.
///   - function: where the call is, for reports.
///   - apply: reads the properties to track.
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
