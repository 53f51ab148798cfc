internal import KVORecorder
internal import KVORules
internal import KVOTrace
internal import Synchronization

extension KVO {
  /// Gives a lock of the program a name, so that a log shows while it is held.
  ///
  /// Callbacks, additions and removals under it are reported (KVO026), by the running program while a log is written,
  /// and by `kvo-audit`: an observer that takes the same lock deadlocks.
  ///
  /// ```swift
  /// let lock = NSLock()
  /// let noted = KVO.note(lock: "cache")
  ///
  /// lock.lock()
  /// noted.didLock()
  /// defer {
  ///   noted.willUnlock()
  ///   lock.unlock()
  /// }
  /// ```
  ///
  /// A `Mutex` is noted by making it a ``NotedMutex``.
  ///
  /// - Parameter name: its name in reports. Locks of one name count as one.
  /// - Returns: the value to notify when the lock is taken and released.
  public static func note(lock name: String) -> NotedLock { NotedLock(name) }
}

/// A lock of the program that appears in logs under its name.
///
/// Does nothing, at the cost of two loads, unless a log is written or a test is audited. Any thread may call it. It
/// does not retain the program's lock.
public struct NotedLock: Hashable, Sendable {
  /// The name of the lock in reports.
  public let name: String
  private let id: LockID

  fileprivate init(_ name: String) {
    self.name = name
    id = LockID(named: Recorder.shared.id(of: name))
  }

  /// Notes that the calling thread has taken the lock.
  ///
  /// Call it right after that, with the lock held.
  public func didLock() {
    guard Recorder.shared.isRecording else { return }
    let stack = Recorder.shared.captureStack()
    Recorder.shared.record(.lock(id), stack: stack)
    NotedLocks.didLock(id, at: Evidence(stack: stack))
  }

  /// Notes that the calling thread is about to release the lock.
  ///
  /// Call it right before that, with the lock held. A lock that was not announced by ``didLock()`` is ignored.
  public func willUnlock() {
    // This includes locks that were taken during a recording that has ended.
    if NotedLocks.areHeld { NotedLocks.willUnlock(id) }
    guard Recorder.shared.isRecording else { return }
    Recorder.shared.record(.unlock(id))
  }
}

/// A `Mutex` that a log reports: see ``KVO/note(lock:)``.
///
/// ```swift
/// let cache = NotedMutex<[String: Int]>([:], name: "cache")
/// cache.withLock { $0["a"] = 1 }
/// ```
public struct NotedMutex<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  private let noted: NotedLock

  /// A mutex around `value`, which reports call `name`.
  public init(_ value: consuming sending Value, name: String) {
    mutex = Mutex(value)
    noted = KVO.note(lock: name)
  }

  /// Calls `body` with the value while the mutex is held.
  ///
  /// - Parameter body: runs once, on the calling thread, before the call returns.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
      noted.didLock()
      defer { noted.willUnlock() }
      return try body(&value)
    }
  }
}
