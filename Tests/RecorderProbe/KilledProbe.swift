import Glibc
import KVORecorder
import Synchronization

/// Records until it is killed, and says in a file that outlives it what it has recorded.
enum KilledProbe {
  /// Never returns.
  ///
  /// - Parameters:
  ///   - path: a file of a page. Word N is the number of the last event of thread N that was recorded.
  ///   - threadCount: how many threads record; the main thread is one of them.
  ///   - delay: how many microseconds after the first event the process ends itself by `_exit`, or nil.
  static func run(acknowledging path: String, threadCount: Int, delay: UInt32?) {
    let file = open(path, O_RDWR)
    guard let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      page != MAP_FAILED
    else { exit(2) }
    let address = UInt(bitPattern: page)
    let threads = (1..<threadCount).map { index in
      ProbeThread { record(thread: index, at: address) }
    }
    if let delay {
      ProbeThread {
        guard let word = UnsafePointer<Atomic<UInt64>>(bitPattern: address) else { return }
        while word.pointee.load(ordering: .relaxed) == 0 { usleep(200) }
        usleep(delay)
        _exit(3)
      }
    }
    record(thread: 0, at: address)
    for thread in threads { thread.join() }
  }

  private static func record(thread: Int, at address: UInt) {
    guard let page = UnsafePointer<Atomic<UInt64>>(bitPattern: address) else { return }
    var number: UInt64 = 0
    while true {
      number += 1
      RecordedSequence.named(number, of: thread)
      // releasing: what the other process reads was recorded.
      page[thread].store(number, ordering: .releasing)
      if number == 1 { sched_yield() }
    }
  }
}
