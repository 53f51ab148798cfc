import Foundation

/// Runs `body` on a thread of its own and returns when that has ended, thread-local state included.
func onThread(_ body: @escaping () -> Void) {
  onThreads(count: 1) { _ in body() }
}

/// Runs `body` on `count` threads that start together, and returns when all have ended.
func onThreads(count: Int, _ body: @escaping (Int) -> Void) {
  // The threads are joined before this returns, so what `body` captures outlives them; whether it
  // may be shared is what the tests are about.
  nonisolated(unsafe) let body = body
  let start = NSCondition()
  nonisolated(unsafe) var hasStarted = false
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
    pthread_create(
      &thread,
      nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      },
      context.toOpaque()
    )
    threads.append(thread)
  }
  start.lock()
  hasStarted = true
  start.broadcast()
  start.unlock()
  for thread in threads { pthread_join(thread, nil) }
}

private final class ThreadBody {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}
