import BenchmarkDriver
import Glibc
import KVOAudit
import KVORecorder
import KVOTrace
import KVOTraceBinary
import KVOTraceJSON

/// Writes logs of the events of ``EventSource``, and prints their number.
enum LogMaker {
  /// Writes JSON Lines.
  static func writeJSON(_ run: MeasuredRun, live: Int, path: String) throws {
    guard let file = fopen(path, "w") else { MeasuredRun.fail("cannot write \(path)") }
    var names = TraceNames()
    var source = EventSource(liveCount: live) { names.id(of: $0) }
    var line: [UInt8] = []
    var count = 0
    func write(_ event: Event) {
      line.removeAll(keepingCapacity: true)
      JSONLinesWriter.append(event, names: names, to: &line)
      guard fwrite(line, 1, line.count, file) == line.count else {
        MeasuredRun.fail("cannot write \(path)")
      }
      count += 1
    }
    source.begin(write)
    while count < run.operationCount { source.next(write) }
    guard fclose(file) == 0 else { MeasuredRun.fail("cannot write \(path)") }
    print("events=\(count)")
  }

  /// Writes them with the recorder, with its own time and thread, after its own `process` and
  /// images.
  static func record(_ run: MeasuredRun, live: Int, path: String) throws {
    let recorder = Recorder.shared
    // One log file must hold them all: a quarter of the limit.
    try recorder.startLog(path: path, byteLimit: 8 << 30, isComplete: true, live: { [] })
    var source = EventSource(liveCount: live) { recorder.id(of: $0) }
    var count = 0
    func record(_ event: Event) {
      if case .process = event.body { return }
      recorder.record(event.body, order: event.order)
      count += 1
    }
    source.begin(record)
    while count < run.operationCount { source.next(record) }
    recorder.stopLog()
    let reading = try LogSource(.file(path: path)).read { _, _ in }
    guard let binary = reading.binary, binary.partCount == 1, reading.problemCount == 0,
      binary.summary.droppedEventCount == 0, reading.eventCount > count
    else { MeasuredRun.fail("\(count) events were recorded, \(reading.eventCount) can be read") }
    print("events=\(reading.eventCount)")
  }
}
