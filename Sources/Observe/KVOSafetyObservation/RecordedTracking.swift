#if ObservationAdapter
internal import KVOSafety
internal import KVOTrace
public import Observation
internal import Synchronization

/// Tracks what `apply` reads as `withObservationTracking` does, and records it in the log.
///
/// The tracking is in the census as an observation of `model`, under `key`, until the one change that it waits for, or
/// until `owner` is deallocated. As with Observation's function, `onChange` is called for that change in either case, and
/// two trackings of one owner are two calls. A tracking that never completes is found when its scope ends (KVO021).
///
/// - Parameters:
///   - model: the object whose properties `apply` reads; if it reads several objects, the one to
///     name. Not kept alive by the log.
///   - key: the name of the observed value.
///   - owner: on whose behalf; the census, logs and reports name it. Its deallocation is not reported (KVO007), because a
///     tracking cannot be removed; the change that comes after it is no longer recorded. Not kept alive.
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
  let call = SingleCall(of: onChange)
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
  ) { _ in call.make() }
  return withObservationTracking(apply) {
    registration.deliver(nil, isBefore: true)
    registration.end(by: .user)
    // Nothing is delivered if the owner was deallocated.
    call.make()
  }
}

/// A closure that is called once.
private final class SingleCall: Sendable {
  private let closure: @Sendable () -> Void
  // Only decides who calls: nothing is published with it, so relaxed is enough.
  private let isMade = Atomic<Bool>(false)

  init(of closure: @escaping @Sendable () -> Void) { self.closure = closure }

  func make() {
    if !isMade.exchange(true, ordering: .relaxed) { closure() }
  }
}
#endif
