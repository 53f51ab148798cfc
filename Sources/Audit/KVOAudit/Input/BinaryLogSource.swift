import KVORules
import KVOTrace
import KVOTraceBinary

/// Reads a binary log, and its older files next to it, as one.
struct BinaryLogSource {
  private let label: String
  private let progress: LogSource.Progress?

  private var names: TraceNames
  private var notifying = NotifyingClasses()
  private var eventCount = 0
  private var problems: [LogDamage] = []
  private var problemCount = 0
  private var summary = BinaryLogSummary()
  private var readByteCount = 0
  private var byteCount = 0
  private var removedPartCount = 0

  /// Makes a source.
  ///
  /// - Parameters:
  ///   - label: the name of the input.
  ///   - names: names that are known already.
  ///   - progress: called with the progress.
  init(label: String, names: TraceNames, progress: LogSource.Progress?) {
    self.label = label
    self.names = names
    self.progress = progress
  }

  /// Reads a log that is in memory.
  ///
  /// - Throws: ``InputFailure`` if nothing of it can be used.
  mutating func read(
    _ bytes: [UInt8],
    _ body: LogSource.Body
  ) throws(InputFailure) -> LogReading {
    byteCount = bytes.count
    try read(BinaryLogMemory(bytes), path: nil, isComplete: true, body)
    return reading(partCount: 1)
  }

  /// Reads a file, and before it its older files.
  ///
  /// - Throws: ``InputFailure`` if nothing of it can be used.
  mutating func read(
    _ source: ByteSource,
    path: String,
    _ body: LogSource.Body
  ) throws(InputFailure) -> LogReading {
    byteCount = source.byteCount
    guard let header = BinaryFileHeader(of: source), header.version <= BinaryFormat.version else {
      // The reader reports what is wrong with it.
      try read(source, path: nil, isComplete: true, body)
      return reading(partCount: 1)
    }
    let parts = LogParts(before: path, header: header)
    byteCount += parts.older.reduce(0) { $0 + ($1.source.byteCount) }
    // A recorder that rotates its log deletes the oldest files: the remaining ones begin with the registrations that
    // were live.
    var next = max(1, parts.older.first?.number ?? header.part)
    removedPartCount = Int(next) - 1
    let isComplete = next == 1
    for part in parts.older {
      lose(next..<part.number, path: part.path, body)
      try read(part.source, path: part.path, isComplete: isComplete, body)
      next = part.number + 1
    }
    lose(next..<max(next, header.part), path: nil, body)
    try read(source, path: nil, isComplete: isComplete, body)
    return reading(partCount: parts.older.count + 1)
  }

  /// Reads one file; `isComplete` tells whether the log exists from its first file on.
  private mutating func read(
    _ source: any BinaryLogBytes,
    path: String?,
    isComplete: Bool,
    _ body: LogSource.Body
  ) throws(InputFailure) {
    let reader = BinaryLogReader(source, names: names)
    // Only the reader references the names while it adds to them.
    names = TraceNames()
    defer { names = reader.names }
    var events: [Event] = []
    steps: while true {
      switch reader.next(into: &events) {
      case .events:
        if !isComplete { Self.markIncomplete(&events) }
        let classes = notifying.update(from: reader.names)
        if !classes.isEmpty { body(.classes(classes), { reader.names }) }
        body(.events(events, firstNumber: eventCount + 1), { reader.names })
        eventCount += events.count
        progress?(readByteCount + reader.readByteCount, byteCount)
      case .problem(let problem):
        take(LogDamage(problem, path: path, number: eventCount + 1), reader.names, body)
      case .end: break steps
      }
    }
    readByteCount += reader.byteCount
    if let refusal = reader.refusal {
      throw InputFailure(input: path ?? label, reason: refusal.message)
    }
    summary.add(reader.summary)
    if path == nil, eventCount == 0 {
      let reason = problems.first.map {
        "nothing of this binary log can be read; at \($0.text(input: label))"
      }
      throw InputFailure(input: label, reason: reason ?? InputFailure.noEventReason)
    }
  }

  /// Makes the events state that the log does not exist from its first file on.
  private static func markIncomplete(_ events: inout [Event]) {
    for at in events.indices {
      guard case .process(var process) = events[at].body else { continue }
      process.isComplete = false
      events[at].body = .process(process)
    }
  }

  private mutating func lose(_ parts: Range<UInt32>, path: String?, _ body: LogSource.Body) {
    guard let first = parts.first, let last = parts.last else { return }
    let which = first == last ? "part \(first) of it is" : "parts \(first) to \(last) of it are"
    take(
      LogDamage(
        location: .bytes(offset: 0, byteCount: 0),
        path: path,
        message: "this log is continued here from an earlier part; \(which) missing",
        number: eventCount + 1
      ),
      names,
      body
    )
  }

  private mutating func take(
    _ damage: LogDamage,
    _ names: TraceNames,
    _ body: LogSource.Body
  ) {
    problemCount += 1
    if problems.count < LogReading.keptProblemLimit { problems.append(damage) }
    body(.damage(damage), { names })
  }

  private func reading(partCount: Int) -> LogReading {
    LogReading(
      kind: .binary,
      names: names,
      eventCount: eventCount,
      problems: problems,
      problemCount: problemCount,
      byteCount: readByteCount,
      cutAt: summary.cutAt,
      binary: LogReading.Binary(
        partCount: partCount,
        removedPartCount: removedPartCount,
        summary: summary
      )
    )
  }
}

extension BinaryLogSummary {
  /// Adds the counts of another file.
  fileprivate mutating func add(_ other: BinaryLogSummary) {
    eventCount += other.eventCount
    wholeSegmentCount += other.wholeSegmentCount
    openSegmentCount += other.openSegmentCount
    partSegmentCount += other.partSegmentCount
    lostSegmentCount += other.lostSegmentCount
    lostByteCount += other.lostByteCount
    stringlessEventCount += other.stringlessEventCount
    stacklessEventCount += other.stacklessEventCount
    droppedEventCount = droppedEventCount.addingSaturated(other.droppedEventCount)
    firstTime = firstTime ?? other.firstTime
    lastTime = other.lastTime ?? lastTime
    cutAt = other.cutAt ?? cutAt
    end = other.end
    knowsLength = knowsLength && other.knowsLength
  }
}
