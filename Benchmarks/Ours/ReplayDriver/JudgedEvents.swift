import BenchmarkDriver
import Glibc
import KVOReplay
import KVORules
import KVOTrace

/// Events in memory, judged like those of an audit; they are generated in blocks while the clock is
/// stopped.
struct JudgedEvents {
  /// The number of events that a reader passes on at once.
  private static let batchCount = 512
  private static let blockCount = 1 << 16

  private var replay = OrderedReplay()
  private var number = 0
  private var verdictCount = 0

  /// Measures `run`'s number of events, after those that create `live` registrations.
  static func measure(_ run: MeasuredRun, live: Int) {
    var names = TraceNames()
    var source = EventSource(liveCount: live) { names.id(of: $0) }
    var judged = JudgedEvents()
    var block: [Event] = []
    source.begin { event in
      block.append(event)
      if block.count == blockCount {
        judged.take(block)
        block.removeAll(keepingCapacity: true)
      }
    }
    judged.take(block)
    var spent: UInt64 = 0
    var left = run.operationCount
    while left > 0 {
      block.removeAll(keepingCapacity: true)
      while block.count < min(left, blockCount) { source.next { block.append($0) } }
      block.removeLast(max(0, block.count - left))
      let before = MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
      judged.take(block)
      spent += MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before
      left -= block.count
    }
    guard judged.verdictCount == 0, judged.replay.engine.liveRegistrationCount >= live - 1 else {
      MeasuredRun.fail("\(judged.verdictCount) verdicts on a log without a fault")
    }
    run.report(threadNanoseconds: spent, processNanoseconds: spent)
  }

  private mutating func take(_ events: [Event]) {
    for start in stride(from: 0, to: events.count, by: Self.batchCount) {
      let end = min(start + Self.batchCount, events.count)
      replay.take(events.span.extracting(start..<end), firstNumber: number + 1) { _ in
        verdictCount += 1
      }
      number += end - start
    }
  }
}
