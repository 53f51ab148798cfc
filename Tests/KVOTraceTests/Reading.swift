import KVOTrace
import KVOTraceJSON

/// The result of reading a whole log.
struct Reading {
  var lines: [Int] = []
  var events: [Event] = []
  /// As `line:column: message`.
  var problems: [String] = []
  let reader: JSONLinesReader

  /// Reads `bytes` in chunks of `chunkSize`.
  init(
    _ bytes: [UInt8],
    names: TraceNames = TraceNames(),
    chunkSize: Int = .max,
    lineByteLimit: Int = JSONLinesReader.lineByteLimit,
    takesCanonicalLines: Bool = true
  ) {
    reader = JSONLinesReader(
      names: names,
      lineByteLimit: lineByteLimit,
      takesCanonicalLines: takesCanonicalLines
    )
    var lines: [Int] = []
    var events: [Event] = []
    var problems: [String] = []
    func take(line: Int, content: JSONLinesReader.Content) {
      switch content {
      case .event(let event):
        lines.append(line)
        events.append(event)
      case .problem(let problem):
        problems.append("\(problem.line):\(problem.column): \(problem.message)")
      }
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      reader.read(rest.prefix(chunkSize), take)
      rest = rest.dropFirst(chunkSize)
    }
    reader.finish(take)
    self.lines = lines
    self.events = events
    self.problems = problems
  }

  init(_ text: String, chunkSize: Int = .max) {
    self.init(Array(text.utf8), chunkSize: chunkSize)
  }

  /// The events as canonical lines.
  var written: String {
    var bytes: [UInt8] = []
    for event in events { JSONLinesWriter.append(event, names: reader.names, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
