import BenchmarkDriver
import CKVORecorder
import KVORecorder
import KVOTrace

/// Records events as KVOSafety does, in a separate log.
///
/// In all cases except the cold ones, pages are mapped and writable before the clock starts:
/// - `event`: a delivery with given ids and no stack, by the function that KVOSafety calls for it;
/// - `event-cold`: the same, on pages that are mapped on demand;
/// - `general`: `registerEnd`, by the function for events of any kind;
/// - `repeated-stack`: `event` with the same 16 frames captured for each;
/// - `new-stack`: with 16 frames that no event had before;
/// - `descent`: only the calls of `new-stack`, without recording, to be subtracted;
/// - `threads`: `event` on two threads at a time, the CPU time of these two;
/// - `threads-all`, `threads-all-cold`: the CPU time of the process for the same, including the
///   recorder's own thread;
/// - `idle`: `event` without recording.
@main
enum RecorderDriver {
  static func main() {
    let run = MeasuredRun()
    if run.name == "idle" {
      run.measure { recordEvents(run.operationCount) }
      return
    }
    let isCold = run.name.hasSuffix("-cold")
    // A record takes about 12 bytes; a stack of 16 frames is written in full when it is new.
    let log = RecordedLog(run, populatedByteCountPerEvent: run.name == "new-stack" ? 256 : 32)
    if !isCold { log.populate() }
    switch run.name {
    case "event", "event-cold": run.measure { recordEvents(run.operationCount) }
    case "general": run.measure { recordGeneralEvents(run.operationCount) }
    case "threads":
      OnThreads(count: 2, operationCount: run.operationCount).measure(run, isWhole: false)
    case "threads-all", "threads-all-cold":
      OnThreads(count: 2, operationCount: run.operationCount).measure(run, isWhole: true)
    case "repeated-stack":
      let levels = CallTree.levels()
      run.measure {
        let end = EventsWithStack()
        _ = CallTree.descend(levels, path: 0, to: end, first: 0, count: run.operationCount)
      }
    case "new-stack":
      descend(run, to: EventsWithStack())
      // If there were no room for another stack, events would be recorded without one.
      guard kvos_stack_count() >= run.operationCount else {
        MeasuredRun.fail("\(kvos_stack_count()) stacks are known, not \(run.operationCount)")
      }
    case "descent": descend(run, to: ChainEnd())
    default: MeasuredRun.fail("no case \"\(run.name)\"", status: 64)
    }
    log.end()
  }

  /// Takes a different path each time.
  private static func descend(_ run: MeasuredRun, to end: ChainEnd) {
    let levels = CallTree.levels()
    run.measure {
      for number in 0..<run.operationCount {
        _ = CallTree.descend(levels, path: number, to: end, first: number, count: 1)
      }
    }
  }

  /// Like KVOSafety for a delivery: the ids are known, the order was taken under a lock.
  static func recordEvents(_ count: Int) {
    // In a debug build a range takes a thousand instructions for its next number, which would be
    // attributed to the recorder.
    var number: UInt64 = 0
    while number < UInt64(count) {
      let delivery = Delivery(
        registration: RegistrationID(number & 63),
        change: ChangeID(number),
        phase: .after
      )
      Recorder.shared.record(delivery, isEnd: false, order: number)
      number += 1
    }
  }

  private static func recordGeneralEvents(_ count: Int) {
    for number in 0..<UInt64(count) {
      Recorder.shared.record(.registerEnd(RegistrationID(number & 63)), order: number)
    }
  }
}
