import Foundation

/// Runs `body` on `count` threads that start together, and returns when all have ended, their
/// thread-local state included.
///
/// - Parameters:
///   - count: how many threads.
///   - stackByteCount: the size of their stacks, or nil for the usual one.
///   - body: is given the index of the thread.
package func onThreads(count: Int, stackByteCount: Int? = nil, _ body: @escaping (Int) -> Void) {
  // The threads are joined before this returns, so what `body` captures outlives them; whether it
  // may be shared is what the tests are about.
  nonisolated(unsafe) let body = body
  let start = NSCondition()
  nonisolated(unsafe) var hasStarted = false
  let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
  defer { attributes.deallocate() }
  pthread_attr_init(attributes)
  if let stackByteCount { pthread_attr_setstacksize(attributes, stackByteCount) }
  var threads: [pthread_t] = []
  for index in 0..<count {
    let context = Unmanaged.passRetained(
      ThreadBody {
        start.lock()
        while !hasStarted { start.wait() }
        start.unlock()
        body(index)
      }
    )
    var thread = pthread_t()
    let status = pthread_create(
      &thread,
      attributes,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      },
      context.toOpaque()
    )
    precondition(status == 0, "pthread_create: \(status)")
    threads.append(thread)
  }
  pthread_attr_destroy(attributes)
  start.lock()
  hasStarted = true
  start.broadcast()
  start.unlock()
  for thread in threads { pthread_join(thread, nil) }
}

/// Runs `body` on a thread of its own and returns when that has ended.
package func onThread(stackByteCount: Int? = nil, _ body: @escaping () -> Void) {
  onThreads(count: 1, stackByteCount: stackByteCount) { _ in body() }
}

private final class ThreadBody {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}
