internal import KVORecorder
internal import KVORules
internal import KVOTrace
internal import Synchronization

/// The noted locks that threads hold and took while something records (KVO026).
///
/// They are tracked and judged as in a replay of the log.
enum NotedLocks {
  // State:
  // - `held`: under its own lock, which is never taken together with another.
  // - `isAnyHeld`: whether `held` has any. relaxed: a thread queries only the locks that it took itself.
  private static let held = GuardedState(HeldLocks())
  private static let isAnyHeld = Atomic<Bool>(false)

  /// Whether any thread holds a noted lock: check this first, as it costs one load.
  @inline(__always)
  static var areHeld: Bool { isAnyHeld.load(ordering: .relaxed) }

  /// Whether the calling thread holds a noted lock, and something records.
  @inline(__always)
  static var areHeldHere: Bool { areHeld && heldHere != nil }

  /// Notes that the calling thread has taken `lock`.
  static func didLock(_ lock: LockID, at evidence: Evidence) {
    held.withLock { held in
      held.lock(lock, on: thread, at: evidence)
      isAnyHeld.store(true, ordering: .relaxed)
    }
  }

  /// Notes that the calling thread is about to release `lock`.
  static func willUnlock(_ lock: LockID) {
    held.withLock { held in
      held.unlock(lock, on: thread)
      isAnyHeld.store(!held.isEmpty, ordering: .relaxed)
    }
  }

  /// Reports what the calling thread did with `registration` while it holds a noted lock.
  ///
  /// No lock of the library may be held.
  static func judge(
    _ act: Verdict.Act,
    of registration: Registration,
    at evidence: Evidence,
    registered: Evidence? = nil
  ) {
    guard areHeld, let lock = heldHere else { return }
    LiveMonitor.shared.report([
      .underLock(lock, act, of: registration, at: evidence, registered: registered)
    ])
  }

  /// The same for a removal; nil if nothing was removed.
  static func judgeRemoval(
    of removed: (registration: Registration, registered: Evidence)?,
    at evidence: Evidence
  ) {
    guard let (registration, registered) = removed else { return }
    judge(.removal, of: registration, at: evidence, registered: registered)
  }

  private static var heldHere: HeldLocks.Held? {
    Recorder.shared.isRecording ? held.withLock { $0.newest(of: thread) } : nil
  }

  private static var thread: Int { Int(truncatingIfNeeded: Recorder.currentThread.rawValue) }
}
