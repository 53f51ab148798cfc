import CKVORecorder
import Glibc
import KVORecorder

/// Crashes on one of many threads that record, under a limit that has the log rotate all the time.
enum CrashingProbe {
  /// Never returns.
  ///
  /// - Parameters:
  ///   - path: the log.
  ///   - limit: its limit in bytes.
  ///   - threadCount: how many threads record.
  ///   - eventCount: after how many events of its own the first of them crashes.
  ///   - delay: how many microseconds a handler of the program takes; 0: it has none.
  /// - Throws: ``LogFileError``.
  static func run(
    path: String,
    limit: Int,
    threadCount: Int,
    eventCount: UInt64,
    delay: UInt32
  ) throws {
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
    handlerDelay = delay
    if delay > 0 {
      // Like a handler that prints a report: the other threads continue during that time.
      signal(SIGSEGV) { number in
        usleep(CrashingProbe.handlerDelay)
        signal(number, SIG_DFL)
      }
    }
    try Recorder.shared.startLog(path: path, byteLimit: limit, isComplete: true, live: { [] })
    for number in 1...50 as ClosedRange<UInt64> { RecordedSequence.register(number) }
    for thread in 1..<threadCount {
      ProbeThread { record(thread: thread) }
    }
    ProbeThread {
      for number in 1...eventCount { RecordedSequence.plain(number) }
      // The log rotates at least once before it.
      while kvos_part_number() < 2 { RecordedSequence.plain(0) }
      fail()
    }
    while true { pause() }
  }

  // Set before the handler is installed.
  nonisolated(unsafe) private static var handlerDelay: UInt32 = 0

  private static func record(thread: Int) {
    for number in 1... as PartialRangeFrom<UInt64> {
      if number % 64 == 0 {
        RecordedSequence.named(number, of: thread)
      } else {
        RecordedSequence.plain(number)
      }
    }
  }

  private static func fail() {
    UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
  }
}
