internal import CKVORecorder
package import KVOTrace

// Recording within a budget: which objects are recorded, and how long it takes.
extension Recorder {
  /// Whether anything consumes the events of `subject`.
  ///
  /// Costs one relaxed load, and two if the log has a budget.
  package func isRecording(_ subject: @autoclosure () -> ObjectID) -> Bool {
    let present = Self.present
    if present & Self.budgetUse == 0 { return present != 0 }
    return present & Self.memoryUse != 0 || Self.sample.contains(subject())
  }

  /// The objects that are recorded.
  static var sample: ObjectSample { ObjectSample(share: UInt64(kvos_sampled_objects())) }

  /// The stack of the caller, full if `subject` is recorded.
  package func captureStack(of subject: ObjectID) -> StackID {
    let begin = Self.beginMeasuring()
    let stack = StackID(rawValue: kvos_capture_stack_id(isRecording(subject)))
    if begin != 0 { kvos_add_measured(begin) }
    return stack
  }

  /// The moment from which on the recorder's time is measured; 0: the log has no budget.
  @inline(__always)
  static func beginMeasuring() -> UInt64 {
    present & budgetUse == 0 ? 0 : kvos_begin_measuring()
  }

  /// Passes an event to a log that has a budget, and to the memories.
  @inline(never)
  func recordElsewhere(
    _ body: Event.Body,
    _ order: UInt64?,
    _ stack: StackID,
    _ subject: ObjectID?,
    _ uses: UInt8
  ) {
    if uses & Self.budgetUse != 0 { recordWithinBudget(body, order, stack, subject) }
    if uses & Self.memoryUse != 0 { remember(body, order, stack, RecordingScope.current) }
  }

  private func recordWithinBudget(
    _ body: Event.Body,
    _ order: UInt64?,
    _ stack: StackID,
    _ subject: ObjectID?
  ) {
    let begin = kvos_begin_measuring()
    if Self.sample.leavesOut(body, of: subject) {
      LogEvents.forgetEnded(by: body)
    } else {
      LogEvents.record(body, order: order, stack: stack, scope: RecordingScope.currentNumber)
    }
    kvos_end_measuring(begin)
  }
}
