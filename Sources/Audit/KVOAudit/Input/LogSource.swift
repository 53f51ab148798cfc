import KVOFindings
package import KVOTrace
package import KVOTraceBinary
package import KVOTraceJSON

/// The result of reading a whole input.
package struct LogReading: Sendable {
  package var kind: InputKind
  /// The names for the ids of its events.
  package var names: TraceNames
  package var eventCount: Int
  /// The damaged parts, in order, up to ``keptProblemLimit``.
  package var problems: [LogDamage] = []
  package var problemCount = 0
  package var unknownEvents = NameTally()
  package var unknownKeys = NameTally()
  /// How many bytes were read.
  package var byteCount = 0
  /// How many bytes the input has, if it ends in the middle of the log.
  package var cutAt: Int?
  /// Properties of a binary log only.
  package var binary: Binary?

  /// The files and segments of a binary log.
  package struct Binary: Hashable, Sendable {
    /// How many files it was read from.
    package var partCount: Int
    /// How many files preceded those and no longer exist.
    package var removedPartCount = 0
    package var summary: BinaryLogSummary
  }

  /// How many damaged parts are kept; the others are only counted.
  static let keptProblemLimit = JSONLinesReader.keptProblemLimit

  /// Adds the place where the compressed bytes end too early, which says more than that the log does.
  mutating func add(_ damage: LogDamage) {
    problemCount += 1
    problems.append(damage)
    cutAt = nil
  }
}

/// Reads an input of any kind as events, in one pass.
package struct LogSource {
  /// The content of an input.
  package enum Content {
    /// At least one event, in order, and the 1-based number of the first: the line, in JSON Lines.
    /// The numbers of the others follow it without a gap.
    case events([Event], firstNumber: Int)
    /// A location that cannot be read, and may hide an event.
    case damage(LogDamage)
    /// The classes that runtimes made for observing, each with its class, before the first events that name both.
    case classes([StringID: StringID])
  }

  /// Called with the content of an input, in order, and with the names for the ids.
  ///
  /// Events are passed in batches of any length. Their array is reused: keeping it causes the next batch to be copied.
  package typealias Body = (_ content: Content, _ names: () -> TraceNames) -> Void

  /// Called, after every chunk, with how many bytes are read and how many there are, if that is known.
  package typealias Progress = (_ readByteCount: Int, _ byteCount: Int?) -> Void

  /// Called with the bytes of an input that is not a usage log but may be text, in order.
  ///
  /// Returns whether to read on: a device may have no end.
  package typealias TextBody = (_ bytes: ArraySlice<UInt8>) -> Bool

  private let input: AuditInput
  private let names: TraceNames

  private let progress: Progress?
  private let text: TextBody?

  /// Makes a source of `input`.
  ///
  /// - Parameters:
  ///   - input: what to read.
  ///   - names: names that are known already; the input's are added to them.
  ///   - text: receives an input that is not a usage log; nil: reading such an input fails.
  ///   - progress: called on the thread that reads, before ``read(_:)`` returns.
  package init(
    _ input: AuditInput,
    names: TraceNames = TraceNames(),
    text: TextBody? = nil,
    progress: Progress? = nil
  ) {
    self.input = input
    self.names = names
    self.text = text
    self.progress = progress
  }

  /// Reads the input to its end, and calls `body` with its content, in order.
  ///
  /// `body` is called on the same thread and before this returns, with the names for the ids of the event. Complexity:
  /// O(bytes); memory is bounded by the input's longest line, its distinct names and its live objects. A binary log
  /// that is not a file is read into memory as a whole, and a compressed one into a temporary file.
  ///
  /// - Parameters:
  ///   - begin: called with the kind of the input, before its content.
  ///   - body: must not keep `names`, whose later growth would then copy it.
  /// - Returns: what was read.
  /// - Throws: ``InputFailure`` if nothing of the input can be used. `body` may have been called
  ///   before.
  package func read(
    begin: (InputKind) -> Void = { _ in },
    _ body: Body
  ) throws(InputFailure) -> LogReading {
    switch input {
    case .events(let events, let names, _):
      begin(.memory)
      var notifying = NotifyingClasses()
      let classes = notifying.update(from: names)
      if !classes.isEmpty { body(.classes(classes), { names }) }
      if !events.isEmpty { body(.events(events, firstNumber: 1), { names }) }
      return LogReading(
        kind: .memory,
        names: names,
        eventCount: events.count
      )
    case .file(let path, let decompression):
      return try read(ByteSource(path: path, decompression: decompression), begin, body)
    case .folder(let path):
      do throws(InputFailure) {
        return try read(ByteSource(path: path), begin, body)
      } catch {
        guard error.reason == InputFailure.directoryReason else { throw error }
        throw InputFailure(input: path, reason: InputFailure.emptyDirectoryReason)
      }
    case .standardInput(let decompression, let beginning):
      let source = ByteSource(
        standardInputLabel: input.label,
        beginning: beginning,
        decompression: decompression
      )
      return try read(source, begin, body)
    }
  }

  private func read(
    _ source: ByteSource,
    _ begin: (InputKind) -> Void,
    _ body: Body
  ) throws(InputFailure) -> LogReading {
    // The kind is found from the first bytes, which may come in pieces.
    var head: [UInt8] = []
    while !InputKind.isCertain(head: head), head.count < InputKind.headByteCount {
      let chunk = try source.read()
      if chunk.isEmpty { break }
      head.append(contentsOf: chunk)
    }
    if head.isEmpty, let damage = source.damage {
      throw InputFailure(input: input.label, reason: "cannot be decompressed: \(damage.reason)")
    }
    // A log of blank lines is as empty as one without lines.
    let isWhole = head.count < InputKind.headByteCount
    let isBlank = isWhole && head.allSatisfy(ByteSource.blanks.contains)
    guard !isBlank else {
      throw InputFailure(input: input.label, reason: InputFailure.emptyReason)
    }
    guard let kind = InputKind(head: head[...]) else {
      if BinaryFormat.magic.starts(with: head) {
        let reason = source.damage?.reason ?? InputFailure.cutMagicReason(head.count)
        throw InputFailure(input: input.label, reason: reason)
      }
      if ReportForm.isReport(head: head) {
        throw InputFailure(input: input.label, reason: ImportedText.reportReason)
      }
      // Damaged bytes may look like text in which nothing is known.
      if let text, !InputPaths.isNamedLikeLog(input.label) {
        begin(.console)
        return try readText(source, head: head, text)
      }
      throw InputFailure(
        input: input.label,
        reason: InputFailure.unknownKindReason(head: head)
      )
    }
    begin(kind)
    var reading: LogReading
    do throws(InputFailure) {
      reading =
        kind == .binary
        ? try readBinary(source, head: head, body) : try readJSONLines(source, head: head, body)
    } catch {
      guard let damage = source.damage else { throw error }
      throw InputFailure(
        input: input.label,
        reason: "\(damage.reason); what precedes that cannot be used: \(error.reason)"
      )
    }
    if let damage = LogDamage(source, number: reading.eventCount + 1) {
      body(.damage(damage), { reading.names })
      reading.add(damage)
    }
    return reading
  }

  /// Passes on an input that is not a log.
  ///
  /// The code that reads it determines its form.
  private func readText(
    _ source: ByteSource,
    head: [UInt8],
    _ text: TextBody
  ) throws(InputFailure) -> LogReading {
    var chunk = head
    var byteCount = 0
    while !chunk.isEmpty {
      let continues = text(chunk[...])
      byteCount += chunk.count
      progress?(source.takenByteCount, source.knownByteCount)
      if !continues { break }
      chunk = try source.read()
    }
    var reading = LogReading(kind: .console, names: names, eventCount: 0, byteCount: byteCount)
    if let damage = LogDamage(source, number: 1) { reading.add(damage) }
    return reading
  }

  private func readBinary(
    _ source: ByteSource,
    head: [UInt8],
    _ body: Body
  ) throws(InputFailure) -> LogReading {
    var reader = BinaryLogSource(label: input.label, names: names, progress: progress)
    if source.isCompressed {
      let file = try SpooledLog(of: source, head: head, label: input.label) {
        progress?($0, source.knownByteCount)
      }
      return try reader.read(file.bytes, path: input.label, body)
    }
    if case .file(let path, _) = input, source.knownByteCount != nil {
      return try reader.read(source, path: path, body)
    }
    var bytes = head
    while true {
      let chunk = try source.read()
      if chunk.isEmpty { break }
      bytes.append(contentsOf: chunk)
      progress?(bytes.count, source.knownByteCount)
    }
    return try reader.read(bytes, body)
  }

  private func readJSONLines(
    _ source: ByteSource,
    head: [UInt8],
    _ body: Body
  ) throws(InputFailure) -> LogReading {
    let reader = JSONLinesReader(names: names)
    let batch = LineBatch()
    func take(line: Int, event: inout Event) {
      if !batch.takes(line) { give() }
      batch.append(&event, line: line)
    }
    func take(problem: LogProblem) {
      give()
      body(.damage(LogDamage(problem)), { reader.names })
    }
    var notifying = NotifyingClasses()
    func give() {
      if !batch.events.isEmpty {
        let classes = notifying.update(from: reader.names)
        if !classes.isEmpty { body(.classes(classes), { reader.names }) }
        body(.events(batch.events, firstNumber: batch.firstLine), { reader.names })
      }
      batch.removeAll()
    }
    var chunk = head
    var readByteCount = 0
    while !chunk.isEmpty, reader.refusal == nil {
      reader.read(chunk[...], event: take, problem: take)
      give()
      readByteCount += chunk.count
      progress?(source.takenByteCount, source.knownByteCount)
      chunk = try source.read()
    }
    reader.finish(event: take, problem: take)
    give()
    try check(reader)
    return LogReading(
      kind: .jsonLines,
      names: reader.names,
      eventCount: reader.eventCount,
      problems: reader.problems.map(LogDamage.init),
      problemCount: reader.problemCount,
      unknownEvents: reader.unknownEvents,
      unknownKeys: reader.unknownKeys,
      byteCount: readByteCount,
      cutAt: reader.endsInsideLine ? readByteCount : nil
    )
  }

  /// Throws if the log is of a later schema, or no line of it was an event.
  private func check(_ reader: JSONLinesReader) throws(InputFailure) {
    if let refusal = reader.refusal {
      throw InputFailure(
        input: input.label,
        line: refusal.line,
        column: refusal.column,
        reason: refusal.message
      )
    }
    if reader.eventCount == 0, reader.unknownEvents.isEmpty, let first = reader.problems.first {
      throw InputFailure(
        input: input.label,
        line: first.line,
        column: first.column,
        reason: "not a usage log: no line of it is an event; here: \(first.message)"
      )
    }
  }
}
