import KVOTrace

/// The events of one thread, or of a serial log, segment after segment, and their losses.
///
/// Holds one segment in memory, from ``open()`` to its end. It is either before an event or before
/// a problem, and has a key: the tick by which it is ordered among other streams, which never goes
/// back.
final class SegmentStream {
  /// The position of the stream.
  enum Position {
    /// Before its first segment, which ``open()`` loads.
    case closed
    case event
    /// ``takeProblem()`` returns it.
    case problem
    case end
  }

  private(set) var position = Position.closed
  private(set) var key: UInt64

  private let name: String
  private var runs: ArraySlice<SegmentRun>
  /// Nil after the last segment: threads that ended hold no memory.
  private var loader: SegmentLoader?
  private let tables: BinaryTables
  private let clock: LogClock
  private let tally: ReadingTally

  private var entry: SegmentIndex.Entry?
  private var records: SegmentRecords?
  private var problems: [BinaryLogProblem] = []
  private var nextProblem = 0
  /// The time of the last event that has one.
  private var lastTime: UInt64?
  /// Whether an event of the present segment was lost because of a missing string, which is reported once.
  private var hasReportedStrings = false
  private var isWhole = true

  /// Makes the stream of some segments.
  ///
  /// - Parameters:
  ///   - entries: of one thread.
  ///   - name: the thread's name in messages, `thread 7`.
  ///   - source: the log.
  ///   - tables: complete.
  ///   - clock: of the log.
  ///   - tally: the counts of what is read.
  init(
    _ entries: [SegmentIndex.Entry],
    name: String,
    source: any BinaryLogBytes,
    tables: BinaryTables,
    clock: LogClock,
    tally: ReadingTally
  ) {
    self.name = name
    runs = SegmentRun.runs(of: entries)[...]
    key = runs.first?.entry.header.base.tick ?? 0
    loader = SegmentLoader(source)
    self.tables = tables
    self.clock = clock
    self.tally = tally
  }

  /// Goes to the first event or problem.
  func open() { advance() }

  /// The next problem; the stream then moves past it.
  func takeProblem() -> BinaryLogProblem {
    let problem = problems[nextProblem]
    nextProblem += 1
    if nextProblem == problems.count {
      problems.removeAll(keepingCapacity: true)
      nextProblem = 0
      advance()
    }
    return problem
  }

  /// Appends events while the stream's key is below `limit`, or is `limit` if `includesLimit`.
  ///
  /// Stops before a problem. Complexity: O(bytes of the events); only lists are allocated, and `events` if it has to
  /// grow.
  func decode(
    into events: inout [Event],
    upTo limit: UInt64,
    includesLimit: Bool,
    count: Int
  ) {
    // The records have no other reference while they are decoded, so that they stay in registers.
    guard position == .event, var records = self.records else { return }
    self.records = nil
    var key = self.key
    let clock = self.clock
    let isIdentity = clock.isIdentity
    var lastTime = self.lastTime
    defer {
      if self.key < key { self.key = key }
    }
    while events.count < count, key < limit || (includesLimit && key == limit) {
      var time: UInt64?
      if records.isTimed {
        time = isIdentity ? records.tick : clock.nanoseconds(of: records.tick)
        lastTime = time
      }
      let outcome = records.event(time: time, into: &events)
      if outcome != .whole || records.isAboutLog {
        self.lastTime = lastTime
        if outcome == .malformed {
          abandon(records, records.leftOverByteCount)
          return advance()
        }
        note(outcome, records, events)
      }
      switch records.head() {
      case .event where position == .event: if records.tick > key { key = records.tick }
      // There is a problem before the next event.
      case .event:
        self.records = records
        return
      case let head:
        self.lastTime = lastTime
        end(records, head)
        return advance()
      }
    }
    self.lastTime = lastTime
    self.records = records
  }

  /// Counts an event that needs special handling.
  private func note(
    _ outcome: SegmentRecords.Outcome,
    _ records: SegmentRecords,
    _ events: [Event]
  ) {
    switch outcome {
    case .lost:
      tally.summary.stringlessEventCount += 1
      guard !hasReportedStrings else { return }
      hasReportedStrings = true
      report("an event names a string that is lost; it is left out", at: records)
    case .stackless: tally.summary.stacklessEventCount += 1
    case .whole, .malformed: break
    }
    if outcome != .lost, records.isAboutLog, let event = events.last { tally.note(event) }
  }

  // MARK: - Going on

  /// Goes to the next event, over as many segments as it takes, or to a problem.
  private func advance() {
    while true {
      if nextProblem < problems.count {
        position = .problem
        return
      }
      if let records {
        position = .event
        key = max(key, records.tick)
        return
      }
      guard let run = runs.popFirst() else {
        position = .end
        loader = nil
        return
      }
      begin(run)
    }
  }

  private func begin(_ run: SegmentRun) {
    if let problem = run.problem(of: name, clock, from: lastTime) {
      problems.append(problem)
      tally.summary.lostSegmentCount += run.missingCount
    }
    let header = run.entry.header
    if !run.isRepeated, header.base.tick > key, problems.isEmpty { key = header.base.tick }
    for region in run.entry.regions {
      tally.summary.lostByteCount += region.byteCount
      problems.append(BinaryLogProblem(region, from: lastTime))
    }
    guard !run.isRepeated else { return }
    entry = run.entry
    isWhole = true
    hasReportedStrings = false
    tally.readByteCount += run.entry.availableByteCount
    switch loader?.load(run.entry) {
    case nil: break
    case .lost(let why):
      tally.summary.lostSegmentCount += 1
      tally.summary.lostByteCount += run.entry.availableByteCount
      problems.append(
        BinaryLogProblem(
          offset: run.entry.offset,
          byteCount: run.entry.availableByteCount,
          from: header.base.tick == 0 ? lastTime : clock.nanoseconds(of: header.base.tick),
          to: nextTime,
          message: "segment \(header.index) of \(name) is lost: \(why)"
        )
      )
      entry = nil
    case .sealed(let bytes): begin(bytes, leastByteCount: nil, header)
    case .open(let bytes, let least): begin(bytes, leastByteCount: least, header)
    }
  }

  private func begin(
    _ bytes: UnsafeRawBufferPointer,
    leastByteCount: Int?,
    _ header: BinarySegmentHeader
  ) {
    var records = SegmentRecords(
      bytes,
      leastByteCount: leastByteCount,
      header: header,
      tables: tables
    )
    switch records.head() {
    case .event: self.records = records
    case let head: end(records, head)
    }
  }

  // MARK: - Ends of segments

  private func end(_ records: SegmentRecords, _ head: SegmentRecords.Head) {
    switch head {
    case .event, .end: finish()
    case .tornEnd(let byteCount):
      if entry?.isCut != true {
        report("\(segmentName) ends in the middle of a record", at: records, byteCount)
      }
      tally.summary.lostByteCount += byteCount
      finish()
    case .malformed(let byteCount): abandon(records, byteCount)
    case .definition: abandon(records, records.leftOverByteCount)
    }
  }

  /// Gives up the rest of the segment.
  private func abandon(_ records: SegmentRecords, _ byteCount: Int) {
    isWhole = false
    tally.summary.lostByteCount += byteCount
    if entry?.isCut != true {
      report(
        "no event can be decoded here; the rest of \(segmentName) is lost",
        at: records,
        byteCount
      )
    }
    finish()
  }

  private func finish() {
    defer {
      records = nil
      entry = nil
    }
    guard let entry else { return }
    let isSealed = entry.header.checksum != 0
    switch (isWhole, isSealed) {
    case (false, _): tally.summary.partSegmentCount += 1
    case (true, true): tally.summary.wholeSegmentCount += 1
    case (true, false): tally.summary.openSegmentCount += 1
    }
    if !isSealed, entry.isCut {
      problems.append(
        BinaryLogProblem(
          offset: entry.offset + entry.availableByteCount,
          from: lastTime,
          message: "the log ends inside \(segmentName)"
        )
      )
    }
  }

  private var segmentName: String { "segment \(entry?.header.index ?? 0) of \(name)" }

  /// When the next segment was begun.
  private var nextTime: UInt64? {
    guard let tick = runs.first?.entry.header.base.tick, tick != 0 else { return nil }
    return clock.nanoseconds(of: tick)
  }

  private func report(_ message: String, at records: SegmentRecords, _ byteCount: Int = 0) {
    let offset =
      (entry?.offset ?? 0) + BinaryFormat.segmentHeaderByteCount + records.recordOffset
    problems.append(
      BinaryLogProblem(
        offset: offset,
        byteCount: byteCount,
        from: lastTime,
        to: byteCount > 0 ? nextTime : nil,
        message: message
      )
    )
    position = .problem
  }
}

extension BinaryLogProblem {
  /// Pages that are not part of a segment.
  init(_ region: SegmentIndex.Region, from: UInt64?) {
    self.init(
      offset: region.offset,
      byteCount: region.byteCount,
      from: from,
      message: region.isEmpty
        ? "\(region.byteCount) bytes were recorded here, and hold nothing"
        : "\(region.byteCount) bytes here are not part of a segment, and should be zero"
    )
  }
}
