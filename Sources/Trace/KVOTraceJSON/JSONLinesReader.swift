package import KVOTrace

/// Reads the JSON Lines form of a log (`Documentation/LogFormat.md`) incrementally, chunk by chunk.
///
/// A line that is not an event is kept as a ``LogProblem`` and the next line is read as if nothing were wrong. Memory
/// does not grow with the length of the log, except for its distinct names and live objects. Not synchronized.
package final class JSONLinesReader {
  /// The events and problems of the log, line by line.
  package enum Content {
    case event(Event)
    /// A line that is not an event, and so may hide one.
    case problem(LogProblem)
  }

  /// The longest line that is read, in bytes; longer ones are a problem.
  package static let lineByteLimit = 16 << 20
  /// How many problems are kept; the others are only counted.
  package static let keptProblemLimit = 1000

  /// The problems in the order of the lines, up to ``keptProblemLimit`` of them.
  package private(set) var problems: [LogProblem] = []
  package private(set) var problemCount = 0
  package private(set) var eventCount = 0
  /// How many of the events came from canonical lines, which need no JSON parser.
  package private(set) var canonicalEventCount = 0
  /// Names of events that this code does not know.
  package private(set) var unknownEvents = NameTally()
  /// Keys of known events that this code does not know, as `subject.color` inside another value.
  package private(set) var unknownKeys = NameTally()
  /// Why the log as a whole is refused: it is written to a later version of the grammar.
  ///
  /// Nothing after it is read.
  package private(set) var refusal: LogProblem?
  /// Whether the log ended in the middle of a line.
  package private(set) var endsInsideLine = false
  /// The names for the ids of the events so far.
  package var names: TraceNames { decoder.names }

  private let lineByteLimit: Int
  private let takesCanonicalLines: Bool
  private var lineCopy: [UInt8] = []
  // Not checked for overlapping accesses, which would cost as much as a short text of every line: no other code, of the
  // reader or of a caller, is called during an access.
  @exclusivity(unchecked) private var scanner = CanonicalScanner()
  @exclusivity(unchecked) private var decoder: EventDecoder
  private var splitter: LineSplitter
  private var lineNumber = 0

  /// Makes a reader of one log.
  ///
  /// - Parameters:
  ///   - names: names that are known already; the log's are added to them.
  ///   - lineByteLimit: the longest line that is read, in bytes.
  ///   - takesCanonicalLines: false parses every line as general JSON, which gives the same result more slowly.
  package init(
    names: TraceNames = TraceNames(),
    lineByteLimit: Int = JSONLinesReader.lineByteLimit,
    takesCanonicalLines: Bool = true
  ) {
    self.takesCanonicalLines = takesCanonicalLines
    decoder = EventDecoder(names: names)
    splitter = LineSplitter(byteLimit: lineByteLimit)
    self.lineByteLimit = lineByteLimit
  }

  /// Called with each event and its 1-based line.
  ///
  /// On the thread that reads, before the call returns. The event is lent: events are large, and a
  /// reader that handed out copies would spend a sixth of its time on them.
  package typealias EventBody = (_ line: Int, _ event: inout Event) -> Void
  /// Called with each problem, likewise.
  package typealias ProblemBody = (LogProblem) -> Void

  /// Reads the next bytes of the log, and calls one of the two with every line that ends in them.
  ///
  /// Blank lines are skipped. Complexity: O(bytes).
  package func read(
    _ chunk: ArraySlice<UInt8>,
    event: EventBody,
    problem: ProblemBody
  ) {
    let limit = takesCanonicalLines ? CanonicalRun.limit(in: chunk) : chunk.startIndex
    splitter.split(
      chunk,
      taking: { start in
        guard refusal == nil else { return start }
        let first = skipBlankLines(of: chunk, from: start)
        return CanonicalRun.lines(of: chunk, from: first, limit: limit) { takeEvents(&$0, event) }
      },
      { read($0, event, problem) }
    )
  }

  /// Reads the rest after the last line end.
  ///
  /// A last line without a line end counts if it is complete.
  package func finish(event: EventBody, problem: ProblemBody) {
    splitter.finish { read($0, event, problem) }
  }

  /// Reads the next bytes of the log and calls `body`, on the same thread and before it returns,
  /// with every line that ends in them and its 1-based number.
  ///
  /// Blank lines are skipped. Complexity: O(bytes).
  package func read(_ chunk: ArraySlice<UInt8>, _ body: (_ line: Int, Content) -> Void) {
    read(chunk, event: { body($0, .event($1)) }, problem: { body($0.line, .problem($0)) })
  }

  /// Reads the rest after the last line end.
  ///
  /// A last line without a line end counts if it is complete.
  package func finish(_ body: (_ line: Int, Content) -> Void) {
    finish(event: { body($0, .event($1)) }, problem: { body($0.line, .problem($0)) })
  }

  private func read(
    _ line: LineSplitter.Line,
    _ event: EventBody,
    _ problem: ProblemBody
  ) {
    lineNumber += 1
    guard refusal == nil else { return }
    switch line {
    case .overlong:
      report(0, "the line is longer than \(lineByteLimit) bytes and was skipped", problem)
    case .whole(var bytes, let isTerminated):
      // A byte order mark may be at the start, and before a log appended to another one.
      if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
      guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return }
      if takesCanonicalLines, takeEvent(bytes, event) { return }
      read(bytes, isTerminated: isTerminated, event, problem)
    }
  }

  /// Counts the blank lines from `start` on, and returns where the first other one starts.
  ///
  /// One by one, a gigabyte of them would take minutes.
  private func skipBlankLines(of chunk: ArraySlice<UInt8>, from start: Int) -> Int {
    chunk[start...].withUnsafeBytes { bytes in
      var line = 0
      for (offset, byte) in bytes.enumerated() {
        switch byte {
        case 0x0a:
          lineNumber += 1
          line = offset + 1
        case 0x20, 0x09:
          guard offset - line < lineByteLimit else { return start + line }
        case 0x0d where offset + 1 < bytes.count:
          if bytes[offset + 1] == 0x0a { continue }
          lineNumber += 1
          line = offset + 1
        default: return start + line
        }
      }
      return start + line
    }
  }

  // MARK: Canonical lines

  /// Moves `run` over its lines up to the first that is not canonical.
  private func takeEvents(
    _ run: inout CanonicalRun,
    _ body: EventBody
  ) {
    var event = Event(.exit(status: 0))
    while scanner.read(&event, from: &run, lineByteLimit: lineByteLimit, &decoder.names) {
      lineNumber += 1
      eventCount += 1
      canonicalEventCount += 1
      body(lineNumber, &event)
    }
  }

  /// Whether `bytes`, the line of the present number, is canonical and was taken.
  private func takeEvent(
    _ bytes: ArraySlice<UInt8>,
    _ body: EventBody
  ) -> Bool {
    var event = Event(.exit(status: 0))
    let isTaken = CanonicalRun.line(bytes, copiedTo: &lineCopy) { run in
      scanner.read(&event, from: &run, lineByteLimit: .max, &decoder.names)
    }
    guard isTaken else { return false }
    eventCount += 1
    canonicalEventCount += 1
    body(lineNumber, &event)
    return true
  }

  // MARK: All other lines

  private func read(
    _ bytes: ArraySlice<UInt8>,
    isTerminated: Bool,
    _ body: EventBody,
    _ problem: ProblemBody
  ) {
    do throws(JSONSyntaxError) {
      guard case .object(let values) = try JSONSyntax.parse(bytes) else {
        report(0, "not an event: a line must hold one JSON object", problem)
        return
      }
      read(LineFields(values: values, path: []), in: bytes, body, problem)
    } catch {
      if isTerminated {
        report(error.offset, error.message, problem)
      } else {
        endsInsideLine = true
        report(bytes.count, "the log ends in the middle of a line", problem)
      }
    }
  }

  private func read(
    _ line: LineFields,
    in bytes: ArraySlice<UInt8>,
    _ body: EventBody,
    _ problem: ProblemBody
  ) {
    do throws(FieldError) {
      if refuse(line, in: bytes) { return }
      guard var event = try decoder.event(line) else {
        if case .text(let name)? = line["event"] { unknownEvents.add(name) }
        return
      }
      Grammar.unknownKeys(of: line.values, in: event.body.name) { unknownKeys.add($0) }
      eventCount += 1
      body(lineNumber, &event)
    } catch {
      report(KeyPosition.offset(of: error.keys, in: bytes), error.message, problem)
    }
  }

  /// Whether the line says that the log follows a later grammar.
  ///
  /// Checked before the rest of the line, whose meaning may have changed in that version.
  private func refuse(_ line: LineFields, in bytes: ArraySlice<UInt8>) -> Bool {
    guard case .text("process")? = line["event"], case .whole(let schema)? = line["schema"],
      schema > UInt64(ProcessInfo.schema)
    else { return false }
    refusal = LogProblem(
      line: lineNumber,
      column: KeyPosition.offset(of: ["schema"], in: bytes) + 1,
      message: ProcessInfo.refusal(ofSchema: schema)
    )
    return true
  }

  private func report(
    _ offset: Int,
    _ message: String,
    _ body: ProblemBody
  ) {
    let problem = LogProblem(line: lineNumber, column: offset + 1, message: message)
    problemCount += 1
    if problems.count < Self.keptProblemLimit { problems.append(problem) }
    body(problem)
  }
}
