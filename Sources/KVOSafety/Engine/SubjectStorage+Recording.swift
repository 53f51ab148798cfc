internal import KVORecorder
internal import KVOTrace

// Whether the events of an object are recorded, which a budget decides for each, and its own events.
extension SubjectStorage {
  /// Whether anything records the events of this object.
  var isRecorded: Bool {
    // The first is one load, and nearly always the answer.
    Recorder.shared.isRecording && Recorder.shared.isRecording(record.ref.id)
  }

  /// Records an event of a registration on this object.
  func log(_ body: Event.Body, order: UInt64, stack: StackID = .none) {
    Recorder.shared.record(body, order: order, stack: stack, of: record.ref.id)
  }
}
