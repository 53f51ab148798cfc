internal import KVORecorder
internal import KVORules
package import KVOTrace

extension KVO {
  /// States that an object should be deallocated, and finds the observation that keeps it alive if it is not.
  ///
  /// ```swift
  /// func viewDidDisappear() { KVO.expectDeallocation(of: self, within: .seconds(2)) }
  /// ```
  ///
  /// Returns at once. If the object is alive when the time is over, references are followed from it, as
  /// ``findRetainCycles(from:)`` does: the observations that keep themselves alive are reported as KVO019 and recorded.
  /// The log has the expectation too, and the object's deallocation whenever it comes: a cycle of an object that was
  /// deallocated after all is withdrawn. If there is no such observation, the outcome has the waiting tasks that hold the
  /// object, which break no rule: they may end.
  ///
  /// The walk runs on the caller's actor, so that the state of that actor does not change during it; other threads must
  /// not change objects that are reachable from the object then. If the caller is not on an actor, it runs on a
  /// separate thread. At the end of a test scope of KVOSafetyTesting the walk is made at once, whatever time is left, and
  /// its cycles, for which the test fails, are not withdrawn.
  ///
  /// - Parameters:
  ///   - object: the object that should be deallocated. It is not kept alive.
  ///   - grace: how long it may stay alive, for animations and autorelease.
  ///   - isolation: the actor of the caller, on which the walk is made.
  /// - Returns: the expectation, which has the outcome; it need not be kept.
  /// - Complexity: O(1); when the time is over, that of ``findRetainCycles(from:)``, and O(bytes) in the writable memory of
  ///   the process for the tasks.
  @discardableResult
  public static func expectDeallocation(
    of object: AnyObject,
    within grace: Duration = .seconds(5),
    isolation: isolated (any Actor)? = #isolation
  ) -> ExpectedDeallocation {
    let record = ObjectTable.shared.watchedRecord(of: object)
    note(record, within: grace)
    let expectation = ExpectedDeallocation(record, scope: RecordingScope.current)
    ExpectedDeallocations.shared.add(expectation)
    expectation.begin(
      Task {
        // The capture makes the task run on this actor.
        _ = isolation
        // Ends early if the object is deallocated.
        try? await Task.sleep(for: grace)
        return expectation.judged
      }
    )
    return expectation
  }

  /// Records that an object should have been deallocated by now.
  package static func noteSurvivor(_ object: AnyObject) {
    let record = ObjectTable.shared.watchedRecord(of: object)
    note(record, within: .zero)
  }

  private static func note(_ record: ObjectRecord, within grace: Duration) {
    guard Recorder.shared.isRecording else { return }
    let (deadline, overflows) = Recorder.now.addingReportingOverflow(grace.nanoseconds)
    Recorder.shared.record(
      .expectDeinit(record.ref, deadline: overflows ? .max : deadline),
      stack: Recorder.shared.captureStack()
    )
  }

  /// The objects that were expected to be deallocated in a test scope and are still alive.
  package static func survivors(of scope: ScopeID) -> [AnyObject] {
    ExpectedDeallocations.shared.survivors(of: scope)
  }
}

extension Duration {
  /// The whole nanoseconds, as far as they can be counted; 0 for a negative duration.
  fileprivate var nanoseconds: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? .max : whole.addingSaturated(UInt64(attoseconds) / 1_000_000_000)
  }
}
