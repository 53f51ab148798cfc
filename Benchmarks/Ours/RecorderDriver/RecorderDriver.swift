import BenchmarkDriver
import KVORecorder
import KVOTrace

/// Records events as the observation layer does, in a log of its own.
///
/// Cases: `event`, ids given and no stack; `repeated-stack`, the same 16 frames captured for each;
/// `new-stack`, 16 frames that no event had before; `descent`, the calls of `new-stack` and nothing
/// recorded, to be taken off it; `threads`, `event` on two threads at a time; `idle`, as `event`
/// where nothing records.
@main
enum RecorderDriver {
  static func main() {
    let run = MeasuredRun()
    if run.name != "idle" { startLog(run) }
    switch run.name {
    case "event", "idle": run.measure { recordEvents(run.operationCount) }
    case "threads": OnThreads(count: 2, operationCount: run.operationCount).measure(run)
    case "repeated-stack":
      let levels = CallTree.levels()
      run.measure {
        let end = EventsWithStack()
        _ = CallTree.descend(levels, path: 0, to: end, first: 0, count: run.operationCount)
      }
    case "new-stack": descend(run, to: EventsWithStack())
    case "descent": descend(run, to: ChainEnd())
    default: MeasuredRun.fail("no case \"\(run.name)\"", status: 64)
    }
  }

  /// Goes another way each time.
  private static func descend(_ run: MeasuredRun, to end: ChainEnd) {
    let levels = CallTree.levels()
    run.measure {
      for number in 0..<run.operationCount {
        _ = CallTree.descend(levels, path: number, to: end, first: number, count: 1)
      }
    }
  }

  private static func startLog(_ run: MeasuredRun) {
    do {
      try Recorder.shared.startLog(path: "\(run.scratch)/ours.log", isComplete: true, live: { [] })
    } catch {
      MeasuredRun.fail("\(error)")
    }
    // The first capture of a thread opens libunwind and is a hundred times as slow.
    _ = Recorder.shared.captureStack()
  }

  /// As the layer tells of a delivery: the ids are at hand, the order was taken under a lock.
  static func recordEvents(_ count: Int) {
    let recorder = Recorder.shared
    for number in 0..<UInt64(count) {
      let delivery = Delivery(
        registration: RegistrationID(number & 63),
        change: ChangeID(number),
        phase: .after
      )
      recorder.record(.notify(delivery), order: number)
    }
  }
}
