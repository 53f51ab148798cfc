package import KVOTrace

/// The locks that the threads of a log, or of the process, hold (KVO026).
///
/// Complexity: O(held locks) for every input; their number is bounded.
@usableFromInline
package struct HeldLocks: Sendable {
  @usableFromInline
  package struct Held: Sendable {
    fileprivate var thread: Int
    package var lock: LockID
    package var taken: Evidence
  }

  private static let capacity = 256

  @usableFromInline private(set) var held: [Held] = []

  package init() {}

  @inlinable package var isEmpty: Bool { held.isEmpty }

  /// Beyond the capacity the oldest is dropped: if a writer logs no `unlock`, every lock stays held.
  package mutating func lock(_ lock: LockID, on thread: Int, at evidence: Evidence) {
    if held.count == Self.capacity { held.removeFirst() }
    held.append(Held(thread: thread, lock: lock, taken: evidence.as(.locked)))
  }

  /// Releases the newest lock of this thread, or else, as a semaphore allows, of another thread.
  package mutating func unlock(_ lock: LockID, on thread: Int) {
    let own = held.lastIndex { $0.lock == lock && $0.thread == thread }
    if let index = own ?? held.lastIndex(where: { $0.lock == lock }) { held.remove(at: index) }
  }

  /// The lock that `thread` took last.
  package func newest(of thread: Int) -> Held? { held.last { $0.thread == thread } }
}
