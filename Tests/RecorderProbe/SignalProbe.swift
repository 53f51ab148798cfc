import KVORecorder
import ProbeC

/// A handler that records in the middle of records.
enum SignalProbe {
  static func run(path: String, handlerCount: UInt64, threadCount: UInt64, limit: Int) throws {
    try Recorder.shared.startLog(path: path, byteLimit: limit, isComplete: true, live: { [] })
    let counts = probe_record_under_signals(handlerCount, threadCount)
    print("\(counts.thread) \(counts.handler)")
    Recorder.shared.stopLog()
  }
}
