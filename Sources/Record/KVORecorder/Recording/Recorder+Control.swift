internal import CKVORecorder
internal import Glibc

extension Recorder {
  /// What the recorder has recorded, and what it used for that.
  package struct Measures: Hashable, Sendable {
    package var eventCount: Int
    package var lostEventCount: Int
    package var diskByteCount: Int
    package var memoryByteCount: Int
    /// Nil without a budget.
    package var cpuTime: Duration?
    /// From 0 to 1.
    package var objectShare: Double
  }

  /// The measures of the present log, or of the last one.
  package var measures: Measures {
    Self.begin()
    var measures = KVOSMeasures()
    kvos_measure(&measures)
    return Measures(
      eventCount: Int(kvos_recorded_count()),
      lostEventCount: Int(kvos_lost_count()),
      diskByteCount: Int(measures.diskByteCount),
      memoryByteCount: Int(measures.memoryByteCount),
      cpuTime: kvos_is_budgeted() ? .nanoseconds(Int64(measures.cpuNanoseconds)) : nil,
      objectShare: Double(measures.share) / Double(KVOS_ALL_OBJECTS)
    )
  }

  // State: written once, before the thread that reads it exists.
  private static let control = GuardedState<(@Sendable (String) -> String)?>(nil)

  /// Opens the socket of `kvo-audit control` if `KVO_SAFETY_CONTROL` asks for it.
  ///
  /// `answer` is called on a thread of the recorder, without a lock.
  package func beginControlOfEnvironment(_ answer: @escaping @Sendable (String) -> String) {
    guard let wanted = getenv("KVO_SAFETY_CONTROL"), wanted.pointee != 0 else { return }
    Self.control.withLock { $0 = answer }
    let isOpen = kvos_begin_control(wanted) { request in
      let answer = Recorder.control.withLock { $0 }
      return answer.flatMap { strdup($0(String(cString: request))) }
    }
    if isOpen { atExit { kvos_end_control() } }
  }
}
