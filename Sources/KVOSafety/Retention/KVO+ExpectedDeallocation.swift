internal import KVORecorder
internal import KVORules
package import KVOTrace

extension KVO {
  /// Says that an object should die, and finds what observation keeps it where it does not.
  ///
  /// ```swift
  /// func viewDidDisappear() { KVO.expectDeallocation(of: self, within: .seconds(2)) }
  /// ```
  ///
  /// Returns at once. When the time is over and the object lives, references are followed from it, as
  /// ``findRetainCycles(from:)`` does: the observations that keep themselves alive are reported as KVO019
  /// and recorded. The log has the expectation too, and the object's death whenever it comes: a cycle of
  /// an object that died after all is taken back.
  ///
  /// The walk runs on the actor that the call is made on, so that it meets the program at rest as far as
  /// that actor is concerned; other threads may not change what is reached from the object then. Made on
  /// no actor, it runs on a thread of its own. At the end of a test scope of KVOSafetyTesting the walk
  /// is made at once, whatever time is left.
  ///
  /// - Parameters:
  ///   - object: what should die. It is not kept alive.
  ///   - grace: how long it may live on, for animations and autorelease.
  ///   - isolation: the actor of the caller, on which the walk is made.
  /// - Returns: what tells the outcome; it need not be kept.
  /// - Complexity: O(1); when the time is over that of ``findRetainCycles(from:)``.
  @discardableResult
  public static func expectDeallocation(
    of object: AnyObject,
    within grace: Duration = .seconds(5),
    isolation: isolated (any Actor)? = #isolation
  ) -> ExpectedDeallocation {
    let record = ObjectTable.shared.record(of: object)
    ObjectTable.shared.watch(record, of: object)
    note(record, within: grace)
    let expectation = ExpectedDeallocation(record, scope: RecordingScope.current)
    ExpectedDeallocations.shared.add(expectation)
    expectation.begin(
      Task {
        // The task runs where this is.
        _ = isolation
        // Ends early where the object dies.
        try? await Task.sleep(for: grace)
        return expectation.judged
      }
    )
    return expectation
  }

  /// Records that an object should be deallocated by now.
  package static func noteSurvivor(_ object: AnyObject) {
    let record = ObjectTable.shared.record(of: object)
    ObjectTable.shared.watch(record, of: object)
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

  /// The objects that were expected to die in a test scope and live on.
  package static func survivors(of scope: ScopeID) -> [AnyObject] {
    ExpectedDeallocations.shared.survivors(of: scope)
  }
}

extension Duration {
  /// The whole nanoseconds, as far as they can be counted; 0 for what is negative.
  fileprivate var nanoseconds: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? .max : whole.addingSaturated(UInt64(attoseconds) / 1_000_000_000)
  }
}
