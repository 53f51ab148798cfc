internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// A continuation that is counted while its task waits, and whose misuse is reported.
///
/// It is resumed once. A second time is ignored and reported (KVO044), which would end the process with a checked
/// continuation. If the last copy of this value is released before that, its task waits for ever, which is reported
/// (KVO043). Until then ``KVO/parked()`` counts the task, and an audited test that leaves it waiting fails with the line
/// of the call of `recorded(as:)`.
///
/// Any thread may use it.
public struct RecordedContinuation<Value, Failure: Error>: Sendable {
  private let state: ContinuationState
  private let base: @Sendable (sending Result<Value, Failure>) -> Void

  fileprivate init(
    as name: String,
    expectedToLive: String?,
    at site: CallSite,
    _ base: @escaping @Sendable (sending Result<Value, Failure>) -> Void
  ) {
    state = ContinuationState(
      ConsumerOrigin(site, name, form: .continuation, expectedToLive: expectedToLive)
    )
    self.base = base
  }

  /// Resumes the task with a result, unless it was resumed.
  ///
  /// - Parameters:
  ///   - result: what the task gets.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  public func resume(
    with result: sending Result<Value, Failure>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    if state.resume(at: CallSite(fileID: fileID, line: line, function: function)) { base(result) }
  }

  /// Resumes the task with a value, unless it was resumed.
  ///
  /// - Parameters:
  ///   - value: what the task gets.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  public func resume(
    returning value: sending Value,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    resume(with: .success(value), fileID: fileID, line: line, function: function)
  }

  /// Resumes the task by throwing an error, unless it was resumed.
  ///
  /// - Parameters:
  ///   - error: what the task throws.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  public func resume(
    throwing error: Failure,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    resume(with: .failure(error), fileID: fileID, line: line, function: function)
  }
}

extension RecordedContinuation where Value == Void {
  /// Resumes the task, unless it was resumed.
  ///
  /// - Parameters:
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  public func resume(
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) {
    resume(with: .success(()), fileID: fileID, line: line, function: function)
  }
}

/// Whether a continuation was resumed, and where.
///
/// State: `state`, under its own lock; nothing is called or released while it is held. The deinit comes after all other
/// uses.
private final class ContinuationState: Sendable {
  private struct State {
    /// The task that waits; nil after it was resumed.
    var life: ConsumerLife?
    var resumed: CallSite?
  }

  private let state: GuardedState<State>
  private let source = ConsumerSource()
  private let origin: ConsumerOrigin
  private let id: ConsumerID

  init(_ origin: ConsumerOrigin) {
    self.origin = origin
    let life = ConsumerLife(origin, source: source)
    id = life.id
    state = GuardedState(State(life: life))
    // The task runs the function that makes the continuation, and waits when that returns.
    life.park()
  }

  deinit {
    guard let life = state.withLock({ $0.life }) else { return }
    source.leave()
    life.recordOrphaned()
    // The task waits for ever, and is counted for ever.
    _ = Unmanaged.passRetained(life)
    LiveMonitor.shared.report([.dropped(origin.awaited, at: Evidence(site: origin.site))])
  }

  /// Notes that it is resumed.
  ///
  /// - Returns: whether it is the first time; if not, it is reported.
  func resume(at site: CallSite) -> Bool {
    let (life, first) = state.withLock { state -> (ConsumerLife?, CallSite?) in
      guard let life = state.life else { return (nil, state.resumed) }
      state.life = nil
      state.resumed = site
      return (life, nil)
    }
    if let life {
      life.note(.resumed, at: Recorder.shared.isRecording ? site.stack : .none)
      return true
    }
    let again = Evidence(stack: site.stack)
    if Recorder.shared.isRecording {
      Recorder.shared.record(.consumerEnd(id, why: .resumed), stack: again.stack)
    }
    var before = again
    before.stack = first?.stack ?? .none
    before.thread = nil
    LiveMonitor.shared.report([.resumedAgain(origin.awaited, at: again, first: before)])
    return false
  }
}

extension CheckedContinuation {
  /// The same continuation, counted while its task waits and reported if it is misused.
  ///
  /// ```swift
  /// let reply: Reply = await withCheckedContinuation { continuation in
  ///   let continuation = continuation.recorded(as: "reply")
  ///   connection.onReply = { continuation.resume(returning: $0) }
  /// }
  /// ```
  ///
  /// Call it inside the closure of `withCheckedContinuation`, once, and use only what it returns.
  ///
  /// - Parameters:
  ///   - name: what the task waits for, in reports.
  ///   - expectedToLive: why the task is meant to wait beyond the test scope in which it begins, if so.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  /// - Returns: the continuation to use.
  public func recorded(
    as name: String,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> RecordedContinuation<T, E> {
    RecordedContinuation(
      as: name,
      expectedToLive: expectedToLive,
      at: CallSite(fileID: fileID, line: line, function: function)
    ) { resume(with: $0) }
  }
}

extension UnsafeContinuation {
  /// The same as for a `CheckedContinuation`.
  ///
  /// - Parameters:
  ///   - name: what the task waits for, in reports.
  ///   - expectedToLive: why the task is meant to wait beyond the test scope in which it begins, if so.
  ///   - fileID: where the call is, for reports.
  ///   - line: where the call is, for reports.
  ///   - function: where the call is, for reports.
  /// - Returns: the continuation to use.
  public func recorded(
    as name: String,
    expectedToLive: String? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    function: StaticString = #function
  ) -> RecordedContinuation<T, E> {
    RecordedContinuation(
      as: name,
      expectedToLive: expectedToLive,
      at: CallSite(fileID: fileID, line: line, function: function)
    ) { resume(with: $0) }
  }
}
