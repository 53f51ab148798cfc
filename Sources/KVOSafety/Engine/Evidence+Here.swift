internal import KVORecorder
internal import KVORules
internal import KVOTrace

extension Evidence {
  /// Evidence of what the calling thread does now.
  ///
  /// The process is still running, so the event has no number; `order` identifies it, also in the log.
  init(stack: StackID = .none, site: StringID = .none, order: UInt64? = nil) {
    self.init(
      role: .failed,
      event: 0,
      order: order,
      thread: Recorder.currentThread,
      stack: stack,
      site: site
    )
  }
}
