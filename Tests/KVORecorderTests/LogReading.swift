import Foundation
import KVOTrace
import KVOTraceJSON

/// What a reader makes of a log on disk.
struct LogReading {
  private(set) var events: [Event] = []
  /// As `line:column: message`.
  private(set) var problems: [String] = []
  let lineCount: Int
  let names: TraceNames

  init(_ path: String) throws {
    self.init(bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
  }

  init(bytes: [UInt8]) {
    let reader = JSONLinesReader()
    var events: [Event] = []
    var problems: [String] = []
    func take(line: Int, content: JSONLinesReader.Content) {
      switch content {
      case .event(let event): events.append(event)
      case .problem(let problem):
        problems.append("\(problem.line):\(problem.column): \(problem.message)")
      }
    }
    reader.read(bytes[...], take)
    reader.finish(take)
    self.events = events
    self.problems = problems
    names = reader.names
    lineCount = bytes.count { $0 == UInt8(ascii: "\n") }
  }

  /// The names of the events, in the order of the lines.
  var eventNames: [String] { events.map(\.body.name) }
}
