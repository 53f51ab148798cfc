internal import CKVOIntrinsics
internal import KVORecorder
internal import KVOTrace
internal import Synchronization

/// The life of one loop over values, from the creation of its iterator to the release of it.
///
/// Used by the task of the loop only; released on any thread.
final class ConsumerLife: Sendable {
  /// The complement of the entry's address, so that a retain search does not follow it.
  private let hidden: UInt

  init(_ origin: ConsumerOrigin) {
    hidden = ~ConsumerTable.shared.add(
      ConsumerTable.Waiting(
        origin: origin,
        taskName: Task.name,
        priority: withUnsafeCurrentTask { $0?.priority.rawValue ?? 0 },
        scope: RecordingScope.current
      )
    )
  }

  deinit { ConsumerTable.shared.remove(~hidden) }

  private var entry: UnsafeMutablePointer<ConsumerTable.Entry>? {
    UnsafeMutablePointer(bitPattern: ~hidden)
  }

  /// Notes that the loop is about to wait.
  @inline(__always)
  func park() {
    guard let entry else { return }
    let task = withUnsafeCurrentTask { $0.map { unsafeBitCast($0, to: UInt.self) } ?? 0 }
    entry.pointee.task.store(~task, ordering: .relaxed)
    entry.pointee.since.store(kvos_coarse_nanoseconds(), ordering: .relaxed)
  }

  /// Notes that it has a value, or that there will be none.
  @inline(__always)
  func resume() { entry?.pointee.since.store(0, ordering: .relaxed) }
}
