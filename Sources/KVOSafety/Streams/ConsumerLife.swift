internal import CKVOIntrinsics
internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The life of one consumer: of a loop, from the creation of its iterator to the release of it, or of a continuation.
///
/// Used by the task of the loop, or under the lock of its continuation; released on any thread. While something records,
/// its beginning and its end are events; that it waits is a state, which ``ConsumerTable`` has and the log is given on request.
///
/// A loop calls ``park()`` and ``resume(hasValue:)`` for each element. They are functions of this module, so that inlined code
/// need not know the table; neither allocates, locks or makes a system call.
@usableFromInline
package final class ConsumerLife: Sendable {
  /// The complement of the entry's address, so that a retain search does not follow it.
  private let hidden: UInt
  // relaxed: written by the task of the loop, read by the deinit, which comes after it.
  private let end = Atomic<UInt8>(UInt8(Consumer.End.left.binaryNumber))
  // relaxed: likewise. The stack of its end; 0 for none.
  private let endStack = Atomic<UInt32>(0)

  init(
    _ origin: ConsumerOrigin,
    registration: RegistrationID? = nil,
    source: ConsumerSource? = nil
  ) {
    hidden = ~ConsumerTable.shared.add(
      ConsumerTable.Waiting(
        origin: origin,
        taskName: Task.name,
        priority: withUnsafeCurrentTask { $0?.priority.rawValue ?? 0 },
        scope: RecordingScope.current
      ),
      registration: registration,
      source: source
    )
    guard Recorder.shared.isRecording, let entry else { return }
    Recorder.shared.record(.consumerBegin(entry.pointee.consumer))
  }

  deinit {
    let id = ConsumerTable.shared.remove(~hidden)
    guard Recorder.shared.isRecording else { return }
    let why = Consumer.End(binaryNumber: UInt64(end.load(ordering: .relaxed))) ?? .left
    Recorder.shared.record(
      .consumerEnd(id, why: why),
      stack: StackID(rawValue: endStack.load(ordering: .relaxed))
    )
  }

  private var entry: UnsafeMutablePointer<ConsumerTable.Entry>? {
    UnsafeMutablePointer(bitPattern: ~hidden)
  }

  /// Notes that the loop is about to wait.
  @usableFromInline
  package func park() {
    guard let entry else { return }
    entry.pointee.task.store(~kvos_current_task(), ordering: .relaxed)
    entry.pointee.since.store(kvos_coarse_nanoseconds(), ordering: .relaxed)
  }

  /// Notes that it has a value, or that there will be none.
  @usableFromInline
  package func resume(hasValue: Bool) {
    entry?.pointee.since.store(0, ordering: .relaxed)
    if !hasValue { note(Task.isCancelled ? .cancelled : .finished) }
  }

  /// Notes that waiting threw an error.
  @usableFromInline
  package func fail() {
    entry?.pointee.since.store(0, ordering: .relaxed)
    note(.failed)
  }

  /// Notes why it ends, and where.
  func note(_ reason: Consumer.End, at stack: StackID = .none) {
    end.store(UInt8(reason.binaryNumber), ordering: .relaxed)
    endStack.store(stack.rawValue, ordering: .relaxed)
  }

  /// Records that it waits and that nobody can resume it.
  func recordOrphaned() {
    guard Recorder.shared.isRecording, let entry else { return }
    var consumer = entry.pointee.consumer
    consumer.since = entry.pointee.since.load(ordering: .relaxed)
    consumer.isOrphaned = true
    Recorder.shared.record(.parked(consumer))
  }

  /// Its id in the log.
  var id: ConsumerID { ConsumerID(entry?.pointee.number ?? 0) }
}
