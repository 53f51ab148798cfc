import KVOTrace
import KVOTraceBinary
import KVOTraceJSON

/// The result of reading a whole binary log.
struct BinaryReading {
  var events: [Event] = []
  var problems: [BinaryLogProblem] = []
  /// Events and problems in their order: an event's index in `events`, or a message.
  var course: [String] = []
  let reader: BinaryLogReader

  init(_ bytes: [UInt8], names: TraceNames = TraceNames()) {
    self.init(BinaryLogMemory(bytes), names: names)
  }

  init(_ source: any BinaryLogBytes, names: TraceNames = TraceNames()) {
    reader = BinaryLogReader(source, names: names)
    var batch: [Event] = []
    while true {
      switch reader.next(into: &batch) {
      case .events:
        for event in batch { course.append("\(event.body.name) \(event.time ?? 0)") }
        events += batch
      case .problem(let problem):
        problems.append(problem)
        course.append("\(problem.offset): \(problem.message)")
      case .end: return
      }
    }
  }

  var summary: BinaryLogSummary { reader.summary }

  /// The events as canonical lines.
  var lines: [UInt8] {
    var bytes: [UInt8] = []
    for event in events { JSONLinesWriter.append(event, names: reader.names, to: &bytes) }
    return bytes
  }

  /// The whole serial log of `events`.
  static func log(
    _ events: [Event],
    names: TraceNames,
    segmentByteCount: Int = 64 << 10
  ) -> [UInt8] {
    var writer = BinaryLogWriter(session: 0x5e55, segmentByteCount: segmentByteCount)
    var bytes: [UInt8] = []
    for event in events { writer.append(event, names: names, to: &bytes) }
    writer.finish(to: &bytes)
    return bytes
  }
}
