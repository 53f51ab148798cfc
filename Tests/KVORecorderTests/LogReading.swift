import Foundation
import KVOTrace
import KVOTraceBinary
import KVOTraceJSON

/// What a reader makes of a log on disk.
struct LogReading {
  private(set) var events: [Event] = []
  private(set) var problems: [BinaryLogProblem] = []
  let names: TraceNames
  let summary: BinaryLogSummary
  let part: UInt32?

  init(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let reader = BinaryLogReader(BinaryLogMemory(bytes))
    var batch: [Event] = []
    reading: while true {
      switch reader.next(into: &batch) {
      case .events: events += batch
      case .problem(let problem): problems.append(problem)
      case .end: break reading
      }
    }
    names = reader.names
    summary = reader.summary
    part = reader.header?.part
  }

  /// The names of the events, in their order.
  var eventNames: [String] { events.map(\.body.name) }

  /// The canonical lines of the events.
  var lines: [String] {
    var bytes: [UInt8] = []
    for event in events { JSONLinesWriter.append(event, names: names, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
