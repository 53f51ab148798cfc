import BenchmarkDriver
import Glibc
import Synchronization

/// Threads that record at the same time, each its share.
final class OnThreads: Sendable {
  // State: `spent`, the CPU time of the threads that have finished; atomic, read after all were
  // joined.
  private let spent = Atomic<UInt64>(0)
  private let threadCount: Int
  private let share: Int

  init(count: Int, operationCount: Int) {
    threadCount = count
    share = operationCount / count
  }

  /// Runs the threads and prints their total CPU time.
  ///
  /// - Parameters:
  ///   - run: has the number of events.
  ///   - isWhole: whether to use the CPU time of the whole process instead, which includes other
  ///     threads.
  func measure(_ run: MeasuredRun, isWhole: Bool) {
    let before = MeasuredRun.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    var threads: [pthread_t] = []
    for _ in 0..<threadCount {
      var thread = pthread_t()
      let context = Unmanaged.passRetained(self).toOpaque()
      let code = pthread_create(
        &thread,
        nil,
        { context in
          guard let context else { return nil }
          Unmanaged<OnThreads>.fromOpaque(context).takeRetainedValue().work()
          return nil
        },
        context
      )
      guard code == 0 else { MeasuredRun.fail("no thread: \(String(cString: strerror(code)))") }
      threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
    let whole = MeasuredRun.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before
    run.report(
      threadNanoseconds: isWhole ? whole : spent.load(ordering: .acquiring),
      processNanoseconds: whole
    )
  }

  private func work() {
    let before = MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
    RecorderDriver.recordEvents(share)
    // releasing: pairs with the acquire in measure, beside the join.
    spent.add(MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before, ordering: .releasing)
  }
}
