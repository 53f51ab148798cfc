public import CKVOUnwind
public import Synchronization

/// A lock around a value: Swift's `Mutex`, in a form that ThreadSanitizer understands.
///
/// The sanitizer does not know the futex inside `Mutex` and reports accesses to the value that it
/// guards as races; the two calls report the lock to it. In other builds they do nothing.
///
/// Inlined into other targets: an unspecialized lock costs ten times as much. For that reason the C module is part of
/// the interface; the target is not a product: a call from here would cost more than the function itself.
@usableFromInline
package struct GuardedState<State>: ~Copyable {
  @usableFromInline let mutex: Mutex<State>

  @inlinable
  package init(_ state: consuming sending State) {
    mutex = Mutex(state)
  }

  /// Runs `body` with the lock held.
  ///
  /// `body` must not call out: no user code, no other lock.
  @inlinable
  package borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    // Not the address of the state: asking for that is already an access to it, which the sanitizer
    // would see before the lock is reported to it.
    let address = withUnsafePointer(to: mutex) { UnsafeRawPointer($0) }
    return try mutex.withLock { state throws(Failure) -> sending Result in
      kvos_lock_taken(address)
      defer { kvos_lock_released(address) }
      return try body(&state)
    }
  }

  /// Runs `body` with the lock held, unless another thread holds it.
  ///
  /// - Returns: the result of `body`; nil: it was not called.
  package borrowing func withLockIfAvailable<Result>(
    _ body: (inout sending State) -> sending Result
  ) -> sending Result? {
    let address = withUnsafePointer(to: mutex) { UnsafeRawPointer($0) }
    return mutex.withLockIfAvailable { state in
      kvos_lock_taken(address)
      defer { kvos_lock_released(address) }
      return body(&state)
    }
  }
}

// `Mutex` is Sendable whatever it guards, and so is this.
extension GuardedState: Sendable {}
